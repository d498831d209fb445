// Texts of strangers that are read where one text that takes seconds stops all other work: the time of each reader is linear. With quadratic
// time, the texts together take more CPU than the limit of a test.
import { afterEach, beforeEach, expect, test } from "vitest";
import { composition } from "#server/adapters/compose.ts";
import { readAddress, readMailbox, readRecipient, splitRecipients } from "#server/base/addresses.ts";
import { essenceOf } from "#server/base/media-type.ts";
import { readSender } from "#server/base/sender-filter.ts";
import { digestOf } from "#server/extraction/digest.ts";
import { readHtml } from "#server/extraction/html/html.ts";
import { newText } from "#server/extraction/new-text.ts";
import { readQuery } from "#server/extraction/search.ts";
import { readField, readHeaders } from "#server/mime/headers.ts";
import { readMail } from "#server/mime/read.ts";
import { decodeWords } from "#server/mime/words.ts";
import { senderOf } from "#server/receiving/authentication/kept-verdicts.ts";
import { readFrom } from "#server/receiving/authentication/read-from.ts";
import { summarize } from "#server/receiving/headers.ts";
import { kindOf } from "#server/receiving/kind.ts";
import { isAddressAtFault, readCodes } from "#server/recipients/outcomes/codes.ts";
import { wordsOf } from "#server/sending/content/search-words.ts";

/** Of CPU: many times what the texts of one reader take. On a busy machine they take more time, and not more CPU. */
const LIMIT_US = 15_000_000;
const HEADER_CHARS = 60_000;
const BODY_CHARS = 50_000;
const TEXT_CHARS = 20_000;
const RECIPIENT_CHARS = 400;
const RECIPIENTS = 600;
const MAIL_BYTES = 25 * 1024 * 1024;
const FILE_BYTES = 1024 * 1024;

const PIECES = [
  " ",
  "\t",
  "\u3000",
  " a",
  "a ",
  "@",
  "a@",
  "<",
  "<a",
  "(",
  "()",
  '"',
  '"a',
  "'",
  ",",
  ", ",
  ",<",
  ";",
  "a;",
  ":",
  "a:b;",
];
const LINES = [
  "\r",
  "\n",
  "\r\n",
  "\r\n ",
  "\n> ",
  "a:\r\n",
  "a\r\n",
  "From: a@b.example\r\n",
  "On Monday wrote:\n",
  "-- \n",
];
const WORDS = [
  "\\",
  '\\"',
  "=?u?q?a?=",
  "=?utf-8?b?YQ==?=",
  "=?utf-8?q?=C3?= ",
  "=?",
  "%41",
  "a=b;",
  "a*0=b;",
  "a@b.example, ",
  "<a@b.example>, ",
];
const SIGNS = [
  "-",
  "_",
  "=",
  "*",
  "[",
  "[a](",
  "{",
  "#",
  "0",
  "1 ",
  "a.",
  ".",
  "/",
  "https://",
  "550 ",
  "5.1.1 ",
  "xn--",
  "\u0301",
  "中",
  "\ud800",
  "\0",
];
/** As long as gaps may be in a header block that is looked into. */
const GAPS = [`a${" ".repeat(1_000)}`, `${"\t ".repeat(500)}a`, `,${" ".repeat(1_000)}`];
const TAGS = ["<b>", "</b>", "<div>", "<p style='", "<!--", "<style>", "&", "&#x", "<a href=x>"];
const ENDS: [string, string][] = [
  ["", ""],
  ["a", "\x01"],
  ['"', "<"],
  ["<", " ;"],
];

function textsOf(chars: number): string[] {
  const pieces = [...PIECES, ...LINES, ...WORDS, ...SIGNS, ...GAPS, ...TAGS];
  return pieces.flatMap((piece) =>
    ENDS.map(
      ([start, end]) => `${start}${piece.repeat(Math.ceil(chars / piece.length))}`.slice(0, chars - end.length) + end,
    ),
  );
}

/** Reads a mail with this header block as it is read before its `250`. */
function receive(head: string): void {
  const raw = Buffer.from(`${head}\r\n\r\nx`);
  const block = readHeaders(raw);
  const { from, subject } = summarize(block);
  kindOf({ envelopeFrom: "a@b.example", raw, block, from: from?.address ?? "", subject });
  senderOf({ raw, remoteIp: "192.0.2.1", helo: "b.example", envelopeFrom: "a@b.example", from: "a@b.example" });
}
const inHeader = (name: string) => (text: string) => receive(`${name}: ${text}`);

function attach(text: string): void {
  const content = Buffer.from(text, "latin1");
  const file = { filename: "a.eml", content, contentType: "message/rfc822" };
  const mail = { id: "a", messageId: "a@b.example", from: { address: "a@b.example", name: "" }, date: new Date(0) };
  const texts = { subject: "", text: "", html: null, inReplyTo: null, references: [] };
  composition({ ...mail, ...texts, to: ["c@d.example"], cc: [], bcc: [], replyTo: [], attachments: [file] });
}

const READERS: [string, number, (text: string) => unknown][] = [
  ["a header block", HEADER_CHARS, receive],
  ...["From", "To", "Subject", "Message-ID", "References", "Content-Type", "X-Mailer", "Auto-Submitted", "X-Other"].map(
    (name): [string, number, (text: string) => void] => [`a header ${name}`, HEADER_CHARS, inHeader(name)],
  ),
  ["the beginning of a body", HEADER_CHARS, (text) => receive(`Subject: a\r\n\r\n${text}`)],
  ["a field with parameters", HEADER_CHARS, (text) => readField(text, "")],
  ["the authors of a mail", HEADER_CHARS, (text) => readFrom([["From", text]])],
  ["encoded words", HEADER_CHARS, (text) => decodeWords(text)],
  ["the recipients of a mail", HEADER_CHARS, (text) => splitRecipients(text)],
  ["an address", HEADER_CHARS, (text) => [readAddress(text), readMailbox(text)]],
  ["a name of a sender", RECIPIENT_CHARS, (text) => readSender(text)],
  ["600 recipients", RECIPIENT_CHARS, (text) => Array.from({ length: RECIPIENTS }, () => readRecipient(text))],
  ["the words of another server", HEADER_CHARS, (text) => readCodes(text)],
  [
    "a reason",
    HEADER_CHARS,
    (reason) => isAddressAtFault({ smtp_code: 550, enhanced_code: null, reason }, "ada@elsewhere.example"),
  ],
  ["a media type", HEADER_CHARS, (text) => essenceOf(text)],
  ["what is searched for", RECIPIENT_CHARS, (text) => readQuery(text)],
  ["the text of own mail", TEXT_CHARS, (text) => newText({ text, html: null })],
  ["the HTML of own mail", BODY_CHARS, (html) => readHtml(html)],
  [
    "the words of own mail",
    BODY_CHARS,
    (html) =>
      wordsOf(
        { address: "a@b.example", display_name: "" },
        { to: [], cc: [], names: [], subject: "", text: null, html },
      ),
  ],
  [
    "a digest",
    TEXT_CHARS,
    (text) => digestOf([{ id: "a", head: "a", text, readable: text }], { room: 4_000, marker: "a", older: 0 }),
  ],
];

const start = { cpu: process.cpuUsage() };
beforeEach(() => {
  start.cpu = process.cpuUsage();
});
afterEach(() => {
  const { user, system } = process.cpuUsage(start.cpu);
  expect(user + system).toBeLessThan(LIMIT_US);
});

test.each(READERS)("%s", (_, chars, read) => {
  const texts = textsOf(chars);
  for (const text of texts) {
    try {
      read(text);
    } catch (error) {
      // A refusal is an answer.
      expect(error).toBeInstanceOf(Error);
    }
  }
  expect(texts.length).toBeGreaterThan(100);
});

test.each([
  ["lines that are as long as lines may be", `${"a".repeat(998)}\r\n`],
  ["one line", "a"],
  ["empty lines", "\r\n"],
  ["carriage returns", "\r"],
  ["line feeds", "\n"],
])("a mail that is attached: %s", (_, piece) => {
  const content = piece.repeat(FILE_BYTES / piece.length);
  for (let time = 0; time < 20; time += 1) attach(content);
  expect(content.length).toBeGreaterThan(0);
});

test.each([
  ["=ybegin \n", "\n=yend \n"],
  ["=ybegin size=9\n", "\n=yend \n"],
  ["=ybegin size=9 name=a\n", "\n=yend \n"],
  ["begin 644 a\n", "\nend\n"],
  ["begin 644 a\n#0V%T\n", "\nend\n"],
  ["begin-base64 644 a\n", "\n====\n"],
])("lines that begin a file: %j", (line, end) => {
  const raw = Buffer.from(`\n${line.repeat(MAIL_BYTES / 4 / line.length)}${end}`);
  expect(readMail(raw).files.length).toBeLessThanOrEqual(100);
});

test.each([["a:\r\n"], ["\r\r\n\r"], ["--:\n"], ["--a\n"], [" \n"]])("a header without an end: %j", (line) => {
  const raw = Buffer.from(`From: a@b.example\r\n${line.repeat(MAIL_BYTES / line.length)}`);
  for (let time = 0; time < 60; time += 1) expect(readHeaders(raw).lines.length).toBeLessThanOrEqual(1_000);
});
