// Full-text search: builds the tsvector of a message and the tsquery of a search. Both are built here and not by
// PostgreSQL's parser, so that they match in every locale, and no text can cause an error.
import { limitMarks } from "./marks.ts";

/** For inbound mail, which is processed in a thread. */
const TEXT_CHARS = 200_000;
/**
 * For outbound messages, which are indexed on the main thread: hostile text of 50,000 characters took over 80 ms of it.
 */
export const OUTBOUND_TEXT_CHARS = 20_000;
const ADDRESSES_CHARS = 20_000;
const LINE_CHARS = 1_000;
/** A longer word is not indexed. PostgreSQL allows 2,046 bytes, which are more than this in any script. */
const WORD_CHARS = 255;
/** Replaces such a word in a query: no text contains it, because it has a space. */
const NO_WORD = "too long";
/**
 * A tsvector may have 1 MiB of words and positions (PostgreSQL §8.11); beside the rest of a row, much less is enough.
 */
const VECTOR_BYTES = 512 * 1024;
/** PostgreSQL stores no higher position and no more of one word: phrases are found up to here. */
const POSITION_MAX = 16_383;
const POSITIONS_OF_A_WORD = 255;
/** Between two fields, so that no phrase matches across them. */
const FIELD_GAP = 2;

type SearchParts = {
  from: string;
  fromName: string | null;
  to: string[];
  subject: string;
  /** The visible text: plain text, never HTML. */
  body: string;
};

// Diacritics that searches ignore: é is found as e, й as и.
const ACCENTS = /[\u0300-\u036f]/g;
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu;
/** Scripts without spaces, or with attached endings (Korean), in runs; other words; single symbols. */
const UNITS =
  /([[\p{L}\p{M}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+)|[[\p{L}\p{M}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]+|\p{Extended_Pictographic}/gv;

/** Ignores case, width, accents and invisible characters. */
function fold(text: string): string {
  const sane = limitMarks(text.toWellFormed().replace(UNSEEN, ""));
  const bare = sane.normalize("NFKD").replace(ACCENTS, "");
  return bare.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ").replaceAll("ı", "i").normalize("NFC");
}

type Unit = { text: string; run: boolean };

function* unitsOf(folded: string): Generator<Unit, void> {
  for (const [text, run] of folded.matchAll(UNITS)) yield { text, run: run !== undefined };
}

/** A run as all pairs of neighbours: any part of two or more characters is found by its pairs. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

function createVector() {
  const positions = new Map<string, number[]>();
  let bytes = 0;
  let position = 0;

  function add(word: string, at: number | undefined): void {
    if (bytes > VECTOR_BYTES) return;
    const known = positions.get(word);
    const places = known ?? [];
    // Up to four octets for the entry, its alignment and the count of positions; two for each position.
    if (!known) bytes += Buffer.byteLength(word) + 8;
    if (at !== undefined && at <= POSITION_MAX && places.length < POSITIONS_OF_A_WORD) {
      places.push(at);
      bytes += 2;
    }
    if (!known) positions.set(word, places);
  }
  return {
    addField(text: string, maxChars: number): void {
      for (const { text: unit, run } of unitsOf(fold(text.slice(0, maxChars)))) {
        position += 1;
        if (run) for (const part of new Set([...unit, ...pairsOf(unit)])) add(part, undefined);
        else if (unit.length <= WORD_CHARS) add(unit, position);
      }
      position += FIELD_GAP;
    },
    text(): string {
      return [...positions].map(([word, at]) => (at.length > 0 ? `'${word}':${at.join(",")}` : `'${word}'`)).join(" ");
    },
  };
}

/**
 * The words of a message with their places, as the text of a tsvector; for `searchVector`. Pure, and linear in its input.
 * Text in Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese is indexed by characters and pairs of them: a dictionary
 * would cut the same words differently in another sentence or another release, and then not find them.
 * @param bodyChars how much of the body counts
 */
export function searchText(parts: SearchParts, bodyChars = TEXT_CHARS): string {
  const vector = createVector();
  vector.addField(parts.from, LINE_CHARS);
  vector.addField(parts.fromName ?? "", LINE_CHARS);
  vector.addField(parts.to.slice(0, ADDRESSES_CHARS).join(" "), ADDRESSES_CHARS);
  vector.addField(parts.subject, LINE_CHARS);
  vector.addField(parts.body, bodyChars);
  return vector.text();
}

/** One word, phrase or run as a tsquery; undefined if it has no word. */
function termQuery(text: string): string | undefined {
  const wanted: string[] = [];
  let phrase = "";
  let distance = 0;
  for (const { text: unit, run } of unitsOf(text)) {
    distance += 1;
    if (run) {
      const pairs = pairsOf(unit);
      wanted.push(...(pairs.length > 0 ? pairs : [unit]).map((part) => `'${part}'`));
      continue;
    }
    const word = unit.length <= WORD_CHARS ? unit : NO_WORD;
    phrase += phrase === "" ? `'${word}'` : ` <${distance}> '${word}'`;
    distance = 0;
  }
  if (phrase !== "") wanted.push(`(${phrase})`);
  return wanted.length === 0 ? undefined : wanted.join(" & ");
}

/** A quoted phrase (to the end if it is not closed) or text between blanks, with an optional minus. */
const TERMS = /(-?)(?:"([^"]*)"?|(\S+))/g;
const QUOTES = /[“”„«»]/g;

/**
 * What a caller asks for as the text of a tsquery: words must all be there, `"a phrase"` in that order, `or` between
 * alternatives, `-` before what must not be there. Everything else only separates words.
 * @returns undefined when it names no word
 */
export function readQuery(q: string): string | undefined {
  const alternatives: string[][] = [[]];
  for (const [, minus, quoted, plain = ""] of fold(q).replace(QUOTES, '"').matchAll(TERMS)) {
    if (plain === "or" && minus === "") {
      alternatives.push([]);
      continue;
    }
    const term = termQuery(quoted ?? plain);
    if (term) alternatives.at(-1)?.push(minus ? `!(${term})` : `(${term})`);
  }
  const filled = alternatives.filter((terms) => terms.length > 0).map((terms) => `(${terms.join(" & ")})`);
  return filled.length === 0 ? undefined : filled.join(" | ");
}
