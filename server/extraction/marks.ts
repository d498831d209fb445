// What normalizing a text costs: most mail needs none, and long rows of combining marks are cut, because normalizing them takes
// quadratic time.

const BEYOND_ASCII = /[^\0-\x7f]/;

/** Whether no normalization changes a text. */
export function isAscii(text: string): boolean {
  return !BEYOND_ASCII.test(text);
}

/** No script has more marks on one letter (UAX 15 §13). The two half-width signs become marks when they are normalized. */
const TOO_MANY = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/** Keeps the first 30 marks of each row. Call it before `normalize` on untrusted text. */
export function limitMarks(text: string): string {
  return text.replace(TOO_MANY, "$1");
}
