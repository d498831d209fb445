// The errors of procedures: what was thrown as an answer, with its body and headers, and in the log.
import { TRPCError } from "@trpc/server";
import { ZodError, type z } from "zod";
import type { Services } from "../base/context.ts";
import { type errorSchema, ISSUES_MAX } from "../base/errors/body.ts";
import { codesOf, invalidFields, isDatabaseAway, ServiceError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { issueOf } from "./issues.ts";

/** Error codes of reads and writes after the caller disconnected. */
const DISCONNECT_CODES = new Set([
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
  "ECONNRESET",
  "EPIPE",
  "ABORT_ERR",
]);

/**
 * Validation errors become `invalid_request` with their fields; unknown errors become `internal_error` without details.
 * @param input what a validation error is about
 */
export function toServiceError(error: unknown, input?: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof TRPCError)) return unavailableOrInternal(error);
  if (error.cause instanceof ServiceError) return error.cause;
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) {
    return invalidFields(error.cause.issues.slice(0, ISSUES_MAX).map((issue) => issueOf(issue, input)));
  }
  if (error.code === "PARSE_ERROR" || error.cause instanceof SyntaxError)
    return new ServiceError("invalid_json", "The body is not valid JSON.");
  if (error.code === "PAYLOAD_TOO_LARGE") return new ServiceError("payload_too_large", "The body is too large.");
  if (error.code === "NOT_FOUND") return new ServiceError("not_found", "This procedure does not exist.");
  if (error.code === "METHOD_NOT_SUPPORTED") return new ServiceError("method_not_allowed", error.message);
  if (error.code === "UNSUPPORTED_MEDIA_TYPE") return new ServiceError("unsupported_media_type", error.message);
  if (error.code === "BAD_REQUEST") return new ServiceError("invalid_request", error.message);
  return unavailableOrInternal(error.cause);
}

function unavailableOrInternal(cause: unknown): ServiceError {
  return isDatabaseAway(cause)
    ? new ServiceError("unavailable", "The database does not answer.", {
        headers: { "Retry-After": "5" },
        cause,
      })
    : new ServiceError("internal_error", "The service failed to process the request.", { cause });
}

/**
 * The error envelope of specification §7, with `fix` (what to do), `issues` (field problems), `request_id` and the error's own fields.
 * @param requestId as in X-Request-Id; absent where no request was read
 */
export function errorBody(error: ServiceError, requestId?: string) {
  return {
    error: {
      code: error.code,
      message: error.message,
      fix: error.fix,
      ...(error.issues && { issues: error.issues }),
      ...(requestId !== undefined && { request_id: requestId }),
    },
    ...error.body,
  } satisfies z.infer<typeof errorSchema>;
}

/** The headers of an error: its own, and `WWW-Authenticate` for every 401 (RFC 9110 §11.6.1). */
export function errorHeaders(error: ServiceError): Record<string, string> {
  return error.status === 401 ? { "WWW-Authenticate": "Bearer", ...error.headers } : error.headers;
}

type Refused = { services: Pick<Services, "facts" | "log">; requestId: string };

/**
 * What a door answers to an error of a request. It is noted for the log line of the request, and logged if the service failed.
 * @param isGone whether the caller has disconnected
 */
export function refusalOf({ services, requestId }: Refused, error: unknown, isGone: boolean): ServiceError {
  const failure = toServiceError(error);
  services.facts.note({ failure });
  logFailure(services.log, error, requestId, isGone);
  return failure;
}

/** Logs a failure of the service, unless the caller disconnected before its answer was complete. */
export function logFailure(log: Logger, error: unknown, requestId: string, isGone: boolean): void {
  const serviceError = toServiceError(error);
  if (serviceError.status < 500) return;
  if (isGone && codesOf(error).some((code) => DISCONNECT_CODES.has(code)))
    log.debug({ request_id: requestId }, "the caller disconnected before its answer was complete");
  else log.error({ error, request_id: requestId }, serviceError.message);
}
