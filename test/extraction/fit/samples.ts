// What is seen of the codes of many mails, with and without the words of their own language.

import { readFileSync } from "node:fs";
import type { Mode, Observed } from "#server/extraction/code-evidence.ts";
import { observeCodes, textForCodes } from "#server/extraction/codes.ts";
import { readHtml } from "#server/extraction/html/html.ts";
import { createLexicon, type Lexicon, lexiconOfAll } from "#server/extraction/lexicon.ts";
import { mails as tables } from "../mails/all.ts";
import { LABELLED } from "../mails/labelled.ts";
import { readWritten } from "../mails/read-written.ts";
import { WITHOUT_CODE } from "../mails/without-code.ts";
import { WRITTEN } from "../mails/written.ts";
import { fitLogistic, type Row } from "./logistic.ts";
import { type MadeMail, negative, positive, wordsFor } from "./mails.ts";
import { PHRASES } from "./phrases.ts";
import { createRandom } from "./random.ts";

export const MODES: Mode[] = ["spoken", "shared", "silent", "foreign"];
/** Of each language. */
const POSITIVES = 120;
const NEGATIVES = 160;
const SEED = 20_260_401;
/** How often a written mail counts, and a whole one, as services send them, for one of these. */
const TABLES_WEIGHT = 20;
const WHOLE_WEIGHT = 2;
const SHARED_WORDS_WEIGHT = 0.3;
/** How often a mail of a known language counts in the column of those whose words are shared. */
const SPOKEN_WEIGHT = 0.05;
/** The precision of the mails that a threshold is chosen by. */
const PRECISION = { spoken: 0.96, shared: 0.95, silent: 0.95, foreign: 0.95 };
/** At the least one, a candidate is the code in five of seven cases: a wrong code is worse than none. */
const THRESHOLDS = Array.from({ length: 22 }, (_, nth) => (9 + nth) / 10);

/** `isForeign`: seen without the words of its language. */
export type Sample = { mail: MadeMail; observed: Observed[]; isForeign: boolean };
export type Weights = { features: Map<string, number>; columns: Float64Array[] };

export function madeMails(): MadeMail[] {
  const random = createRandom(SEED);
  return PHRASES.flatMap((phrases) => [
    ...Array.from({ length: POSITIVES }, () => positive(wordsFor(phrases, random))),
    ...Array.from({ length: NEGATIVES }, () => negative(wordsFor(phrases, random, false))),
  ]);
}

function observeMade(mail: MadeMail, lexicon: Lexicon): Observed[] {
  const html = mail.html === undefined ? null : readHtml(mail.html, mail.subject);
  return observeCodes(
    {
      from: mail.from,
      subject: mail.subject,
      bodies: [html && textForCodes(html), mail.text].filter((body) => typeof body === "string"),
      pieces: html?.pieces ?? [],
      links: html?.links.length ?? 0,
    },
    lexicon,
  );
}

const lexicons = new Map<string, Lexicon>();
function lexiconWithout(language: string): Lexicon {
  const made = lexicons.get(language) ?? createLexicon((each) => each === language);
  lexicons.set(language, made);
  return made;
}

/** @param foreignToo also without the words of the mail's own language, where somebody can tell the number without them */
export function samplesOf(mails: MadeMail[], foreignToo: boolean): Sample[] {
  return mails.flatMap((mail) => {
    const known = { mail, observed: observeMade(mail, lexiconOfAll()), isForeign: false };
    if (!foreignToo || mail.needsWords) return [known];
    return [known, { mail, observed: observeMade(mail, lexiconWithout(mail.language)), isForeign: true }];
  });
}

const readTable = (name: string) => readWritten(readFileSync(new URL(`../mails/${name}`, import.meta.url), "utf8"));

/** The written mails, in which the words of all languages are known. */
export function tableSamples(): Sample[] {
  const sent = ["whole-mails.txt", "short-mails.txt"].flatMap(readTable);
  const weighed = Array.from({ length: WHOLE_WEIGHT }, () => sent).flat();
  const own = [WRITTEN, WITHOUT_CODE, LABELLED].flatMap(readWritten);
  const written = [...tables, ...own, ...weighed].map((mail) => ({
    language: "",
    ...mail,
  }));
  const samples = samplesOf(written, false);
  return Array.from({ length: TABLES_WEIGHT }, () => samples).flat();
}

/** The lowest thresholds at which the best candidates of mails are the code often enough. */
export function thresholdsFor(
  samples: Sample[],
  weigh: (one: Observed) => number,
  precision = PRECISION,
): Record<string, number> {
  const best = samples.flatMap(({ mail, observed, isForeign }) => {
    const [first] = observed.map((one) => ({ one, odds: weigh(one) })).sort((a, b) => b.odds - a.odds);
    if (!first) return [];
    const { mode } = first.one;
    return [{ mode, odds: first.odds, right: isCode(first.one.value, mail), weight: weightOf(isForeign, mode) }];
  });
  return Object.fromEntries(
    MODES.map((mode) => {
      const precisionAt = (threshold: number) => {
        const above = best.filter((each) => each.mode === mode && each.odds >= threshold);
        const sum = (some: typeof best) => some.reduce((all, { weight }) => all + weight, 0);
        return sum(above.filter(({ right }) => right)) / Math.max(1, sum(above));
      };
      return [
        mode,
        THRESHOLDS.find((threshold) => precisionAt(threshold) >= precision[mode]) ?? THRESHOLDS.at(-1) ?? 0,
      ];
    }),
  );
}

const isCode = (value: string, { otp }: MadeMail) =>
  otp !== null && value.replaceAll("-", "").toLowerCase() === otp.replaceAll("-", "").toLowerCase();

/** A mail of an unknown language that has a word for codes nevertheless counts less: it shares the word with a known language. */
const weightOf = (isForeign: boolean, mode: Mode) => (isForeign && mode === "spoken" ? SHARED_WORDS_WEIGHT : 1);

/** How much a mail counts in a column. `spoken` and `shared` learn from each other, because both have words for codes. */
function weightIn(column: Mode, mode: Mode, isForeign: boolean): number {
  if (column === mode) return weightOf(isForeign, mode);
  if (column === "spoken" && mode === "shared") return weightOf(isForeign, column);
  return column === "shared" && mode === "spoken" ? SPOKEN_WEIGHT : 0;
}

/** Weights for each mode. */
export function fitWeights(samples: Sample[]): Weights {
  const features = new Map<string, number>();
  const rows = MODES.map(() => new Map<string, Row>());
  for (const { mail, observed, isForeign } of samples) {
    for (const { value, mode, features: seen } of observed) {
      const numbers = [...seen].map((name) => {
        const number = features.get(name) ?? features.size;
        features.set(name, number);
        return number;
      });
      const key = numbers.sort((a, b) => a - b).join();
      for (const column of MODES) {
        const weight = weightIn(column, mode, isForeign);
        if (weight === 0) continue;
        const ofMode = rows[MODES.indexOf(column)] as Map<string, Row>;
        const row = ofMode.get(key) ?? { features: numbers, right: 0, wrong: 0 };
        if (isCode(value, mail)) row.right += weight;
        else row.wrong += weight;
        ofMode.set(key, row);
      }
    }
  }
  return { features, columns: rows.map((ofMode) => fitLogistic([...ofMode.values()], features.size)) };
}

export function weigher({ features, columns }: Weights) {
  return ({ mode, features: seen }: Observed) => {
    const column = columns[MODES.indexOf(mode)] as Float64Array;
    let odds = column[features.size] ?? 0;
    for (const name of seen) odds += column[features.get(name) ?? -1] ?? 0;
    return odds;
  };
}
