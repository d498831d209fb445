// Reads the From headers of a mail more strictly than mail programs do (RFC 5322 §3.6.2), to find its one author.
import { domainToUnicode } from "node:url";
import { readDomain } from "../../base/addresses.ts";
import { decodeWords } from "../../mime/words.ts";

/** A longer header has no valid address: nothing of it is read as one. */
const FROM_CHARS = 4_096;
/** A longer address is not valid, because a shortened one is another address. */
const ADDRESS_CHARS = 320;

// As RFC 5322 and RFC 6532, with dots anywhere: some providers gave out such addresses, and no program reads them otherwise.
const LOCAL = /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]|[^\0-\x7f\p{C}\p{Z}\ufffd])+$/u;
const QUOTED_LOCAL = /^"(?:[^"\\\p{C}]|\\[\x20-\x7e])*"$/u;
/** A literal, or a host name of a local network. */
const LOCAL_HOST = /^(?:\[[\x21-\x5a\x5e-\x7e]+\]|[\w-]+(?:\.[\w-]+)*)$/;
/** Programs drop them, or end the name there. Not those that change the alphabet in ISO 2022, which some names have unencoded. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\0-\x08\x0a-\x0d\x10-\x1a\x1c-\x1f\x7f]/;
const SPECIALS = new Set(['"', "(", "<", ",", ";", ":", " ", "\t"]);

export type From = {
  /** Header fields. */
  fields: number;
  /** Mailboxes that a mail program could find. */
  mailboxes: number;
  /** Whether there is one field with one valid address and nothing that another program could read as an address. */
  isOne: boolean;
  /** The first valid address of the first field. */
  author: { address: string; name: string } | undefined;
  /** All that a mail program could show of the fields beside `author.address`, decoded: names, comments, false addresses. */
  shown: string;
};

/** What stands between commas. */
type Piece = {
  /** Contents of `<…>`. */
  angles: string[];
  /** Words, with their quotes, that no space separates. */
  runs: string[];
  /** Words in order, without quotes. */
  words: string[];
  comments: string[];
  /** Whether words follow `<…>`. */
  trails: boolean;
  /** Whether a comment stands within an address, which programs read in other ways. */
  isParted: boolean;
  /** `,`, `;` or `:`. */
  endedBy: string;
  /** Of the mail, for octets that are not UTF-8. */
  charset: string;
};
type Token = { kind: string; text: string; end: number };

/**
 * Whether a text is an addr-spec: one local part, one `@`, one domain as it is written in DNS or in Unicode. With a full
 * stop at its end it is read so that block lists match it, but DMARC does not count it.
 */
function isAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const [local, host] = [text.slice(0, at), text.slice(at + 1).replace(/\.$/, "")];
  if (at < 1 || text.length > ADDRESS_CHARS) return false;
  if (!QUOTED_LOCAL.test(local) && !(LOCAL.test(local) && local.normalize("NFKC") === local)) return false;
  const domain = readDomain(host);
  if (domain === undefined) return LOCAL_HOST.test(host);
  const written = host.toLowerCase().normalize("NFC");
  return written === domain || written === domainToUnicode(domain);
}

/** Reads to the `close` that belongs to the opening character at `start`; quoted pairs and, in `<…>`, quotes are skipped. */
function readEnclosed(value: string, start: number, close: string): Token {
  const open = value.charAt(start);
  let [text, depth, isQuoted] = ["", 1, false];
  for (let at = start + 1; at < value.length; at += 1) {
    const char = value.charAt(at);
    if (char === "\\" && (open !== "<" || isQuoted)) {
      text += open === "<" ? value.slice(at, at + 2) : value.charAt(at + 1);
      at += 1;
      continue;
    }
    if (open === "<" && char === '"') isQuoted = !isQuoted;
    if (open === "(" && char === "(") depth += 1;
    if (char === close && !isQuoted) depth -= 1;
    if (depth === 0) return { kind: open, text, end: at + 1 };
    text += char;
  }
  return { kind: "unclosed", text, end: value.length };
}

function readToken(value: string, start: number): Token {
  const char = value.charAt(start);
  if (char === '"') return readEnclosed(value, start, '"');
  if (char === "(") return readEnclosed(value, start, ")");
  if (char === "<") return readEnclosed(value, start, ">");
  if (SPECIALS.has(char)) return { kind: char === "\t" ? " " : char, text: char, end: start + 1 };
  let end = start + 1;
  while (end < value.length && !SPECIALS.has(value.charAt(end))) end += 1;
  return { kind: "atom", text: value.slice(start, end), end };
}

/** An address without the comments in it (RFC 5322 §3.2.2), and these. */
function withoutComments(address: string): { text: string; comments: string[] } {
  const comments: string[] = [];
  let text = "";
  for (let at = 0; at < address.length; ) {
    const char = address.charAt(at);
    const enclosed = char === "(" || char === '"' ? readEnclosed(address, at, char === "(" ? ")" : char) : undefined;
    if (enclosed?.kind === "(") comments.push(enclosed.text);
    else text += enclosed ? address.slice(at, enclosed.end) : char;
    at = enclosed?.end ?? at + 1;
  }
  return { text: text.trim(), comments };
}

/** Whether words on both sides of a comment are one address: `ann(sales)@shop.example`. */
const isOneAddress = (before: string, after: string) => /[@.]$/.test(before) || /^[@.]/.test(after);

const newPiece = (charset: string): Piece => ({
  angles: [],
  runs: [],
  words: [],
  comments: [],
  trails: false,
  isParted: false,
  endedBy: "",
  charset,
});

/** @returns `isStrict`: whether it has no group, nothing unclosed and no control characters */
function readPieces(value: string, charset: string): { pieces: Piece[]; isStrict: boolean } {
  const pieces = [newPiece(charset)];
  let [piece, isStrict, joins, isBehindComment] = [pieces[0] as Piece, !CONTROLS.test(value), false, false];
  for (let at = 0; at < value.length; ) {
    const { kind, text, end } = readToken(value, at);
    if (kind === "," || kind === ";" || kind === ":") {
      if (kind !== ",") isStrict = false;
      piece.endedBy = kind;
      piece = newPiece(charset);
      pieces.push(piece);
    } else if (kind === "<") {
      const address = withoutComments(text);
      piece.angles.push(address.text);
      piece.comments.push(...address.comments);
      piece.isParted ||= address.comments.length > 0;
    } else if (kind === "(") piece.comments.push(text);
    else if (kind !== " ") {
      if (kind === "unclosed") isStrict = false;
      const written = kind === '"' ? value.slice(at, end) : text;
      piece.trails ||= piece.angles.length > 0;
      joins &&= !isBehindComment || isOneAddress(piece.runs.at(-1) ?? "", written);
      piece.isParted ||= joins && isBehindComment;
      if (joins && piece.runs.length > 0) piece.runs.push(`${piece.runs.pop()}${written}`);
      else piece.runs.push(written);
      piece.words.push(joins && piece.words.length > 0 ? `${piece.words.pop()}${text}` : text);
    }
    isBehindComment = kind === "(";
    joins = kind === '"' || kind === "atom" || kind === "unclosed" || (joins && isBehindComment);
    at = end;
  }
  return { pieces, isStrict };
}

/** With the letter forms that Unicode has of it. */
const hasAt = (text: string) => text.normalize("NFKC").includes("@");
const isEmpty = ({ angles, runs, comments }: Piece) => angles.length + runs.length + comments.length === 0;
/** The words of a piece beside its address. */
const textOf = ({ words, runs, charset }: Piece, address?: string) =>
  decodeWords(words.filter((_, at) => runs[at] !== address).join(" "), charset);

/** The address of a piece: that between `<` and `>`, or else the only word with an `@`. The name of a group has none. */
function addressOf({ angles, runs, endedBy }: Piece): string | undefined {
  if (endedBy === ":") return;
  const found = angles.length > 0 ? angles : runs.filter(hasAt);
  const [address = ""] = found;
  return found.length === 1 && isAddress(address) ? address : undefined;
}

/** Whether a mail program could find a mailbox there. */
function isMailbox(piece: Piece): boolean {
  return piece.angles.some((text) => text !== "") || hasAt(textOf(piece)) || piece.angles.some(hasAt);
}

/** Words with an `@` beside `<…>`, outside quotes, would be a second address; but the same one again is usual. */
function isPlain({ angles, runs, trails, isParted }: Piece, address: string): boolean {
  if (address.endsWith(".") || isParted) return false;
  if (angles.length === 0) return runs.length === 1;
  const isOther = (run: string) =>
    /[^@]@[^@]/.test(run.normalize("NFKC")) && run.toLowerCase() !== address.toLowerCase();
  return !trails && !runs.some((run) => !run.startsWith('"') && isOther(run));
}

/** Including an unquoted comma or colon: "Smith, Jr <smith@shop.example>". */
function nameOf(pieces: Piece[], own: Piece, address: string): string {
  const before = pieces.slice(0, pieces.indexOf(own));
  const first = before.findLastIndex(isMailbox) + 1;
  const parts = before.slice(first).map((piece) => textOf(piece) + piece.endedBy);
  const last = textOf(own, address);
  return (
    (last === "" ? parts : [...parts, last]).join(" ").replace(/[,;:]$/, "") ||
    decodeWords(own.comments.join(" "), own.charset)
  );
}

/** @param lines as `readHeaders(raw).lines` returns them */
export function readFrom(lines: [string, string][], charset = ""): From {
  const values = lines.filter(([name]) => name.toLowerCase() === "from").map(([, value]) => value);
  const isShort = values.every((value) => value.length <= FROM_CHARS);
  const read = values.map((value) => readPieces(value.slice(0, FROM_CHARS), charset));
  const pieces = read.flatMap((each) => each.pieces).filter((piece) => !isEmpty(piece));
  const first = isShort ? (read[0]?.pieces ?? []) : [];
  let address: string | undefined;
  const own = first.find((piece) => {
    address = addressOf(piece);
    return address !== undefined;
  });
  const mailboxes = pieces.reduce((sum, piece) => sum + Math.max(piece.angles.length, Number(isMailbox(piece))), 0);
  const isAlone = mailboxes === 1 && own !== undefined && pieces.at(-1) === own;
  const isStrict = values.length === 1 && read[0]?.isStrict === true;
  const shown = pieces.flatMap((piece) => [
    textOf(piece, address),
    ...[...piece.comments, ...piece.angles].map((text) => decodeWords(text, charset)),
  ]);
  return {
    fields: values.length,
    mailboxes,
    isOne: isStrict && isAlone && address !== undefined && isPlain(own, address),
    author: own && address !== undefined ? { address, name: nameOf(first, own, address) } : undefined,
    shown: shown.filter((text) => text !== address).join(" , "),
  };
}
