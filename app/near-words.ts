// Finds words in a text, also with one wrong, missing, additional or exchanged letter.

/** Shorter words have too many neighbours. */
export const FUZZY_CHARS_MIN = 4;

/** Whether the text contains each of the words, in lower case. */
export function hasWords(text: string, words: string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** The same with a typo of one letter in each word. */
export function nearlyHasWords(text: string, words: string[]): boolean {
  const known = [...new Set(text.split(/[^\p{L}\p{N}]+/u))];
  return words.every(
    (word) => text.includes(word) || (word.length >= FUZZY_CHARS_MIN && known.some((other) => isNear(word, other))),
  );
}

/** Whether one change of a letter makes the word a beginning of the other one. */
function isNear(word: string, other: string): boolean {
  let same = 0;
  while (same < word.length && word[same] === other[same]) same += 1;
  const [rest, others] = [word.slice(same), other.slice(same)];
  const isExchanged = rest.length > 1 && rest[0] === others[1] && rest[1] === others[0];
  return (
    others.slice(1).startsWith(rest.slice(1)) ||
    others.slice(1).startsWith(rest) ||
    others.startsWith(rest.slice(1)) ||
    (isExchanged && others.slice(2).startsWith(rest.slice(2)))
  );
}
