// Waits longer than one call of the wait procedure: repeats it from where it ended, and reports progress in between.
import { invalidField } from "../../base/errors.ts";
import type { WaitOutput } from "../../messages/wait/schema.ts";
import type { RequestContext } from "../../procedures/procedures.ts";

/** Shorter than the time after which clients and proxies give up on a silent call, 60 s as a rule. */
const SLICE_SECONDS = 15;

type Input = Record<string, unknown>;
type Until = Pick<RequestContext, "signal" | "allowed">;

export type Progress = (elapsedSeconds: number, totalSeconds: number) => Promise<void>;

type Wait = {
  input: Input;
  seconds: number;
  until: Until;
  progress: Progress;
  /** Calls the procedure. */
  run(input: Input): Promise<WaitOutput>;
};

/** @throws ServiceError what the procedure throws; `unauthorized` if the key was revoked or expired since */
export async function waitInSlices({ input, seconds, until, progress, run }: Wait): Promise<WaitOutput> {
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1_000;
  let after = input.after;
  for (;;) {
    const left = Math.max(0, Math.ceil(seconds - elapsed()));
    const answer = await run({ ...input, after, timeout_seconds: Math.min(left, SLICE_SECONDS) });
    if (!answer.timed_out || elapsed() >= seconds || until.signal.aborted) return answer;
    await until.allowed();
    after = answer.cursor;
    await progress(Math.floor(elapsed()), seconds);
  }
}

/** @throws ServiceError `invalid_request` */
export function readSeconds(value: unknown, { max, usual }: { max: number; usual: number }): number {
  if (value === undefined || value === null) return usual;
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) <= max) return value as number;
  throw invalidField("timeout_seconds", `must be a whole number from 0 to ${max}`);
}
