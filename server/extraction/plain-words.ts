// Writes a text as its words alone, so that a phrase is found however it is written. One pass over the code units, because
// a regular expression for each step took most of the time of a search.
import { characterKinds } from "./characters.ts";
import { isAscii } from "./marks.ts";

/** Between sentences. */
export const SENTENCE_END = "|";
const READ_CHARS = 512 * 1024;
/** From here on: scripts without spaces, or with attached endings, in which a phrase may start anywhere. */
export const UNSPACED_FROM = 0x2e80;

/** Letters of other scripts that look like Latin ones within a Latin word. */
const LOOKALIKES = new Map(
  [..."аaеeоoрpсcуyхxіiѕsјjԁdοoαaεeιiνvρpτt".matchAll(/../gu)].map(([pair]) => [...pair] as [string, string]),
);
const MARKS = /\p{M}+/gu;
/** Marks, and what shows nothing between letters. */
const UNSEEN = /[\p{M}\p{Cf}]+/gu;
/** All marks are among them. Most letters of Europe, and the usual punctuation, are not. */
const PERHAPS_MARKS = /[\u0300-\u036f\u0483-\u0489\u0590-\u1fff\u2c00-\uffff]|[\u20d0-\u20ff]/;
/** Parts of syllables (Korean, and in the pairs that begin so Kirat Rai): all that is put together again once marks are gone. */
const PARTS = /[\u1100-\u11ff\ud81b]/;
const WORD = /[a-z\p{Script=Cyrillic}\p{Script=Greek}]+/gu;
const LATIN = /[a-z]/;
const FOREIGN = /[\p{Script=Cyrillic}\p{Script=Greek}]/u;
const LETTER = /[\p{L}\p{N}|@]/u;
const PLAIN = new Map([..."ıiłlßsøoæaœo".matchAll(/../gu)].map(([pair]) => [...pair] as [string, string]));

/** What a character is: a letter that stays as it is, or becomes another; part of no word; what ends a sentence; nothing. */
const IS_LATIN = 1;
const IS_FOREIGN = 2;
const IS_LETTER = 3;
const IS_PLAINER = 4;
const IS_APART = 5;
const IS_SPACE = 6;
const IS_LINE_END = 7;
const IS_STOP = 8;
const IS_DROPPED = 9;

const kindOf = characterKinds((character) => {
  if (LATIN.test(character)) return IS_LATIN;
  if (PLAIN.has(character)) return IS_PLAINER;
  if (LETTER.test(character)) return FOREIGN.test(character) ? IS_FOREIGN : IS_LETTER;
  // Between letters, joiners and soft hyphens show nothing.
  if (/[\p{M}\p{Cf}]/u.test(character)) return IS_DROPPED;
  if (character === "\n") return IS_LINE_END;
  if (/\s/.test(character)) return IS_SPACE;
  return /[.!?。！？;…]/.test(character) ? IS_STOP : IS_APART;
});

const isHalf = (unit: number) => (unit & 0xf800) === 0xd800;

function withoutLookalikes(word: string): string {
  if (!LATIN.test(word) || !FOREIGN.test(word)) return word;
  return word.replace(/[^a-z]/gu, (letter) => LOOKALIKES.get(letter) ?? letter);
}

const SPACE = 0x20;
const END = SENTENCE_END.charCodeAt(0);

/** @param text in lower case; marks are separate characters */
function wordsOf(text: string): string {
  // Two units for each: a space before a letter, or before the sign of a sentence's end; and the spaces around all.
  const out = new Uint16Array(2 * text.length + 4);
  let size = 1;
  out[0] = SPACE;
  let units = 0;
  let isApart = false;
  let before = IS_APART;
  let isMixed = false;
  let lineEnds = 0;
  // In a run of stops, and whether one of them is followed by a character after which no space is written.
  let inStops = false;
  let isEnd = false;

  const endSentence = () => {
    out[size] = SPACE;
    out[size + 1] = END;
    size += 2;
    isApart = true;
  };
  const write = (unit: number) => {
    if (isApart) {
      out[size++] = SPACE;
      before = IS_APART;
      isApart = false;
    }
    out[size++] = unit;
    units |= unit;
  };

  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const point = isHalf(unit) ? (text.codePointAt(at) as number) : unit;
    const kind = kindOf(point);
    const isPair = point > 0xffff;
    if (isPair) at += 1;
    if (kind === IS_DROPPED) continue;
    const isUnspaced = unit >= UNSPACED_FROM;
    if (inStops) {
      isEnd ||= isUnspaced;
      if (kind === IS_STOP) continue;
      inStops = false;
      if (isEnd || kind === IS_SPACE || kind === IS_LINE_END) endSentence();
      else isApart = true;
    }
    if (kind === IS_LINE_END) {
      lineEnds += 1;
      if (lineEnds === 2) endSentence();
      isApart = true;
      continue;
    }
    if (kind === IS_SPACE) {
      isApart = true;
      continue;
    }
    lineEnds = 0;
    if (kind === IS_STOP) {
      [inStops, isEnd] = [true, false];
      continue;
    }
    if (kind === IS_APART) {
      isApart = true;
      continue;
    }
    const written = kind === IS_PLAINER ? (PLAIN.get(text[at] as string) as string).charCodeAt(0) : unit;
    const script = kind === IS_PLAINER ? IS_LATIN : kind;
    write(written);
    if (isPair) write(text.charCodeAt(at));
    if (script + before === IS_LATIN + IS_FOREIGN) isMixed = true;
    before = script;
  }
  if (inStops) endSentence();
  if (isApart) out[size++] = SPACE;
  out[size++] = SPACE;
  const words =
    units > 0xff
      ? Buffer.from(out.buffer, 0, 2 * size).toString("utf16le")
      : Buffer.from(out.subarray(0, size)).toString("latin1");
  return isMixed ? words.replace(WORD, withoutLookalikes) : words;
}

/** Before a text is normalized: that takes quadratic time for a long row of marks. */
const unmarked = (text: string) => (PERHAPS_MARKS.test(text) ? text.replace(MARKS, "") : text);

/** A text without marks and invisible characters, and with one form of each letter. 512 KiB characters are read. */
export function bare(text: string): string {
  const read = text.slice(0, READ_CHARS);
  if (isAscii(read)) return read;
  return unmarked(read).normalize("NFKD").slice(0, READ_CHARS).replace(UNSEEN, "").normalize("NFC");
}

function normalized(text: string): string {
  const folded = unmarked(text).normalize("NFKD").slice(0, READ_CHARS).toLowerCase();
  return PARTS.test(folded) ? folded.replace(MARKS, "").normalize("NFC") : folded;
}

/**
 * Lower case without marks, look-alikes and punctuation; one space between words, `|` between sentences. Starts and ends with a
 * space. 512 KiB characters are read.
 */
export function plain(text: string): string {
  const read = text.slice(0, READ_CHARS);
  return wordsOf(isAscii(read) ? read.toLowerCase() : normalized(read));
}
