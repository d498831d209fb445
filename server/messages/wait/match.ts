// Applies the pattern of a wait to mails, in threads that are terminated if a pattern uses too much CPU time.
import type { Services } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import { MATCHED_CHARS } from "./schema.ts";

/** CPU time to compile a pattern and to apply it to one mail. */
const MATCH_CPU_MS = 250;
/** CPU time and mails of one wait; the next wait continues after them. */
const WAIT_CPU_MS = 2_000;
const WAIT_MAILS = 1_000;

const matchText = createJob<typeof import("./match-worker.ts")>({
  name: "match",
  kind: "mail",
  program: new URL("./match-worker.ts", import.meta.url),
});

export type Pattern = {
  /**
   * Whether the subject, a line break and the first 200,000 characters of the text match.
   * @throws ServiceError `invalid_request` if the pattern is too slow, `unavailable` if the thread was lost
   */
  matches(mail: { subject: string; text: string }): Promise<boolean>;
  /** Whether this wait has used up its CPU time or its mails and must end. */
  isSpent(): boolean;
};

/**
 * Compiles a pattern for one wait.
 * @param organizationId whose turn it uses
 * @throws ServiceError `invalid_request` if the pattern is not RE2 syntax, too large or too slow; `unavailable`
 */
export async function readPattern(ctx: Services, organizationId: string, pattern: string): Promise<Pattern> {
  let cpuMs = 0;
  let mails = 0;
  async function apply(text?: string): Promise<boolean> {
    const question = () => (text === undefined ? { pattern } : { pattern, text });
    const outcome = await matchText(ctx.threadPool, { organizationId, cpuMs: MATCH_CPU_MS, question });
    if ("ended" in outcome) {
      if (outcome.ended !== "lost")
        throw invalidField("match", "The pattern takes too long to match. Use a simpler pattern.");
      const headers = { "Retry-After": "1" };
      throw new ServiceError("unavailable", "The pattern could not be matched. Repeat the request.", { headers });
    }
    cpuMs += outcome.cpuMs;
    if ("refused" in outcome.answer) throw invalidField("match", outcome.answer.refused);
    return outcome.answer.found;
  }
  await apply();
  return {
    matches({ subject, text }) {
      mails += 1;
      return apply(`${subject}\n${text.slice(0, MATCHED_CHARS)}`);
    },
    isSpent: () => mails >= WAIT_MAILS || cpuMs >= WAIT_CPU_MS,
  };
}
