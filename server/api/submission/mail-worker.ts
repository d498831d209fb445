// Reads a submitted mail into the input of a send, in a thread of the pool. What a send cannot say is refused, in a sentence.
import { readAddress, readRecipient, writeRecipient } from "../../base/addresses.ts";
import { MEDIA_TYPE, OPAQUE_TYPE } from "../../base/media-type.ts";
import { decodeText } from "../../mime/charset.ts";
import { joinFlowed } from "../../mime/flowed.ts";
import { declaredCharset, type HeaderBlock, readHeaders } from "../../mime/headers.ts";
import { type Leaf, readStructure } from "../../mime/structure.ts";
import { undo } from "../../mime/transfer.ts";
import { decodeWords } from "../../mime/words.ts";
import { readFrom } from "../../receiving/authentication/read-from.ts";
import { addressList, namesIn, summarize } from "../../receiving/headers.ts";
import { submissionKey } from "../../sending/submission-key.ts";

/** What is read of a header (mime/headers.ts). */
const HEADER_BYTES = 65_536;
const HEADER_LINES = 1_000;
const NAMED_MAX = 5;
const LF = 0x0a;

type File = { filename: string; content_type: string; content_base64: string; content_id?: string };
type Body = { text?: string; html?: string; attachments: File[] };
type Input = Body & {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  reply_to?: string | string[];
  in_reply_to?: string;
  idempotency_key?: string;
};
/** `notKept`: names of header fields that a send does not have. */
export type Submitted = { input: Input; notKept: string[] };
type Refusal = { refusal: string };
type Question = { raw: Uint8Array<ArrayBuffer>; recipients: string[]; address: string };

/** @param question.address of the mailbox that sends it; `recipients` are those of the envelope */
export function answer({ raw: bytes, recipients, address }: Question): Submitted | Refusal {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const block = readHeaders(raw);
  const refusal = refusalOfHeader(raw, block, address);
  if (refusal !== undefined) return { refusal };
  const listed = listedRecipients(block, recipients);
  if ("refusal" in listed) return listed;
  const replyTo = withNames(block, "reply-to", addressList(block, "reply-to"));
  const body = readBody(raw, block);
  if ("refusal" in body) return body;
  const { messageId, inReplyTo, references } = summarize(block);
  const answered = inReplyTo ?? references.at(-1);
  const subject = decodeWords(firstOf(block, "subject") ?? "", block.charset);
  const input = {
    ...listed,
    ...body,
    subject: subject.replace(/\p{Cc}+/gu, " ").trim(),
    ...(replyTo[0] !== undefined && { reply_to: replyTo.length === 1 ? replyTo[0] : replyTo }),
    ...(answered !== undefined && { in_reply_to: `<${answered}>` }),
    ...(messageId !== null && { idempotency_key: submissionKey(messageId) }),
  };
  return { input, notKept: notKept(block) };
}

function firstOf({ lines }: HeaderBlock, name: string): string | undefined {
  return lines.find(([each]) => each.toLowerCase() === name)?.[1];
}

// The header.

const ONCE = ["from", "sender", "subject", "message-id", "content-type", "content-transfer-encoding"];
/** What is sent in another way, or says only how the mail was made and came here. */
const PASSED_OVER =
  /^(?:from|sender|to|cc|bcc|subject|reply-to|in-reply-to|references|message-id|date|mime-version|content-.*|user-agent|x-mailer|x-mimeole|received|return-path|)$/;
/** A mail without these would be another mail. */
const NEEDED: [RegExp, string][] = [
  [/^resent-/, "A mail cannot be sent again as it is (Resent-From). Forward it instead."],
  [
    /^list-/,
    "List headers cannot be sent. For one-click unsubscription, send with POST /v1/inboxes/{addr}/send and `list_unsubscribe`.",
  ],
];

function refusalOfHeader(raw: Buffer, block: HeaderBlock, address: string): string | undefined {
  const header = raw.subarray(0, block.bodyStart);
  const lines = header.reduce((sum, octet) => sum + Number(octet === LF), 0);
  if (header.length > HEADER_BYTES || lines > HEADER_LINES) {
    return `The header must have at most ${HEADER_BYTES} octets and ${HEADER_LINES} lines.`;
  }
  const names = block.lines.map(([name]) => name.toLowerCase());
  const from = readFrom(block.lines, block.charset);
  const isOwn = (text: string) => readAddress(text)?.address.toLowerCase() === address;
  if (!from.isOne || !isOwn(from.author?.address ?? "")) {
    return `You signed in for ${address}. The mail must have one From header with this address alone; the name before it is free.`;
  }
  if (addressList(block, "sender").some((text) => !isOwn(text))) {
    return `You signed in for ${address}. Leave out the Sender header, or use this address in it.`;
  }
  const repeated = ONCE.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated) return `The header ${repeated} must occur once.`;
  if (block.isRepaired)
    return "The header is not valid: each line needs a name and a colon, and an empty line ends it.";
  return NEEDED.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1];
}

function notKept({ lines }: HeaderBlock): string[] {
  const names = [...new Set(lines.map(([name]) => name))].filter((name) => !PASSED_OVER.test(name.toLowerCase()));
  const more = names.length - NAMED_MAX;
  return more > 0 ? [...names.slice(0, NAMED_MAX), `${more} more`] : names;
}

/** The recipients of the envelope, in the places that the header gives them; those that it does not name are Bcc. */
function listedRecipients(block: HeaderBlock, recipients: string[]): Pick<Input, "to" | "cc" | "bcc"> | Refusal {
  const nameOf = (text: string) => (readAddress(text)?.address ?? text).toLowerCase();
  const left = new Map(recipients.map((each) => [nameOf(each), each]));
  const strangers: string[] = [];
  const [to = [], cc = []] = ["to", "cc"].map((field) => {
    const named = [...new Set(addressList(block, field).map(nameOf))];
    const found = named.flatMap((name) => {
      if (!recipients.some((each) => nameOf(each) === name)) strangers.push(name);
      const own = left.get(name);
      left.delete(name);
      return own ?? [];
    });
    return withNames(block, field, found);
  });
  if (strangers.length > 0) {
    const shown = strangers.slice(0, NAMED_MAX).join(", ");
    return {
      refusal: `To and Cc name recipients that RCPT TO does not: ${shown}. Add them to the envelope, or take them out of the header.`,
    };
  }
  const bcc = [...left.values()];
  // These say nothing about other callers.
  if (to.length === 0 && cc.length > 0) return { to: cc, cc: [], bcc };
  if (to.length === 0 && bcc.length === 1) return { to: bcc, cc: [], bcc: [] };
  if (to.length === 0) return { refusal: "Name at least one recipient in To: a mail to Bcc alone cannot be sent." };
  return { to, cc, bcc };
}

/** A name that a send does not take, because it is too long, is left out. */
function withNames(block: HeaderBlock, field: string, addresses: string[]): string[] {
  const names = namesIn(block, { header: field, addresses, maxChars: Number.POSITIVE_INFINITY });
  return addresses.map((address) => {
    const written = writeRecipient({ address, name: names.get(address.toLowerCase()) ?? "" });
    return readRecipient(written) ? written : address;
  });
}

// The body. The verb makes the structure again, from its words and files.

/** What ends when the structure is made again, or is no mail that a person writes. */
const FIXED: [RegExp, string][] = [
  [
    /^(?:multipart\/(?:signed|encrypted)|application\/(?:pgp-(?:signature|encrypted)|(?:x-)?pkcs7-(?:mime|signature)))$/,
    "A mail that is signed or encrypted by S/MIME or PGP cannot be sent: the service makes its structure again. Send it without, or as an attached file of the type application/octet-stream.",
  ],
  [
    /^(?:multipart\/report|message\/(?:delivery-status|disposition-notification|feedback-report|partial|external-body))$/,
    "Reports about mail and parts of messages cannot be sent.",
  ],
];

function readBody(raw: Buffer, block: HeaderBlock): Body | Refusal {
  const charset = block.charset || declaredCharset(raw, block.bodyStart);
  const { leaves, isRepaired, isCut } = readStructure(raw, { ...block, charset });
  const root = (firstOf(block, "content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const types = [root, ...leaves.map(({ type }) => type.value)];
  const fixed = FIXED.find(([pattern]) => types.some((type) => pattern.test(type)))?.[1];
  if (fixed) return { refusal: fixed };
  if (isRepaired || isCut) return { refusal: "The MIME structure of the mail is not valid (RFC 2046)." };
  const form = leaves.find(isOtherForm);
  if (form)
    return { refusal: `A text in the form ${shown(form.type.value)} cannot be sent: use text/plain and text/html.` };
  const texts: { leaf: Leaf; value: string }[] = [];
  const files: { leaf: Leaf; octets: Buffer }[] = [];
  for (const leaf of leaves) {
    const { octets, isIgnored } = undo(raw.subarray(leaf.start, leaf.end), leaf.encoding, isText(leaf));
    if (isIgnored) return { refusal: `Content-Transfer-Encoding ${shown(leaf.encoding)} cannot be undone.` };
    if (isText(leaf)) texts.push({ leaf, value: wordsOf(leaf, octets, charset) });
    else files.push({ leaf, octets });
  }
  const words = joinTexts(texts);
  if ("refusal" in words) return words;
  return { ...words, attachments: files.map(({ leaf, octets }) => fileOf(leaf, octets, words.html ?? "")) };
}

const shown = (text: string) => text.slice(0, 80);
const filenameOf = ({ type, disposition }: Leaf) =>
  disposition.parameters.get("filename") || disposition.parameters.get("name") || type.parameters.get("name") || null;

/** As mail is read (mime/read.ts): a text with a file name is a file, unless it is one of several forms of the words. */
function isText(leaf: Leaf): boolean {
  const isWords = leaf.type.value === "text/plain" || leaf.type.value === "text/html";
  if (!isWords || leaf.disposition.value === "attachment") return false;
  return leaf.isRoot || leaf.alternative !== undefined || filenameOf(leaf) === null;
}

/** A form of the words, shown in the place of the others by programs that know it. Invitations are sent as one, too. */
function isOtherForm(leaf: Leaf): boolean {
  const isForm = leaf.isRoot || (leaf.alternative !== undefined && !leaf.isRelated);
  const isFile = leaf.disposition.value === "attachment" || filenameOf(leaf) !== null;
  return isForm && !isFile && /^text\/(?!plain$|html$|calendar$)/.test(leaf.type.value);
}

function wordsOf({ type }: Leaf, octets: Buffer, charset: string): string {
  const { text } = decodeText(octets, type.parameters.get("charset") ?? "", charset);
  const lines = text.replace(/\r\n?/g, "\n");
  const isFlowed = type.value === "text/plain" && type.parameters.get("format")?.toLowerCase() === "flowed";
  return isFlowed ? joinFlowed(lines, type.parameters.get("delsp")?.toLowerCase() === "yes") : lines;
}

function joinTexts(texts: { leaf: Leaf; value: string }[]): { text?: string; html?: string } | Refusal {
  const given = texts.filter(({ value }) => value.trim() !== "");
  const of = (type: string) => given.filter(({ leaf }) => leaf.type.value === type);
  const [plain, html] = [of("text/plain"), of("text/html")];
  const forms = new Set(html.map(({ leaf }) => leaf.alternative));
  if (html.length > 0 && plain.some(({ leaf }) => leaf.alternative === undefined || !forms.has(leaf.alternative))) {
    return {
      refusal:
        "A text beside the HTML that is no alternative of it cannot be sent. Put it into the HTML, or attach it.",
    };
  }
  const join = (parts: typeof given) => parts.map(({ value }) => value).join("\n");
  return {
    ...(plain.length > 0 && { text: join(plain) }),
    ...(html.length > 0 && { html: join(html) }),
  };
}

const NAMES = new Map([
  ["text/calendar", "invite.ics"],
  ["message/rfc822", "message.eml"],
]);
const TOKEN = /^[\w!#$%&'*+.^`{|}~/:-]+$/;

function fileOf(leaf: Leaf, octets: Buffer, html: string): File {
  const { type, contentId } = leaf;
  const parameters = [...type.parameters].filter(([name]) => !/^(?:name|boundary|x-.*)$|\*/.test(name));
  const written = parameters.map(([name, value]) => {
    return `; ${name}=${TOKEN.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`}`;
  });
  const whole = type.value + written.join("");
  const content_type = [whole, type.value].find((each) => MEDIA_TYPE.test(each)) ?? OPAQUE_TYPE;
  // Programs give every file an id; one that the HTML shows would be hidden otherwise.
  const isShown = contentId !== "" && html.includes(`cid:${contentId}`);
  return {
    filename:
      filenameOf(leaf)
        ?.replace(/\p{Cc}+/gu, " ")
        .trim() ||
      NAMES.get(type.value) ||
      "attachment",
    content_type,
    content_base64: octets.toString("base64"),
    ...(isShown && { content_id: contentId }),
  };
}
