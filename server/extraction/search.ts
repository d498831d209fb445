// Full-text search: builds the tsvector of a message and the tsquery of a search. Both are built here and not by
// PostgreSQL's parser, so that they match in every locale, and no text can cause an error.
import { characterKinds } from "./characters.ts";
import { isAscii, limitMarks } from "./marks.ts";
import { wordTable } from "./word-table.ts";

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
/** Scripts without spaces, or with attached endings (Korean). */
const IN_RUN =
  /[[\p{L}\p{M}\p{N}]&&[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Bopo}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]]/v;
const IN_WORD = /[\p{L}\p{M}\p{N}]/u;
const SYMBOL = /\p{Extended_Pictographic}/u;

/** Ignores case, width, accents and invisible characters. */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const sane = limitMarks(text.toWellFormed().replace(UNSEEN, ""));
  const bare = sane.normalize("NFKD").replace(ACCENTS, "");
  return bare.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ").replaceAll("ı", "i").normalize("NFC");
}

/** What a character is part of: a word, a run of a script without spaces, itself alone, nothing. */
const IS_WORD = 1;
const IS_RUN = 2;
const IS_SYMBOL = 3;
const IS_NOTHING = 4;
type CharacterKind = typeof IS_WORD | typeof IS_RUN | typeof IS_SYMBOL | typeof IS_NOTHING;

const kindOf = characterKinds((character): CharacterKind => {
  if (IN_RUN.test(character)) return IS_RUN;
  if (IN_WORD.test(character)) return IS_WORD;
  return SYMBOL.test(character) ? IS_SYMBOL : IS_NOTHING;
});

/** Where the next character starts. */
const next = (text: string, at: number) => at + ((text.codePointAt(at) as number) > 0xffff ? 2 : 1);

/** Calls back for each word, run and symbol between two places of a folded text. */
function eachUnit(
  folded: string,
  from: number,
  to: number,
  visit: (start: number, end: number, isRun: boolean) => void,
): void {
  let start = from;
  let open: CharacterKind = IS_NOTHING;
  for (let at = from; at < to; ) {
    const point = folded.codePointAt(at) as number;
    const kind = kindOf(point);
    if (kind !== open || kind === IS_SYMBOL) {
      if (open !== IS_NOTHING) visit(start, at, open === IS_RUN);
      [start, open] = [at, kind];
    }
    at += point > 0xffff ? 2 : 1;
  }
  if (open !== IS_NOTHING) visit(start, to, open === IS_RUN);
}

/** `run`: of a script without spaces. */
type Unit = { text: string; run: boolean };

function unitsOf(folded: string): Unit[] {
  const units: Unit[] = [];
  eachUnit(folded, 0, folded.length, (start, end, run) => units.push({ text: folded.slice(start, end), run }));
  return units;
}

/** A run as all pairs of neighbours: any part of two or more characters is found by its pairs. */
function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** Where the first characters of a word end that has more of them; -1 if it has no more. */
function endOfBeginning(text: string, start: number, end: number): number {
  let at = start;
  for (let left = PREFIX_CHARS_MIN; left > 0 && at < end; left -= 1) at = next(text, at);
  return at < end ? at : -1;
}

/** @param text folded fields, one after the other */
function createVector(text: string) {
  const words = wordTable(text);
  const beginnings = wordTable(text);
  const entries: string[] = [];
  /** Of each word, by its number: where its entry is, and how many positions that has. */
  const places: number[] = [];
  const counts: number[] = [];
  const isNarrow = isAscii(text);
  let bytes = 0;
  let position = 0;

  function addEntry(word: string): void {
    // Up to four octets for the entry, its alignment and the count of positions; two for each position.
    bytes += (isNarrow ? word.length : Buffer.byteLength(word)) + 8;
    entries.push(`'${word}'`);
  }

  /** The number of a word that has an entry; -1 if it has none, because there is no room. */
  function idOf(start: number, end: number): number {
    if (bytes > VECTOR_BYTES) return -1;
    const id = words.idOf(start, end);
    if (id < places.length) return id;
    places.push(entries.length);
    counts.push(0);
    addEntry(text.slice(start, end));
    return id;
  }

  function addBeginning(start: number, end: number): void {
    const stop = endOfBeginning(text, start, end);
    if (stop < 0 || bytes > VECTOR_BYTES) return;
    const known = beginnings.size();
    if (beginnings.idOf(start, stop) === known) addEntry(`${BEGINS}${text.slice(start, stop)}`);
  }

  function addWord(start: number, end: number, weight: string): void {
    const known = places.length;
    const id = idOf(start, end);
    if (id < 0) return;
    const count = counts[id] as number;
    if (position <= POSITION_MAX && count < POSITIONS_OF_A_WORD) {
      counts[id] = count + 1;
      entries[places[id] as number] += `${count === 0 ? ":" : ","}${position}${weight}`;
      bytes += 2;
    }
    if (id === known) addBeginning(start, end);
  }

  /** As all its characters and pairs of neighbours: any part of two or more characters is found by its pairs. */
  function addRun(start: number, end: number): void {
    for (let at = start; at < end; at = next(text, at)) idOf(at, next(text, at));
    for (let at = start, middle = next(text, at); middle < end; at = middle, middle = next(text, at))
      idOf(at, next(text, middle));
  }

  return {
    addField(from: number, to: number, weight: string): void {
      eachUnit(text, from, to, (start, end, isRun) => {
        position += 1;
        if (isRun) addRun(start, end);
        else if (end - start <= WORD_CHARS) addWord(start, end, weight);
      });
      position += FIELD_GAP;
    },
    text: () => entries.join(" "),
  };
}

/**
 * The words of a message with their places, as the text of a tsvector; for `searchVector`. Pure, and linear in its input.
 * Text in Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese is indexed by characters and pairs of them: a dictionary
 * would cut the same words differently in another sentence or another release, and then not find them.
 * @param bodyChars how much of the body counts
 */
export function searchText(parts: SearchParts, bodyChars = TEXT_CHARS): string {
  const to = parts.to.slice(0, ADDRESSES_CHARS).join(" ");
  const fields = [
    { text: fold(parts.from.slice(0, LINE_CHARS)), weight: WEIGHTS.from },
    { text: fold((parts.fromName ?? "").slice(0, LINE_CHARS)), weight: WEIGHTS.from },
    { text: fold(to.slice(0, ADDRESSES_CHARS)), weight: WEIGHTS.to },
    { text: fold(parts.subject.slice(0, LINE_CHARS)), weight: WEIGHTS.subject },
    { text: fold(parts.body.slice(0, bodyChars)), weight: WEIGHTS.body },
  ];
  const vector = createVector(fields.map(({ text }) => text).join(""));
  let from = 0;
  for (const { text, weight } of fields) {
    vector.addField(from, from + text.length, weight);
    from += text.length;
  }
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
    const units = unitsOf(quoted ?? plain);
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
