// Finds text that the text part has and the HTML part does not show. People see only the HTML.
import { characterKinds } from "./characters.ts";
import type { UnseenKind } from "./html/unseen.ts";
import { replaceUrls } from "./urls.ts";
import { wordTable } from "./word-table.ts";

const WORDS = 100_000;
/** Fewer words in another order are caused by layout. */
const RUN_WORDS = 4;
const NUMBER_CHARS = 4;
const MUCH_LETTERS = 200;
/** An HTML part with fewer words is a picture or a link, and contradicts nothing. */
const SAYING_WORDS = 20;
/** Letters of these scripts count as words, because the scripts have no spaces. */
const ALONE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}@]/u;
const LETTER = /[\p{L}\p{N}]/u;

/** What a character may be: part of a word that began before it, a word alone. */
const IS_LETTER = 1;
const IS_ALONE = 2;
const IS_KNOWN = 4;
const kindOf = characterKinds(
  (character) => IS_KNOWN + (LETTER.test(character) ? IS_LETTER : 0) + (ALONE.test(character) ? IS_ALONE : 0),
);

const folded = (text: string) => replaceUrls(text, " ").toLowerCase();

/** A word by its number, and where it stands. */
type Words = { ids: number[]; starts: number[]; ends: number[] };

function wordsOf(text: string, from: number, to: number, table: ReturnType<typeof wordTable>): Words {
  const words: Words = { ids: [], starts: [], ends: [] };
  for (let at = from; at < to && words.ids.length < WORDS; ) {
    const start = at;
    let point = text.codePointAt(at) as number;
    const kind = kindOf(point);
    at += point > 0xffff ? 2 : 1;
    if (kind === IS_KNOWN) continue;
    while ((kind & IS_ALONE) === 0 && at < to) {
      point = text.codePointAt(at) as number;
      if ((kindOf(point) & IS_LETTER) === 0) break;
      at += point > 0xffff ? 2 : 1;
    }
    words.ids.push(table.idOf(start, at));
    words.starts.push(start);
    words.ends.push(at);
  }
  return words;
}

/**
 * Compares the order of words: at least four in a row of which the HTML has no two side by side, or a number that it does not have.
 * @param html what is seen of the HTML part, alternative texts included. Of each part 100,000 words are compared.
 * @returns the words that are not seen, and as `deceptive` more than 200 letters that are most of the text
 */
export function unseenInText(text: string, html: string): { kind: UnseenKind; text: string } {
  if (text === "") return { kind: "none", text: "" };
  const first = folded(text);
  const both = `${first}\n${folded(html)}`;
  const table = wordTable(both);
  const written = wordsOf(both, 0, first.length, table);
  const shown = wordsOf(both, first.length, both.length, table);
  // The number of a pair: that of its first word, or 0 for none, and that of its second.
  const size = table.size();
  const pairs = new Set(shown.ids.map((id, at) => ((shown.ids[at - 1] ?? -1) + 1) * size + id));
  const single = new Uint8Array(size);
  for (const id of shown.ids) single[id] = 1;
  const wordAt = (at: number) => both.slice(written.starts[at], written.ends[at]);
  const unseen: string[] = [];
  let run: string[] = [];
  const endRun = () => {
    if (run.length >= RUN_WORDS) unseen.push(...run);
    run = [];
  };
  for (const [at, id] of written.ids.entries()) {
    if (pairs.has(((written.ids[at - 1] ?? -1) + 1) * size + id)) endRun();
    else if (at === 0 && single[id] === 1) continue;
    else run.push(wordAt(at));
    if (run.length < 2 && single[id] === 0) {
      const word = wordAt(at);
      if (word.length >= NUMBER_CHARS && /\d/.test(word)) unseen.push(word);
    }
  }
  endRun();
  const letters = unseen.join("").length;
  const isMuch = letters > MUCH_LETTERS && unseen.length * 2 > written.ids.length && shown.ids.length >= SAYING_WORDS;
  return { kind: isMuch ? "deceptive" : letters > 0 ? "usual" : "none", text: unseen.join(" ") };
}
