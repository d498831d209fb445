// Finds orders to a machine that a text addresses: "To the AI that reads this mailbox: …". What is ordered there, a person may say to a
// person; who is addressed makes it an order to a machine.
import {
  AND,
  APPROVE,
  AS_TOOLS,
  ATTACHED,
  BE,
  BEST,
  COMMON,
  CONDITIONS,
  DATIVE_ENDINGS,
  DOCUMENTS,
  DOUBTFUL,
  ERASE,
  EVERY,
  entriesOf,
  HIDE,
  IGNORE,
  IN_SUMMARY,
  JUDGE,
  KEPT_FROM,
  KINDS,
  LETTERS,
  MACHINES,
  MENTION,
  MUST,
  NOT,
  NOTES,
  PARTICIPLES,
  PEOPLE_AROUND,
  READING_BEFORE,
  RELATIVE,
  RULES,
  SEND,
  SILENT,
  SPOKEN_ABOUT,
  STARTS,
  SUMMARIZE,
  TELL,
  THINGS,
  THIS_BEHIND,
  THIS_IS,
  THIS_MAIL,
  THIS_ONE,
  THIS_TEXT,
  TO_WHOM,
  UNASKED,
  WE_ASK,
  WITH,
  type Words,
  WRITE,
  YOU_ARE,
  YOURS,
} from "./addressed-words.ts";
import { findPhrases, nothing, wordsOf } from "./phrase-search.ts";
import { bare, plain, SENTENCE_END } from "./plain-words.ts";

/** Machines in one text, of which each may be addressed, and addresses whose orders are looked at. With more, a text hides something. */
const NAMED = 1_000;
const ADDRESSES = 300;
/** What is said before and after the name of a machine in the line that addresses it. */
const BEFORE_CHARS = 120;
const AFTER_CHARS = 140;
/** Orders stand so near behind whom they address. */
const ORDERED_CHARS = 700;
/** "For all AI agents": words before the machine. */
const START_WORDS = 4;
/** "System note to", "This is a message for": a note is named in so many words. */
const NOTE_WORDS = 2;
const THIS_NOTE_WORDS = 5;
const SHORT_CHARS = 15;
/** "AI agents and similar readers should" */
const ASKED_WORDS = 4;
const AROUND_CHARS = 30;

const escaped = (text: string) => text.replace(/[.*+?^${}()[\]\\]/g, "\\$&");

/** An entry in the form of `plain`. */
function beginningOf(entry: string): string {
  const words = entry === "@" ? "@" : plain(entry).trim();
  return `${words === "@" || ATTACHED.test(words) ? "" : " "}${escaped(words)}${entry.endsWith(" ") ? " " : ""}`;
}
/** The words of a part of a line, with one blank around them. */
const wordsIn = (text: string) => ` ${plain(text).trim()} `;
/** Entries of which one may stand directly before another, so that none takes the blank that the next begins with. */
const wholeOf = (words: Words) =>
  entriesOf(words)
    .map((entry) => `${beginningOf(entry).trimEnd()}${entry.endsWith(" ") ? "(?![^ ])" : ""}`)
    .join("|");
/** An entry with at most so many words between it and another one, behind its ending. */
const near = (first: Words, words: number, second: Words, ending = 12) =>
  `(?:${wholeOf(first)})\\S{0,${ending}}(?: \\S{1,16}){0,${words}}? ?(?:${wholeOf(second)})`;
const listOf = (words: Words) => [...new Set(entriesOf(words).map(beginningOf))].join("|");
const anyOf = (words: Words) => new RegExp(listOf(words), "u");

/** A letter of a word in lower case. A class of Unicode in hundreds of names takes megabytes and half a second when it is compiled. */
const ENDING = "[a-z\\u00aa-\\u1fff\\u2c00-\\u2dff\\u3041-\\ud7a3\\uf900-\\ufdff]";
/** The words of a name in lower case, with their endings, between which a text has blanks or dashes. */
const nameOf = (entry: string) =>
  bare(entry)
    .split(" ")
    .map(escaped)
    .join(ATTACHED.test(entry) ? `${ENDING}{0,4}[\\s-]{0,3}` : `${ENDING}{0,8}[\\s-]{1,3}`);
/** Before letters no word of a script with spaces goes on. */
const NO_WORD = "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}@.]|[A-Za-z]-)";
const KIND_WORDS = entriesOf(KINDS).map(bare).join("|");
/** An ending. In scripts without spaces, the next word would be taken for one. */
const ENDINGS = "(?:(?![\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}])\\p{L}){0,12}";
const KIND = `[\\s-]{0,2}(?:${KIND_WORDS})${ENDINGS}`;
/** A machine by its letters, as they are written. */
const BY_LETTERS = new RegExp(`${NO_WORD}(?:${LETTERS})(?![\\p{Lu}\\p{N}@]|\\.\\p{L}|\\p{Script=Latin})`, "gu");
/** What it is, behind its letters and behind its name, in lower case. */
const KIND_OF_LETTERS = new RegExp(`(?:${KIND}|-\\p{L}{1,20})?`, "uy");
const KIND_OF_NAME = new RegExp(`${ENDINGS}(?:${KIND})?`, "uy");
/** A machine by its name, in lower case. */
const BY_NAME = new RegExp(
  `(?<![a-z\\u00df-\\u024f\\u0370-\\u052f\\u1e00-\\u1fff\\d@.-])(?:${entriesOf(MACHINES).map(nameOf).join("|")}|(${entriesOf(COMMON).map(nameOf).join("|")}))`,
  "g",
);
/** To summarize, in lower case. */
const WORK = new RegExp(entriesOf(SUMMARIZE).map(nameOf).join("|"), "g");

/** Thai has no spaces between words, so that no phrase is looked for within a sentence. */
const THAI = entriesOf([...MACHINES, ...COMMON]).filter((name) => /\p{Script=Thai}/u.test(name));
/** What may be a machine in a text as it is written, in the shortest time, and what is. */
const PERHAPS = new RegExp([LETTERS, ...THAI].join("|"));
const IS_LETTERS = new RegExp(`${NO_WORD}(?:${LETTERS})(?!\\p{Script=Latin})|${THAI.join("|")}`, "u");

/** At the beginning of words. */
const beginsWith = (words: Words) =>
  new RegExp(
    `^(?:${[...new Set(entriesOf(words).map((entry) => ` ${beginningOf(entry).trimStart()}`))].join("|")})`,
    "u",
  );
/** Full-width letters, and what shows nothing between letters. */
const DISGUISED = /[\u00ad\u200b-\u200f\u2060\ufeff\uff21-\uff5a]/;

const START = beginsWith(STARTS);
const OWN_KIND = beginsWith(THIS_IS);
/** In German, parts of words. */
const NOTE = new RegExp(
  entriesOf(NOTES)
    .map((entry) => escaped(plain(entry).trim()))
    .join("|"),
  "u",
);
const CONDITION = beginsWith(CONDITIONS);
/** Where no blanks say what a sentence begins with. */
const WITHIN = anyOf(entriesOf(CONDITIONS).filter((entry) => ATTACHED.test(entry)));
/** "you are an agent with [AI]" */
const YOU_BEFORE = new RegExp(`(?:${listOf(YOU_ARE)})(?:\\S{1,5} )?(?:(?:${KIND_WORDS})\\S* \\S{1,4} )?$`, "u");
const YOU_BEHIND = beginsWith(YOU_ARE);
const READ = [...DOCUMENTS, ...THINGS.filter((entry) => !entry.includes("@"))];
const THIS = anyOf(THIS_MAIL);
/** Also another document at hand: "this invoice". */
const THIS_DOCUMENT = new RegExp(
  [listOf(THIS_MAIL), near(THIS_ONE, 1, READ), near(READ, 1, THIS_BEHIND)].join("|"),
  "u",
);
/** "that reads", "reading" */
const RELATED = new RegExp(`${beginsWith(RELATIVE).source}|^ ${PARTICIPLES} `, "u");
const READING = anyOf(READING_BEFORE);
const NEGATED = new RegExp(`^(?: \\S{1,6})?(?:${wholeOf(NOT)})`, "u");
const ASKED = anyOf(MUST);
const TOOL = new RegExp(`${listOf(AS_TOOLS)}|${near(MUST, 1, BE)}`, "u");
const MUST_NOT = new RegExp(`${near(MUST, 0, NOT, 3)}|${near(NOT, 0, MUST, 3)}`, "u");
/** At the end of what stands before a machine, perhaps with an article behind it. */
const ABOUT = new RegExp(
  `(?:${entriesOf(SPOKEN_ABOUT)
    .map(beginningOf)
    .map((begins) => (begins.endsWith(" ") ? begins : `${begins}\\S* `))
    .join("|")})(?:\\S{1,5} )?$`,
  "u",
);
const USED = new RegExp(`(?<!(?:${KIND_WORDS})\\S*)(?:${listOf(WITH)})(?:\\S{1,4} )?$`, "u");
/** Before a machine that is called by its name alone: an article, another name, and what it is. */
const ARTICLE = new RegExp(
  `^(?:${listOf(EVERY)})? *[\\p{Script=Latin}\\p{Script=Greek}]{0,3} *(?:(?:\\S{2,16} ){1,2}(?:${entriesOf(AND).join("|")}) (?:\\S{4,9} )?)?(?:(?:${KIND_WORDS})\\S{0,12} (?:d[aei]? )?)?$`,
  "u",
);
const REQUESTED = new RegExp(`^ ?(?:${listOf(WE_ASK)})`, "u");
const DATIVE = new RegExp(`(?:${listOf(TO_WHOM)})|(?:${entriesOf(DATIVE_ENDINGS).join("|")}) $`, "u");
const PEOPLE = anyOf(PEOPLE_AROUND);
const IS_DOUBTFUL = anyOf(DOUBTFUL);

const ignore = anyOf(IGNORE);
const rules = anyOf(RULES);
const not = anyOf(NOT);
const tell = anyOf(TELL);
const hide = anyOf(HIDE);
const keptFrom = anyOf(KEPT_FROM);
const unasked = anyOf(UNASKED);
const things = anyOf(THINGS);
const documents = anyOf(READ);
const yours = anyOf(YOURS);
const send = anyOf(SEND);
const summarize = anyOf(SUMMARIZE);
const isLeftOut = new RegExp(`${near(NOT, 2, SUMMARIZE)}|${near(SUMMARIZE, 0, NOT)}`, "u");
const inSummary = anyOf(IN_SUMMARY);
const write = anyOf(WRITE);
const silence = new RegExp([near(NOT, 3, MENTION), near(MENTION, 5, NOT), listOf(SILENT)].join("|"), "u");
const ownText = new RegExp(listOf(THIS_TEXT), "gu");
const untold = new RegExp(near(NOT, 2, TELL), "u");
const judge = anyOf(JUDGE);
const judgeOrName = anyOf([...JUDGE, ...MENTION, "call "]);
const best = anyOf(BEST);
const ACTS = [send, anyOf(ERASE), anyOf(APPROVE)];
/** What is sent to an address, beside the address. */
const contents = anyOf(THINGS.filter((entry) => !entry.includes("@")));
/** An order begins with what is to be done, perhaps behind a polite word. In scripts without spaces it ends with it. */
const BEGINNING_CHARS = 24;
/** Marks, numbers and line breaks behind a name that ends its line. */
const BEFORE_WORDS = /^[^\p{L}]+/u;
/** A title ends with its line. */
const TITLE_END = /\n\s{0,20}(?:\n|(?=\p{Lu}))/u;

const BREAK = /^[\s\S]*(?:[.!?…。！？:：;{}[\]<>«»"“”„|#*]|\n\s*\n)/u;
const CLOSE = /[:：.!?…。！？\])}>#*=—–]|\n\s{0,20}\n|へ|에게/u;
const MARKED = /^[:：\])}>#*=—–へ에]/u;
/** "Dear AI," or "AI assistant," */
const GREETED = /^\s{0,3}(?:様|さん|님|您好|你好)?[,،，、!！]/u;
const LINE_END = /^[^\n.!?:]{0,12}\n/u;

/** A line that begins with a capital letter begins a sentence, below a signature. */
const ASKED_END = /;|\n\s{0,20}(?=\p{Lu})/u;

/** Whether a machine is asked for something: directly behind its name, or behind what says that it reads this. */
function isAsked(clause: string, led: string): boolean {
  const [part = ""] = clause.split(ASKED_END, 1);
  const rest = wordsIn(part);
  const asked = ASKED.exec(rest);
  if (!asked || TOOL.test(rest)) return false;
  const before = rest.slice(0, asked.index + 1);
  const isDirect = before.trim().split(" ").length <= ASKED_WORDS;
  return THIS_DOCUMENT.test(`${led}${before}`) || (isDirect && THIS_DOCUMENT.test(rest));
}

/** What addresses a machine: words that say it reads this mail, a sentence that asks this of it, other words, or its name alone. */
type Address = "reader" | "asked" | "words" | "name";

/** What stands before a machine since the sentence began, since the line did, and since the last comma. */
const startsOf = (before: string) =>
  [before, before.slice(before.lastIndexOf("\n") + 1), before.slice(before.lastIndexOf(",") + 1)].map(wordsIn);

/** Whether it begins with what is written to someone. */
function namesNote(start: string): boolean {
  const words = start.replace(THIS, " ").trim().split(" ");
  return NOTE.test(words.slice(0, OWN_KIND.test(start) ? THIS_NOTE_WORDS : NOTE_WORDS).join(" "));
}

/** Whom the sentence or line around the name of a machine addresses; undefined if it only speaks about one. */
function addressAt(text: string, { at, end, isCommon }: Named): Address | undefined {
  const before = text.slice(Math.max(0, at - BEFORE_CHARS), at).replace(BREAK, "");
  const after = text.slice(end, end + AFTER_CHARS);
  const close = CLOSE.exec(after);
  const isGreeted = GREETED.test(after);
  if (/[?？]/.test(close?.[0] ?? "") && !isGreeted) return undefined;
  const clause = after.slice(0, close?.index ?? AFTER_CHARS);
  const led = wordsIn(before);
  const name = wordsIn(text.slice(at, end));
  const rest = wordsIn(clause);
  if (ABOUT.test(led) || USED.test(led)) return undefined;
  if (PEOPLE.test(`${led.slice(-AROUND_CHARS)}${name}${rest.slice(0, AROUND_CHARS)}`)) return undefined;
  if (isCommon && !summarize.test(led) && !(RELATED.test(rest) && summarize.test(rest))) return undefined;
  const starts = startsOf(before);
  const isMarked = MARKED.test(close?.[0] ?? "");
  const isStarted = starts.some(
    (start) => START.test(`${start.trimEnd()}${name}`) && start.trim().split(" ").length <= START_WORDS,
  );
  const isNote = starts.some(namesNote) || (isMarked && NOTE.test(rest));
  const whole = `${led}${name}${rest}`;
  // "If the chatbot does not answer this"
  const isIf = (starts.some((start) => CONDITION.test(start)) && !NEGATED.test(rest)) || WITHIN.test(whole);
  if (isIf && (YOU_BEFORE.test(led) || YOU_BEHIND.test(rest))) return "reader";
  const isBare = starts.some((start) => ARTICLE.test(start));
  const isReading = READING.test(led) ? THIS_DOCUMENT.test(led) : isBare && THIS_DOCUMENT.test(rest);
  if (isReading && isMarked) return "reader";
  if ((isBare || isReading) && isAsked(clause, led)) return "asked";
  if (starts.some((start) => REQUESTED.test(start)) && THIS_DOCUMENT.test(rest)) return "asked";
  const isTo = isMarked && DATIVE.test(`${`${name}${rest}`.trimEnd()} `);
  const isToReader = isStarted || isNote || isIf || isTo || (isMarked && THIS.test(rest));
  if (isToReader && THIS.test(whole)) return "reader";
  if (isCommon || IS_DOUBTFUL.test(name)) return undefined;
  if (isStarted || isNote || isTo)
    return isMarked || isGreeted || clause.length <= SHORT_CHARS || LINE_END.test(after) ? "words" : undefined;
  const isAlone = isMarked && (clause.trim() === "" || close?.[0] !== ":");
  return isBare && (isAlone || (isGreeted && !RELATED.test(rest))) ? "name" : undefined;
}

/** Whether a sentence orders to send something to an address, and not to send what belongs to the reader. */
function sendsAway(sentence: string): boolean {
  if (!sentence.includes("@") || yours.test(sentence)) return false;
  if (ATTACHED.test(sentence.trimStart())) return send.test(sentence) && contents.test(sentence);
  const act = send.exec(sentence.slice(0, BEGINNING_CHARS));
  return act !== null && contents.test(sentence.slice(act.index + act[0].length - 1));
}

/** The words of the sentence or title that a passage begins with. */
function firstSentence(passage: string): string {
  const [title = ""] = passage.replace(BEFORE_WORDS, "").split(TITLE_END, 1);
  return wordsOf(title).split(SENTENCE_END, 1)[0] ?? "";
}

/** Whether a sentence orders how something is judged or described, or that something is not mentioned. */
function ordersDescription(sentence: string, isName: boolean): boolean {
  if (silence.test(sentence)) return true;
  if (isName && !THIS_DOCUMENT.test(sentence)) return false;
  return (
    (judge.test(sentence) && ASKED.test(sentence) && !MUST_NOT.test(sentence)) ||
    (best.test(sentence) && judgeOrName.test(sentence))
  );
}

/**
 * Whether what follows an address orders what only a machine is ordered, or several things, of which one is enough for a reader, and where
 * no person sees it.
 */
function hasOrder(passage: string, address: Address, isHidden: boolean): boolean {
  const weak = nothing();
  // A title or a product may be called so.
  const isAlone = address === "name" && !isHidden;
  const isReader = address === "reader" || address === "asked";
  const words = address === "asked" ? firstSentence(passage) : wordsOf(passage);
  findPhrases(words, weak);
  // Below a title, it is said of machines in general what they must do.
  if (isAlone) weak.weak.delete("duty");
  if (weak.weak.size > 0 || (isAlone && sendsAway(firstSentence(passage)))) return true;
  let isAboutMail = !isAlone;
  const acts = new Set<RegExp>();
  for (const sentence of words.split(SENTENCE_END)) {
    if (sentence.trim() === "") continue;
    if (ignore.test(sentence) && rules.test(sentence)) return true;
    if (unasked.test(sentence)) return true;
    if (inSummary.test(sentence) && write.test(sentence)) return true;
    if (!isAlone && isLeftOut.test(sentence)) return true;
    if (keptFrom.test(sentence) && (hide.test(sentence) || (not.test(sentence) && tell.test(sentence)))) return true;
    if (!isAlone && ordersDescription(sentence, address === "name")) return true;
    if (isReader && untold.test(sentence)) return true;
    if ((isReader ? documents : things).test(sentence)) for (const act of ACTS) if (act.test(sentence)) acts.add(act);
    // Below a title, people are asked for something.
    if (isAlone && acts.size === 0) return false;
    isAboutMail ||= THIS.test(sentence);
  }
  return isAboutMail && acts.size >= (isReader || isHidden ? 1 : 2);
}

/** Where a machine is named in a text, and where the name ends. `isCommon`: people and things have it, too. */
type Named = { at: number; end: number; isCommon: boolean };

function nextLetters(text: string, lower: string, from: number): Named | undefined {
  BY_LETTERS.lastIndex = from;
  const found = BY_LETTERS.exec(text);
  return found ? withKind(KIND_OF_LETTERS, lower, found) : undefined;
}

/** Leaves out names that are common, unless they stand near what says that something is summarized. */
function nameSearch(lower: string): (from: number) => Named | undefined {
  const work = Array.from(lower.matchAll(WORK), ({ index }) => index);
  let next = 0;
  return (from) => {
    BY_NAME.lastIndex = from;
    for (let found = BY_NAME.exec(lower); found; found = BY_NAME.exec(lower)) {
      const named = withKind(KIND_OF_NAME, lower, found);
      if (!named.isCommon) return named;
      while ((work[next] ?? Number.POSITIVE_INFINITY) < named.at - BEFORE_CHARS) next += 1;
      if ((work[next] ?? Number.POSITIVE_INFINITY) < named.end + AFTER_CHARS) return named;
    }
    return undefined;
  };
}

function withKind(kind: RegExp, lower: string, found: RegExpExecArray): Named {
  kind.lastIndex = found.index + found[0].length;
  const end = kind.lastIndex + (kind.exec(lower)?.[0].length ?? 0);
  return { at: found.index, end, isCommon: found[1] !== undefined };
}

/** The machines that a text names, in its order. */
function* machinesIn(text: string): Generator<Named> {
  // After `bare`, no letter has more code units in lower case.
  const lower = text.toLowerCase();
  let letters = nextLetters(text, lower, 0);
  const nextName = nameSearch(lower);
  let name = nextName(0);
  for (;;) {
    const next = letters && !(name && name.at < letters.at) ? letters : name;
    if (!next) return;
    yield next;
    if (letters && letters.at < next.end) letters = nextLetters(text, lower, next.end);
    if (name && name.at < next.end) name = nextName(next.end);
  }
}

/**
 * Whether a text addresses a machine and orders it about, or names more machines than are looked at. Linear: of each of 1,000 machines a
 * bounded part is read.
 * @param isHidden it is not seen, so that people are not meant
 * @param isNamed phrases of its words name one
 */
export function ordersMachine(written: string, isNamed: boolean, isHidden: boolean): boolean {
  const seen = DISGUISED.test(written) ? bare(written) : written;
  if (!isNamed && !(PERHAPS.test(seen) && IS_LETTERS.test(seen))) return false;
  const text = bare(seen);
  let named = 0;
  let addresses = 0;
  for (const machine of machinesIn(text)) {
    named += 1;
    if (named > NAMED) return true;
    const address = addressAt(text, machine);
    if (address === undefined) continue;
    addresses += 1;
    if (addresses > ADDRESSES || hasOrder(text.slice(machine.end, machine.end + ORDERED_CHARS), address, isHidden))
      return true;
  }
  return false;
}

/** How often a text speaks about itself is limited: each costs time. */
const OWN_TEXTS = 300;
const OWN_CHARS = 60;

/** Whether a text that is not seen orders that nothing is said of it. People are not meant: they do not see it. */
export function hidesItself(written: string): boolean {
  const words = wordsOf(written);
  let left = OWN_TEXTS;
  for (const { index, 0: found } of words.matchAll(ownText)) {
    left -= 1;
    if (left < 0) return true;
    const before = words.slice(Math.max(0, index - OWN_CHARS), index);
    const behind = words.slice(index, index + found.length + OWN_CHARS).split(SENTENCE_END, 1)[0] ?? "";
    if (silence.test(before.slice(before.lastIndexOf(SENTENCE_END) + 1) + behind)) return true;
  }
  return false;
}
