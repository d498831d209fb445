// Counts the codes found in a language whose mails the weights were not fitted to, and whose words the lexicon does not have. Mails that
// nobody can tell apart without words are left out.
import { surest } from "#server/extraction/codes.ts";
import { PHRASES } from "./phrases.ts";
import { fitWeights, madeMails, samplesOf, tableSamples, thresholdsFor, weigher } from "./samples.ts";

export const LANGUAGES = PHRASES.map(({ language }) => language);

export type LeftOut = { language: string; expected: number; found: number; right: number };

export function leaveOneOut(languages: string[]): LeftOut[] {
  const samples = samplesOf(madeMails(), true);
  const tables = tableSamples();
  return languages.map((language) => {
    const others = [...samples.filter(({ mail }) => mail.language !== language), ...tables];
    const weigh = weigher(fitWeights(others));
    const thresholds = thresholdsFor(others, weigh);
    const count = { language, expected: 0, found: 0, right: 0 };
    const own = samples.filter(({ mail, isForeign }) => isForeign && mail.language === language && !mail.needsWords);
    for (const { mail, observed } of own) {
      const got = surest(observed, weigh, thresholds)?.value;
      if (mail.otp !== null) count.expected += 1;
      if (got !== undefined) count.found += 1;
      if (got !== undefined && got === mail.otp) count.right += 1;
    }
    return count;
  });
}
