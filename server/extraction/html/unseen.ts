// Collects the hidden text of a mail: how many letters, how they are hidden, and the text, to search it for
// instructions.
import { tokenize } from "./html-tokens.ts";
import type { Hiding } from "./look.ts";

const KEPT_CHARS = 256 * 1024;
/** So many consecutive words are a sentence, also within code. */
const SENTENCE_WORDS = 6;
const SENTENCE_CHARS = 2 * SENTENCE_WORDS - 1;
const WORD = /^[\p{L}\p{M}'’-]+[,.;:!?]*$/u;
const NOT_LETTERS = /[^\p{L}\p{N}]+/gu;
/** Counting stops there. */
const LETTERS_MAX = 10_000;
const TITLES = 5;
const TITLE_CHARS = 300;
/** Of a newsletter's preheader. Mail programs show about the first 100 in the list of mails. */
const USUAL_LETTERS = 200;
const SPACER_LETTERS = 10;

/**
 * `usual`: a short text hidden like a newsletter's preview line, or notes in the source (comments, titles).
 * `deceptive`: hidden in a way without a legitimate use, or longer.
 */
export type UnseenKind = "none" | "usual" | "deceptive";
/**
 * `text`: hidden text and attribute texts; `code`: scripts, style sheets and other attributes; 256 KiB characters of
 * each.
 */
export type Unseen = { kind: UnseenKind; text: string; code: string };

const countLetters = (text: string) => text.slice(0, LETTERS_MAX).replace(NOT_LETTERS, "").length;

/** The number of letters in sentences. */
function countProse(code: string): number {
  if (code.length < SENTENCE_CHARS) return 0;
  let letters = 0;
  let run: string[] = [];
  for (const word of [...code.slice(0, KEPT_CHARS).split(/\s+/), ""]) {
    if (WORD.test(word)) {
      run.push(word);
      continue;
    }
    if (run.length >= SENTENCE_WORDS) letters += countLetters(run.join(""));
    run = [];
  }
  return letters;
}

function commentsOf(css: string): string {
  const found: string[] = [];
  for (let open = css.indexOf("/*"); open >= 0; open = css.indexOf("/*", open)) {
    const close = css.indexOf("*/", open + 2);
    found.push(css.slice(open + 2, close < 0 ? css.length : close));
    if (close < 0) break;
    open = close + 2;
  }
  return found.join("\n");
}

/** The text of a comment, or of the HTML in a conditional one. */
function textOfComment(comment: string): string {
  if (!comment.includes("<")) return comment.replace(/^\[if[^\]]{0,100}\]>?|^\[endif\]$|^<!\[endif\]$/i, "");
  const texts: string[] = [];
  let xml = 0;
  let inCode = false;
  tokenize(comment.replace(/^\s*\[if[^\]]{0,100}\]>/i, ""), {
    open(name) {
      if (name === "xml") xml += 1;
      inCode = name === "style" || name === "script";
    },
    close(name) {
      if (name === "xml") xml -= 1;
      inCode = false;
    },
    text(text) {
      if (xml <= 0 && !inCode) texts.push(text);
    },
  });
  return texts.join(" ");
}

function keeper() {
  const kept: string[] = [];
  let left = KEPT_CHARS;
  return {
    keep(text: string): void {
      if (left <= 0) return;
      kept.push(text.slice(0, left));
      left -= text.length;
    },
    all: () => kept.join(""),
  };
}

type State = {
  letters: Record<"noted" | "usual" | "deceptive", number>;
  titles: string[];
  texts: ReturnType<typeof keeper>;
  codes: ReturnType<typeof keeper>;
};

export function unseenText() {
  const state: State = {
    letters: { noted: 0, usual: 0, deceptive: 0 },
    titles: [],
    texts: keeper(),
    codes: keeper(),
  };
  return {
    /** Text of an element that is hidden. */
    hide(text: string, how: Exclude<Hiding, "no">): void {
      count(state, how, () => countLetters(text));
      state.texts.keep(text);
    },
    /** The separator of two texts. */
    apart: () => state.texts.keep("\n"),
    /** Text that is visible only in the source. */
    note: (text: string) => note(state, text),
    comment: (text: string) => note(state, textOfComment(text)),
    /** The title of the document: hidden unless it repeats the visible text. */
    title(text: string): void {
      if (state.titles.length < TITLES) state.titles.push(text.slice(0, TITLE_CHARS).trim());
      else note(state, text);
    },
    /** Text of a script, or an attribute's value: only its sentences count. */
    code: (text: string) => code(state, text),
    css: (css: string) => code(state, css, commentsOf(css)),
    /** What `safe_text` shows as an annotation. */
    marked: (text: string) => state.texts.keep(`\n${text}\n`),
    smuggled({ letters: more, text }: { letters: number; text: string }): void {
      if (more === 0) return;
      count(state, "deceptive", () => more);
      state.texts.keep(text);
    },
    /** @param seen the visible text of the mail */
    result: (seen: string) => resultOf(state, seen),
  };
}

function count(state: State, kind: keyof State["letters"], more: () => number): void {
  if (state.letters[kind] < LETTERS_MAX) state.letters[kind] += more();
}

function note(state: State, text: string): void {
  count(state, "noted", () => countLetters(text));
  state.texts.keep(`\n${text}\n`);
}

function code(state: State, text: string, prose = text): void {
  count(state, "noted", () => countProse(prose));
  state.codes.keep(`${text}\n`);
}

function resultOf(state: State, seen: string): Unseen {
  for (const title of state.titles) if (!seen.includes(title)) note(state, title);
  const { noted, usual, deceptive } = state.letters;
  const isMuch = deceptive > SPACER_LETTERS || usual > USUAL_LETTERS;
  const kind = isMuch ? "deceptive" : noted + usual + deceptive > 0 ? "usual" : "none";
  return { kind, text: state.texts.all(), code: state.codes.all() };
}
