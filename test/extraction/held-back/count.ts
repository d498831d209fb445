// Counts what is read right of the held-back mails. It names no mail, so that nobody tunes anything on one.
import { readFileSync } from "node:fs";
import { extract } from "#server/extraction/extract.ts";
import { readHtml } from "#server/extraction/html/html.ts";
import { createLinkLexicons, findLink, READ_LANGUAGES } from "#server/extraction/links.ts";
import { createRandom } from "../fit/random.ts";
import { readWritten } from "../mails/read-written.ts";
import { heldBackLinks } from "./links.ts";
import { heldBackMails } from "./made.ts";
import { WITHOUT_CODE_HELD_BACK } from "./without-code.ts";
import { WRITTEN_HELD_BACK } from "./written.ts";

const SEED = 95_001;
const readHeldBack = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

export type Count = { mails: number; expected: number; found: number; right: number };

function countCodes(
  mails: { from: string; subject: string; text?: string; html?: string; otp: string | null }[],
): Count {
  const count = { mails: mails.length, expected: 0, found: 0, right: 0 };
  for (const { from, subject, text, html, otp } of mails) {
    const got = extract({
      from,
      subject,
      text: text ?? null,
      html: html === undefined ? null : readHtml(html, subject),
    }).otp;
    if (otp !== null) count.expected += 1;
    if (got !== null) count.found += 1;
    if (got !== null && got === otp) count.right += 1;
  }
  return count;
}

export const countMade = (): Count => countCodes(heldBackMails(createRandom(SEED)));
export const countWritten = (): Count => countCodes(readWritten(WRITTEN_HELD_BACK));
/** Mails of 3 to 40 lines, as services send them, with and without a code, by writers who did not know the rules. */
export const countWhole = (): Count => countCodes(readWritten(readHeldBack("whole-mails.txt")));
/** The same by later writers, who were asked for hard ones: an amount, a card and a reference in the sentence of the code. */
export const countHard = (): Count => countCodes(readWritten(readHeldBack("hard-mails.txt")));
/** Short mails in 80 languages, whose codes are named by nothing but what is done with them. */
export const countShort = (): Count => countCodes(readWritten(readHeldBack("short-mails.txt")));
export const countWithoutCode = (): Count => countCodes(readWritten(WITHOUT_CODE_HELD_BACK));

/** @param isLeftOut whether each mail is read without the words of its language */
export function countLinks(isLeftOut = false): Count {
  const mails = heldBackLinks(createRandom(SEED)).filter(({ language }) => !isLeftOut || !READ_LANGUAGES.has(language));
  const count = { mails: mails.length, expected: 0, found: 0, right: 0 };
  for (const { language, subject, text, html, link } of mails) {
    const lexicons = createLinkLexicons((each) => isLeftOut && each === language);
    const got = findLink(subject, text ?? null, html === undefined ? null : readHtml(html, subject), {
      lexicons,
    })?.value;
    if (link !== null) count.expected += 1;
    if (got !== undefined) count.found += 1;
    if (got !== undefined && got === link) count.right += 1;
  }
  return count;
}

/** Links of whole mails, by a writer who did not know the rules: half of them in HTML, the others in text. */
export function countWholeLinks(): Count {
  const mails = readWritten(readHeldBack("link-mails.txt"));
  const count = { mails: mails.length, expected: 0, found: 0, right: 0 };
  for (const { from, subject, text, html, otp: link } of mails) {
    const got = extract({
      from,
      subject,
      text: text ?? null,
      html: html === undefined ? null : readHtml(html, subject),
    });
    if (link !== null) count.expected += 1;
    if (got.link !== null) count.found += 1;
    if (got.link !== null && got.link === link) count.right += 1;
  }
  return count;
}
