// Splits a plain text into what its sender wrote and quotes of earlier mail, with the line that introduces each quote.

/** A quote of fewer lines is read faster than its button. */
const FOLDED_LINES = 3;
const INTRODUCTION = /:\s*$/;

/** `at`: the number of its first line. `lines` has the line breaks. */
export type Part = { at: number; lines: string; isQuote: boolean };

export function foldQuotes(text: string): Part[] {
  const lines = text.split(/(?<=\n)/);
  const parts: { at: number; lines: string[]; isQuote: boolean }[] = [];
  for (const [at, line] of lines.entries()) {
    const isQuote = line.startsWith(">");
    const last = parts.at(-1);
    // Empty lines stay with what is before them.
    if (last && (last.isQuote === isQuote || (last.isQuote && line.trim() === ""))) last.lines.push(line);
    else parts.push({ at, lines: [line], isQuote });
  }
  for (const [n, part] of parts.entries()) {
    if (part.isQuote && part.lines.length < FOLDED_LINES) part.isQuote = false;
    const before = parts[n - 1];
    if (part.isQuote && before) part.lines.unshift(...introductionOf(before.lines));
  }
  return parts.map((part) => ({ ...part, lines: part.lines.join("") })).filter(({ lines: joined }) => joined !== "");
}

/** Takes "On Monday, Ann wrote:" and the empty lines after it from the end. */
function introductionOf(lines: string[]): string[] {
  const at = lines.findLastIndex((line) => line.trim() !== "");
  return INTRODUCTION.test(lines[at] ?? "") ? lines.splice(at) : [];
}
