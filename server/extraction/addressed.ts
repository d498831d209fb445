// Finds orders to a machine that a text addresses: "To the AI that reads this mailbox: …". What is ordered there, a person may say to a
// person; who is addressed makes it an order to a machine.
import {
  APPROVE,
  ATTACHED,
  CONDITIONS,
  DOUBTFUL,
  ERASE,
  entriesOf,
  HIDE,
  IGNORE,
  KEPT_FROM,
  KINDS,
  LETTERS,
  MACHINES,
  NOT,
  NOTES,
  PEOPLE_AROUND,
  RULES,
  SEND,
  SPOKEN_ABOUT,
  STARTS,
  TELL,
  THINGS,
  THIS_IS,
  THIS_MAIL,
  TO_WHOM,
  UNASKED,
  WITH,
  type Words,
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
const AROUND_CHARS = 30;

const escaped = (text: string) => text.replace(/[.*+?^${}()[\]\\]/g, "\\$&");

/** An entry in the form of `plain`. */
function beginningOf(entry: string): string {
  const words = entry === "@" ? "@" : plain(entry).trim();
  return `${words === "@" || ATTACHED.test(words) ? "" : " "}${escaped(words)}${entry.endsWith(" ") ? " " : ""}`;
}
/** The words of a part of a line, with one blank around them. */
const wordsIn = (text: string) => ` ${plain(text).trim()} `;
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
const KIND = `[\\s-]{0,2}(?:${KIND_WORDS})\\p{L}{0,12}`;
/** A machine by its letters, as they are written. */
const BY_LETTERS = new RegExp(`${NO_WORD}(?:${LETTERS})(?![\\p{Lu}\\p{N}@]|\\.\\p{L}|\\p{Script=Latin})`, "gu");
/** What it is, behind its letters and behind its name, in lower case. */
const KIND_OF_LETTERS = new RegExp(`(?:${KIND}|-\\p{L}{1,20})?`, "uy");
const KIND_OF_NAME = new RegExp(`\\p{L}{0,12}(?:${KIND})?`, "uy");
/** A machine by its name, in lower case. */
const BY_NAME = new RegExp(
  `(?<![a-z\\u00df-\\u024f\\u0370-\\u052f\\u1e00-\\u1fff\\d@.-])(?:${entriesOf(MACHINES).map(nameOf).join("|")})`,
  "g",
);

/** Thai has no spaces between words, so that no phrase is looked for within a sentence. */
const THAI = entriesOf(MACHINES).filter((name) => /\p{Script=Thai}/u.test(name));
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
const THIS = anyOf(THIS_MAIL);
/** At the end of what stands before a machine, perhaps with an article behind it. */
const ABOUT = new RegExp(
  `(?:${entriesOf(SPOKEN_ABOUT)
    .map(beginningOf)
    .map((begins) => (begins.endsWith(" ") ? begins : `${begins}\\S* `))
    .join("|")})(?:\\S{1,5} )?$`,
  "u",
);
const USED = new RegExp(`(?<!(?:${KIND_WORDS})\\S*)(?:${listOf(WITH)})(?:\\S{1,4} )?$`, "u");
/** Before a machine that is called by its name alone. */
const ARTICLE = /^ *[\p{Script=Latin}\p{Script=Greek}]{0,3} *$/u;
const DATIVE = new RegExp(`(?:${listOf(TO_WHOM)})|n[ae]k? $`, "u");
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
const yours = anyOf(YOURS);
const send = anyOf(SEND);
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

/** What addresses a machine: words that say it reads this mail, other words, or its name alone. */
type Address = "reader" | "words" | "name";

/** What stands before a machine since the sentence began, since the line did, and since the last comma. */
const startsOf = (before: string) =>
  [before, before.slice(before.lastIndexOf("\n") + 1), before.slice(before.lastIndexOf(",") + 1)].map(wordsIn);

/** Whether it begins with what is written to someone. */
function namesNote(start: string): boolean {
  const words = start.replace(THIS, " ").trim().split(" ");
  return NOTE.test(words.slice(0, OWN_KIND.test(start) ? THIS_NOTE_WORDS : NOTE_WORDS).join(" "));
}

/** Whom the sentence or line around the name of a machine addresses; undefined if it only speaks about one. */
function addressAt(text: string, at: number, end: number): Address | undefined {
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
  const starts = startsOf(before);
  const isMarked = MARKED.test(close?.[0] ?? "");
  const isStarted = starts.some(
    (start) => START.test(`${start.trimEnd()}${name}`) && start.trim().split(" ").length <= START_WORDS,
  );
  const isNote = starts.some(namesNote) || (isMarked && NOTE.test(rest));
  const whole = `${led}${name}${rest}`;
  const isIf = starts.some((start) => CONDITION.test(start)) || WITHIN.test(whole);
  if (isIf && (YOU_BEFORE.test(led) || YOU_BEHIND.test(rest))) return "reader";
  const isToReader = isStarted || isNote || isIf || (isMarked && (THIS.test(rest) || DATIVE.test(`${name}${rest}`)));
  if (isToReader && THIS.test(whole)) return "reader";
  if (IS_DOUBTFUL.test(name)) return undefined;
  if (isStarted || isNote)
    return isMarked || isGreeted || clause.length <= SHORT_CHARS || LINE_END.test(after) ? "words" : undefined;
  const isAlone = isMarked && (clause.trim() === "" || close?.[0] !== ":");
  const isBare = starts.some((start) => ARTICLE.test(start));
  return isBare && (isAlone || isGreeted) ? "name" : undefined;
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

/** Whether what follows an address orders what only a machine is ordered, or several things, of which one is enough for a reader. */
function hasOrder(passage: string, address: Address): boolean {
  const weak = nothing();
  // A title or a product may be called so.
  const isAlone = address === "name";
  const words = wordsOf(passage);
  findPhrases(words, weak);
  if (weak.weak.size > 0 || (isAlone && sendsAway(firstSentence(passage)))) return true;
  let isAboutMail = !isAlone;
  const acts = new Set<RegExp>();
  for (const sentence of words.split(SENTENCE_END)) {
    if (sentence.trim() === "") continue;
    if (ignore.test(sentence) && rules.test(sentence)) return true;
    if (unasked.test(sentence)) return true;
    if (keptFrom.test(sentence) && (hide.test(sentence) || (not.test(sentence) && tell.test(sentence)))) return true;
    if (things.test(sentence)) for (const act of ACTS) if (act.test(sentence)) acts.add(act);
    // Below a title, people are asked for something.
    if (isAlone && acts.size === 0) return false;
    isAboutMail ||= THIS.test(sentence);
  }
  return isAboutMail && acts.size >= (address === "reader" ? 1 : 2);
}

/** Where a machine is named in a text, and where the name ends. */
type Named = { at: number; end: number };

function nextLetters(text: string, lower: string, from: number): Named | undefined {
  BY_LETTERS.lastIndex = from;
  const found = BY_LETTERS.exec(text);
  return found ? withKind(KIND_OF_LETTERS, lower, found) : undefined;
}

function nextName(lower: string, from: number): Named | undefined {
  BY_NAME.lastIndex = from;
  const found = BY_NAME.exec(lower);
  return found ? withKind(KIND_OF_NAME, lower, found) : undefined;
}

function withKind(kind: RegExp, lower: string, found: RegExpExecArray): Named {
  kind.lastIndex = found.index + found[0].length;
  return { at: found.index, end: kind.lastIndex + (kind.exec(lower)?.[0].length ?? 0) };
}

/** The machines that a text names, in its order. */
function* machinesIn(text: string): Generator<Named> {
  // After `bare`, no letter has more code units in lower case.
  const lower = text.toLowerCase();
  let letters = nextLetters(text, lower, 0);
  let name = nextName(lower, 0);
  for (;;) {
    const next = letters && !(name && name.at < letters.at) ? letters : name;
    if (!next) return;
    yield next;
    if (letters && letters.at < next.end) letters = nextLetters(text, lower, next.end);
    if (name && name.at < next.end) name = nextName(lower, next.end);
  }
}

/**
 * Whether a text addresses a machine and orders it about, or names more machines than are looked at. Linear: of each of 1,000 machines a
 * bounded part is read.
 * @param isNamed phrases of its words name one
 */
export function ordersMachine(written: string, isNamed: boolean): boolean {
  const seen = DISGUISED.test(written) ? bare(written) : written;
  if (!isNamed && !(PERHAPS.test(seen) && IS_LETTERS.test(seen))) return false;
  const text = bare(seen);
  let named = 0;
  let addresses = 0;
  for (const { at, end } of machinesIn(text)) {
    named += 1;
    if (named > NAMED) return true;
    const address = addressAt(text, at, end);
    if (address === undefined) continue;
    addresses += 1;
    if (addresses > ADDRESSES || hasOrder(text.slice(end, end + ORDERED_CHARS), address)) return true;
  }
  return false;
}
