// Logs the failures of the service itself; refusals of requests are no failures.
import type { Logger } from "../base/log.ts";
import { toServiceError } from "./procedures.ts";

/** Error codes of reads and writes after the caller disconnected. */
const LEFT = new Set(["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED", "ECONNRESET", "EPIPE", "ABORT_ERR"]);

/** Logs a failure of the service, unless the caller disconnected before its answer was complete. */
export function logFailure(log: Logger, error: unknown, requestId: string, isGone: boolean): void {
  const serviceError = toServiceError(error);
  if (serviceError.status < 500) return;
  const chain = error instanceof Error ? [error, error.cause] : [];
  const isCausedByLeaving = chain.some(
    (link) => link instanceof Error && "code" in link && LEFT.has(String(link.code)),
  );
  if (isGone && isCausedByLeaving)
    log.debug({ request_id: requestId }, "the caller disconnected before its answer was complete");
  else log.error({ err: error, request_id: requestId }, serviceError.message);
}
