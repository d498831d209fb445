// Finds text that the text part has and the HTML part does not show. People see only the HTML.
import type { UnseenKind } from "./html/unseen.ts";

const WORDS = 100_000;
/** Fewer words in another order are caused by layout. */
const RUN_WORDS = 4;
const NUMBER_CHARS = 4;
const MUCH_LETTERS = 200;
/** An HTML part with fewer words is a picture or a link, and contradicts nothing. */
const SAYING_WORDS = 20;
/** Letters of these scripts count as words, because the scripts have no spaces. */
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}]+|@/gu;
const ADDRESS = /(?:https?:\/\/|www\.)\S+/gi;

function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [word] of text.replace(ADDRESS, " ").toLowerCase().matchAll(WORD)) {
    words.push(word);
    if (words.length >= WORDS) break;
  }
  return words;
}

/**
 * Compares the order of words: at least four in a row of which the HTML has no two side by side, or a number that it does not have.
 * @param html what is seen of the HTML part, alternative texts included. Of each part 100,000 words are compared.
 * @returns the words that are not seen, and as `deceptive` more than 200 letters that are most of the text
 */
export function unseenInText(text: string, html: string): { kind: UnseenKind; text: string } {
  const [written, shown] = [wordsOf(text), wordsOf(html)];
  const pairs = new Set(shown.map((word, at) => `${shown[at - 1] ?? ""} ${word}`));
  const single = new Set(shown);
  const unseen: string[] = [];
  let run: string[] = [];
  const endRun = () => {
    if (run.length >= RUN_WORDS) unseen.push(...run);
    run = [];
  };
  for (const [at, word] of written.entries()) {
    if (pairs.has(`${written[at - 1] ?? ""} ${word}`)) endRun();
    else if (at === 0 && single.has(word)) continue;
    else run.push(word);
    if (run.length < 2 && /\d/.test(word) && word.length >= NUMBER_CHARS && !single.has(word)) unseen.push(word);
  }
  endRun();
  const letters = unseen.join("").length;
  const isMuch = letters > MUCH_LETTERS && unseen.length * 2 > written.length && shown.length >= SAYING_WORDS;
  return { kind: isMuch ? "deceptive" : letters > 0 ? "usual" : "none", text: unseen.join(" ") };
}
