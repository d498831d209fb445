// Counts what is read right of the held-back mails. It names no mail, so that nobody tunes anything on one.
import { extract } from "#server/extraction/extract.ts";
import { readHtml } from "#server/extraction/html/html.ts";
import { createRandom } from "../fit/random.ts";
import { readWritten } from "../mails/read-written.ts";
import { heldBackMails } from "./made.ts";
import { WITHOUT_CODE_HELD_BACK } from "./without-code.ts";
import { WRITTEN_HELD_BACK } from "./written.ts";

const SEED = 95_001;

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
export const countWithoutCode = (): Count => countCodes(readWritten(WITHOUT_CODE_HELD_BACK));
