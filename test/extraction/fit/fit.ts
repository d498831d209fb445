// Fits the weights of codes and writes server/extraction/code-weights.ts:
//
//     node_modules/.bin/node test/extraction/fit/fit.ts
//
// It reads the generated mails, each once with and once without the words of its language, the tables of `../mails`, and nothing of
// `../held-back`.
import { writeFileSync } from "node:fs";
import { surest } from "#server/extraction/codes.ts";
import {
  fitWeights,
  MODES,
  madeMails,
  type Sample,
  samplesOf,
  tableSamples,
  thresholdsFor,
  weigher,
} from "./samples.ts";

const FILE = new URL("../../../server/extraction/code-weights.ts", import.meta.url);
const samples = [...samplesOf(madeMails(), true), ...tableSamples()];
const weights = fitWeights(samples);
const weigh = weigher(weights);
const thresholds = thresholdsFor(samples, weigh);

const lines = [...weights.features.keys()].sort().flatMap((name) => {
  const row = weights.columns.map((column) => (column[weights.features.get(name) ?? 0] ?? 0).toFixed(2));
  return row.every((each) => Math.abs(Number(each)) < 0.01)
    ? []
    : [`  ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: [${row.map(Number).join(", ")}],`];
});
const always = weights.columns.map((column) => Number((column[weights.features.size] ?? 0).toFixed(2)));
writeFileSync(
  FILE,
  `// What each observation of code-evidence.ts is worth. Written by test/extraction/fit/fit.ts: do not edit.

/** The least sum of a code, by how well the words of the mail are understood. */
export const THRESHOLDS: Record<string, number> = { ${MODES.map((mode) => `${mode}: ${thresholds[mode]}`).join(", ")} };

/** For each observation what it adds in mails that are spoken, shared, silent and foreign. */
export const WEIGHTS: Record<string, readonly number[]> = {
  always: [${always.join(", ")}],
${lines.join("\n")}
};
`,
);

const report = (name: string, some: Sample[]) => {
  const got = some.map(({ mail, observed }) => ({
    want: mail.otp,
    got: surest(observed, weigh, thresholds)?.value ?? null,
  }));
  const right = got.filter((each) => each.got !== null && each.got === each.want).length;
  console.log(
    `${name}: ${right} right of ${got.filter((each) => each.got !== null).length} found, ${got.filter((each) => each.want !== null).length} expected, ${some.length} mails`,
  );
};
report(
  "words known",
  samples.filter(({ isForeign }) => !isForeign),
);
report(
  "words left out (fitted to them)",
  samples.filter(({ isForeign }) => isForeign),
);
console.log(JSON.stringify(thresholds));
