// Reduces a text to the letters and numbers that all ways to write it have in common, so that a quote is found that programs changed.

/** Entities that were not decoded, escaped up to four times. */
const ENTITY = /&(?:amp;){0,3}(?:(lt|gt|quot|apos|nbsp|amp)|#(\d{1,6})|#x([\da-f]{1,5}));/gi;
const NAMED = new Map([
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", " "],
]);
const decoded = (text: string) =>
  text.replace(ENTITY, (_, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? "&";
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal));
  });

/** Of other signs than letters and digits, those that programs put before a line or around words. */
const NO_LETTERS = /[^\p{L}\p{N}\p{S}]|[|¦│┃▌▎>＞<`´^~\u25e6\u25aa\u25ab\u25b8\u25ba\u25cf\u27a2\u27a4]/gu;
/** A part of a number, if a digit follows. */
const POINTS = ".,:/-–—‐‑−";
/** What a line without letters has in common with another: a ruler. */
const NO_SIGNS = /[\s*_>|＞\u00ad\u200b-\u200f\u2060\ufeff]+/g;
/** Letters that are written without their marks in other characters. */
const PLAIN = new Map([..."łøđßæœı"].map((letter, at) => [letter, ["l", "o", "d", "ss", "ae", "oe", "i"][at] ?? ""]));
const [DIGIT_0, DIGIT_9, ASCII_LAST, SURROGATE_FIRST, SURROGATE_LAST] = [0x30, 0x39, 0x7f, 0xd8_00, 0xdf_ff];
/** Of one character. A longer form is one that nobody types in another way. */
const FORM_CHARS = 4;

const LINK = /[<[(]?\s?https?:\/\/[^\s<>[\]"]+\s?[>\])]?/gi;
/** An address in another one, as filters rewrite links: `https://filter.example/?url=https%3A%2F%2Fshop.example%2F5&data=7` */
const WITHIN = /.https?(?::|%3a|-3a)(?:\/|%2f|_)(?:\/|%2f|_)((?:(?!__;)[^&])+)/i;
const PERCENT = /%[\da-f]{2}/gi;

/** What a link and the same one rewritten have in common; nothing of one in brackets behind words, which is where a plain text has it. */
function linkLetters(link: string, before: string): string {
  if (/^[<[(]/.test(link) && /[\p{L}\p{M}\p{Nd}]\s?$/u.test(before)) return " ";
  const url = link.replace(/^[^h]+/i, "").replace(/^https?:\/\//i, "");
  const address = WITHIN.exec(url)?.[1] ?? url;
  return ` ${address.replace(PERCENT, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))} `;
}

/** Text without what programs write in other ways: entities and links. */
function read(text: string): string {
  const plain = text.includes("&") ? decoded(text) : text;
  return plain.includes("://")
    ? plain.replace(LINK, (link, at: number) => linkLetters(link, plain.slice(Math.max(0, at - 2), at)))
    : plain;
}

const signsOf = (text: string) => text.replace(NO_SIGNS, "").toLowerCase();

/** A character in the form that all ways to write it have in common; nothing of one that is no letter. */
function formOf(character: string): string {
  const small = character.toLowerCase();
  // Syllables of Korean are one letter each.
  const form = small.normalize("NFKD").replace(NO_LETTERS, "").normalize("NFC");
  return form.length > FORM_CHARS ? small : (PLAIN.get(form) ?? form);
}

const UNIT_KINDS = 0x1_00_00;
const [NONE, POINT, SEVERAL] = [-1, -2, -3];
/** Of each unit of UTF-16: the one that stands for it, or one of these. */
const FORMS = new Int32Array(UNIT_KINDS);
for (const point of POINTS) FORMS[point.charCodeAt(0)] = POINT;
const CHUNK_CHARS = 2_048;
const UNITS = new Uint16Array(CHUNK_CHARS * FORM_CHARS);

function readUnit(unit: number): number {
  const isHalf = unit >= SURROGATE_FIRST && unit <= SURROGATE_LAST;
  const form = isHalf ? "" : formOf(String.fromCharCode(unit));
  const kind = isHalf || form.length > 1 ? SEVERAL : form === "" ? NONE : form.charCodeAt(0);
  FORMS[unit] = kind;
  return kind;
}

/** The form of a part of a number, or of a character that a table of units does not hold, and the units that it has. */
function otherForm(text: string, at: number, kind: number): string {
  if (kind === SEVERAL) return formOf(String.fromCodePoint(text.codePointAt(at) ?? 0));
  const next = text.charCodeAt(at + 1);
  const isInNumber = kind === POINT && next >= DIGIT_0 && next <= DIGIT_9;
  return !isInNumber ? "" : text.charCodeAt(at) > ASCII_LAST ? "-" : text.charAt(at);
}

/** The forms of the characters of a text, of at most so many units as fit. */
function formsOfChunk(text: string): string {
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const known = FORMS[unit] || readUnit(unit);
    if (known > 0) {
      UNITS[length] = known;
      length += 1;
    } else if (known < NONE) {
      const form = otherForm(text, at, known);
      for (let of = 0; of < form.length; of += 1) UNITS[length + of] = form.charCodeAt(of);
      length += form.length;
      if ((text.codePointAt(at) ?? 0) >= UNIT_KINDS) at += 1;
    }
  }
  return Reflect.apply(String.fromCharCode, undefined, UNITS.subarray(0, length)) as string;
}

function formsOf(text: string): string {
  if (text.length <= CHUNK_CHARS) return formsOfChunk(text);
  const chunks: string[] = [];
  for (let at = 0; at < text.length; at += CHUNK_CHARS) chunks.push(formsOfChunk(text.slice(at, at + CHUNK_CHARS)));
  return chunks.join("");
}

/** What two ways to write the same text have in common. */
function lettersOf(text: string): string {
  const plain = read(text);
  return formsOf(plain.normalize("NFC")) || signsOf(plain);
}

/** A line loses its letters beyond ASCII if so much of it is left. */
const KEPT_PART = 2 / 3;

/** The letters that a text has in common with one in which others became question marks, or two signs each. */
function asciiLettersOf(text: string): string {
  const plain = read(text).normalize("NFC");
  const kept = plain.replace(/[^\0-\x7f]+/g, "");
  return (kept.length >= plain.length * KEPT_PART && formsOf(kept)) || lettersOf(text);
}

/** A word with a question mark in it, a sign for what could not be decoded, UTF-8 read as Latin 1. */
const LOST = /(?:^|[\s>"'(])\p{L}{0,30}\?{1,4}\p{L}|\ufffd|[ÂÃ][\u0080-\u00bf]/mu;

export type Letters = (text: string) => string;
/** How the letters of a mail are compared: without those beyond ASCII where some were lost. */
export const comparing = (text: string): Letters => (LOST.test(text) ? asciiLettersOf : lettersOf);
