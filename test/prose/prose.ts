// Reads the prose of a file: its comments, the strings that are sentences, JSX text, and Markdown outside of code.
import { parseSync, Visitor } from "rolldown/utils";

/** A piece of prose and the line on which it starts. */
export type Passage = { line: number; text: string };

const SENTENCE_MIN_WORDS = 4;
const WORD = /[A-Za-z][A-Za-z'’-]*/g;

export function words(text: string): string[] {
  return text.match(WORD) ?? [];
}

/** Strings are prose when they have a few words and no sign of code: SQL, markup, paths and class names are not. */
function isSentence(text: string): boolean {
  return (
    words(text).length >= SENTENCE_MIN_WORDS &&
    /[a-z] [a-z]/i.test(text) &&
    !/^\s*(select|insert|update|delete|with|create|alter)\b.*\b(from|into|set|as|table|index)\b/is.test(text) &&
    !/^\s*</.test(text)
  );
}

function lineOf(text: string): (offset: number) => number {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => starts.filter((start) => start <= offset).length;
}

/** Consecutive `//` comments are one passage, so that an expression across a line break is found. */
function commentsOf(
  path: string,
  text: string,
  comments: { type: string; value: string; start: number; end: number }[],
) {
  const passages: (Passage & { end: number })[] = [];
  const at = lineOf(text);
  for (const { type, value, start, end } of comments) {
    if (path.endsWith("check-install.cjs") && value.startsWith("!")) continue;
    const plain = value
      .replace(/^\s*\*+/gm, "")
      .replace(/\s+/g, " ")
      .trim();
    const last = passages.at(-1);
    const continues = type === "Line" && last && /^[ \t]*\n[ \t]*$/.test(text.slice(last.end, start));
    if (continues) Object.assign(last, { text: `${last.text} ${plain}`, end });
    else passages.push({ line: at(start), text: plain, end });
  }
  return passages.map(({ line, text }) => ({ line, text }));
}

function proseOfCode(path: string, text: string): Passage[] {
  const lang = path.endsWith("x") ? "tsx" : "ts";
  const { program, comments, errors } = parseSync(path, text, { lang });
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0]?.message}`);
  const at = lineOf(text);
  const passages = commentsOf(path, text, comments);
  const add = (start: number, value: string) => {
    if (isSentence(value)) passages.push({ line: at(start), text: value.replace(/\s+/g, " ").trim() });
  };
  const sql = new Set<object>();
  new Visitor({
    Literal: (node) => {
      if (typeof node.value === "string") add(node.start, node.value);
    },
    TaggedTemplateExpression: (node) => {
      sql.add(node.quasi);
    },
    TemplateLiteral: (node) => {
      if (!sql.has(node)) add(node.start, node.quasis.map(({ value }) => value.cooked ?? "").join(" … "));
    },
    JSXText: (node) => add(node.start, node.value),
  }).visit(program);
  return passages;
}

function proseOfMarkdown(text: string): Passage[] {
  const blank = (match: string) => match.replace(/[^\n]/g, " ");
  const prose = text
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/`[^`\n]*`/g, blank)
    .replace(/\]\([^)\s]*\)/g, blank);
  const at = lineOf(text);
  return [...prose.matchAll(/(?:[^\n]*\S[^\n]*\n?)+/g)].map((paragraph) => ({
    line: at(paragraph.index),
    text: paragraph[0].replace(/\s+/g, " ").trim(),
  }));
}

export function proseOf(path: string, text: string): Passage[] {
  return path.endsWith(".md") ? proseOfMarkdown(text) : proseOfCode(path, text);
}
