// The error that callers get when stored content cannot be written or read.
import { BlobError, ServiceError } from "../base/errors.ts";
import type { BlobProblem } from "../base/ports/blobs.ts";

const RETRY_AFTER_SECONDS = "10";

/** What the log says of a failure. */
export function factsOf(error: unknown): object {
  if (!(error instanceof BlobError)) return { error };
  const { problem, message, cause } = error;
  return { problem, reason: message, ...(cause instanceof Error && { cause: cause.message }) };
}

/** What is wrong with the store of content, if that is why a call failed. */
export function blobProblem(error: unknown): BlobProblem | undefined {
  const cause = error instanceof ServiceError ? error.cause : undefined;
  return cause instanceof BlobError ? cause.problem : undefined;
}

/** Passes on what is no failure of stored content. */
export function asServiceError(error: unknown): unknown {
  if (!(error instanceof BlobError)) return error;
  const more = { headers: { "Retry-After": RETRY_AFTER_SECONDS }, cause: error };
  switch (error.problem) {
    case "refused":
      return new ServiceError("unavailable", "The storage of mail and attachments refuses the service.", more);
    case "unavailable":
      return new ServiceError("unavailable", "The storage of mail and attachments does not answer.", more);
    case "full":
      return new ServiceError("unavailable", "The storage of mail and attachments is full.", more);
    default:
      return new ServiceError("content_unreadable", "The stored content is lost or damaged.", { cause: error });
  }
}
