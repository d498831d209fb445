// Full-text search: builds the tsvector of a message and the tsquery of a search. Both are built here and not by
// PostgreSQL's parser, so that they match in every locale, and no text can cause an error.
import { isAscii, limitMarks } from "./marks.ts";

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
/**
 * A word of a query with so many characters also matches longer ones. A longer word is indexed with its first characters too:
 * a search of the index for everything that begins with a text would read the mail of all organizations (decision 053).
 */
const PREFIX_CHARS_MIN = 4;
const BEGINNING = /^.{4}(?=.)/u;
/** Precedes the first characters of a longer word in the index. No word has it. */
const BEGINS = "^";
/** Weights of PostgreSQL, for the rank: a word in the subject counts most, one in the body (no letter) least. */
const WEIGHTS = { subject: "A", from: "B", to: "C", body: "" } as const;

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

const ASCII_UNITS = /[a-z0-9]+/g;

/** Ignores case, width, accents and invisible characters. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const sane = limitMarks(text.toWellFormed().replace(UNSEEN, ""));
  const bare = sane.normalize("NFKD").replace(ACCENTS, "");
  return bare.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ").replaceAll("ı", "i").normalize("NFC");
}

/** `run`: of a script without spaces. */
type Unit = { text: string; run: boolean };

function* unitsOf(folded: string): Generator<Unit, void> {
  if (isAscii(folded)) {
    for (const text of folded.match(ASCII_UNITS) ?? []) yield { text, run: false };
    return;
  }
  for (const [text, run] of folded.matchAll(UNITS)) yield { text, run: run !== undefined };
}

/** A run as all pairs of neighbours: any part of two or more characters is found by its pairs. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

function createVector() {
  const positions = new Map<string, string[]>();
  let bytes = 0;
  let position = 0;

  /** @returns whether the word is new */
  function add(word: string, at: number | undefined, weight = ""): boolean {
    if (bytes > VECTOR_BYTES) return false;
    const known = positions.get(word);
    const places = known ?? [];
    // Up to four octets for the entry, its alignment and the count of positions; two for each position.
    if (!known) bytes += Buffer.byteLength(word) + 8;
    if (at !== undefined && at <= POSITION_MAX && places.length < POSITIONS_OF_A_WORD) {
      places.push(`${at}${weight}`);
      bytes += 2;
    }
    if (!known) positions.set(word, places);
    return !known;
  }
  return {
    addField(text: string, maxChars: number, weight: string): void {
      for (const { text: unit, run } of unitsOf(fold(text.slice(0, maxChars)))) {
        position += 1;
        if (run) for (const part of new Set([...unit, ...pairsOf(unit)])) add(part, undefined);
        else if (unit.length <= WORD_CHARS && add(unit, position, weight)) {
          const [beginning] = BEGINNING.exec(unit) ?? [];
          if (beginning) add(`${BEGINS}${beginning}`, undefined);
        }
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
  vector.addField(parts.from, LINE_CHARS, WEIGHTS.from);
  vector.addField(parts.fromName ?? "", LINE_CHARS, WEIGHTS.from);
  vector.addField(parts.to.slice(0, ADDRESSES_CHARS).join(" "), ADDRESSES_CHARS, WEIGHTS.to);
  vector.addField(parts.subject, LINE_CHARS, WEIGHTS.subject);
  vector.addField(parts.body, bodyChars, WEIGHTS.body);
  return vector.text();
}

/**
 * One word or phrase of a query. `units`: folded. `isExcluded`: it must not be there. `isPrefix`: its last word also matches
 * longer words that begin with it.
 */
export type Term = { units: Unit[]; isExcluded: boolean; isPrefix: boolean };

/** Words and runs as a tsquery. Words that follow each other must do so in the text. */
function unitsQuery(units: readonly Unit[], last: (word: string) => string): string {
  const wanted: string[] = [];
  let phrase = "";
  let distance = 0;
  for (const [i, { text: unit, run }] of units.entries()) {
    distance += 1;
    if (run) {
      const pairs = pairsOf(unit);
      wanted.push(...(pairs.length > 0 ? pairs : [unit]).map((part) => `'${part}'`));
      continue;
    }
    const word = unit.length <= WORD_CHARS ? unit : NO_WORD;
    const matched = i === units.length - 1 ? last(word) : `'${word}'`;
    phrase += phrase === "" ? matched : ` <${distance}> ${matched}`;
    distance = 0;
  }
  if (phrase !== "") wanted.push(`(${phrase})`);
  return wanted.join(" & ");
}

/** A term as a tsquery that matches exactly what it means. */
function termQuery({ units, isPrefix }: Term): string {
  return unitsQuery(units, (word) => (isPrefix ? `'${word}':*` : `'${word}'`));
}

/** A term as a tsquery for the index, which looks for whole words. It may match more than the term. */
function termKey(term: Term): string {
  const { units, isPrefix } = term;
  const beginning = [...(units.at(-1)?.text ?? "")].slice(0, PREFIX_CHARS_MIN).join("");
  if (!isPrefix) return termQuery(term);
  const before = unitsQuery(units.slice(0, -1), (word) => `'${word}'`);
  // A word of just so many characters is indexed as itself alone.
  return [`('${BEGINS}${beginning}' | '${beginning}')`, ...(before ? [before] : [])].join(" & ");
}

/** A quoted phrase (to the end if it is not closed) or text between blanks, with an optional minus. */
const TERMS = /(-?)(?:"([^"]*)"?|(\S+))/g;
const QUOTES = /[“”„«»]/g;

/** What a caller asks for: alternatives, each with terms. Quoted and excluded words match only themselves. */
export function readTerms(q: string): Term[][] {
  const alternatives: Term[][] = [[]];
  for (const [, minus, quoted, plain = ""] of fold(q).replace(QUOTES, '"').matchAll(TERMS)) {
    if (plain === "or" && minus === "") {
      alternatives.push([]);
      continue;
    }
    const units = [...unitsOf(quoted ?? plain)];
    const isExcluded = minus !== "";
    const { text = "", run = false } = units.at(-1) ?? {};
    const isLong = !run && text.length <= WORD_CHARS && [...text].length >= PREFIX_CHARS_MIN;
    const isPrefix = isLong && !isExcluded && quoted === undefined;
    if (units.length > 0) alternatives.at(-1)?.push({ units, isExcluded, isPrefix });
  }
  return alternatives.filter((terms) => terms.length > 0);
}

/**
 * One search as texts of tsqueries. `key`: what the index finds, which may be more than matches. `rank`: its words as
 * alternatives; ranking words that must all be there takes quadratic time.
 */
export type SearchQuery = { exact: string; key: string; rank: string };

/**
 * What a caller asks for: words must all be there, `"a phrase"` in that order, `or` between alternatives, `-` before what
 * must not be there. Everything else only separates words.
 * @returns undefined when it names no word
 */
export function readQuery(q: string): SearchQuery | undefined {
  const alternatives = readTerms(q);
  const query = (form: (term: Term) => string) =>
    alternatives
      .map((terms) => `(${terms.map((term) => `${term.isExcluded ? "!" : ""}(${form(term)})`).join(" & ")})`)
      .join(" | ");
  if (alternatives.length === 0) return;
  const wanted = alternatives.flat().filter(({ isExcluded }) => !isExcluded);
  const words = wanted.flatMap((term) => term.units.map((unit) => termQuery({ ...term, units: [unit] })));
  return { exact: query(termQuery), key: query(termKey), rank: words.join(" | ") };
}
