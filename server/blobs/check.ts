// What readiness says of S3.
import type { Services } from "../base/context.ts";
import { BlobError } from "../base/errors.ts";
import type { BlobProblem } from "../base/ports/blobs.ts";
import { shared } from "../base/sampling/shared.ts";
import { factsOf } from "./failure.ts";

/** Between two checks: after one that succeeded, and after one that failed. */
const EVERY_MS = 60_000;
const AGAIN_MS = 5_000;

type State = "ok" | BlobProblem;

/**
 * S3 that fails does not make the process unready: everything that is in PostgreSQL works without it. Undefined without
 * settings for S3.
 */
export function createBlobCheck({ blobs, log }: Services): (() => Promise<State>) | undefined {
  const check = async (): Promise<State> => {
    try {
      await blobs.check();
      return "ok";
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      log.warn(factsOf(error), "S3 failed its check");
      return error.problem;
    }
  };
  return blobs.objects && shared(check, (latest) => (latest === "ok" ? EVERY_MS : AGAIN_MS));
}
