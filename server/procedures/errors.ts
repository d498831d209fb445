// The errors of procedures: what was thrown as an answer, with its body and headers, and in the log.
import { TRPCError } from "@trpc/server";
import { ZodError, type z } from "zod";
import type { Services } from "../base/context.ts";
import type { errorSchema, Issue } from "../base/errors/body.ts";
import { isDatabaseAway, ServiceError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";

/** The most field problems in an answer. */
const MAX_ISSUES = 100;

/**
 * Validation errors become `invalid_request` with their fields; unknown errors become `internal_error` without details.
 */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof TRPCError)) return unavailableOrInternal(error);
  if (error.cause instanceof ServiceError) return error.cause;
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) {
    const issues = error.cause.issues.slice(0, MAX_ISSUES).map(issueOf);
    const [first] = issues;
    const where = first?.path ? `${first.path}: ` : "";
    return new ServiceError("invalid_request", `${where}${first?.message ?? "The request is not valid."}`, { issues });
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

type Problem = z.core.$ZodIssue;
/** Of the texts of zod. */
const WRONG_TYPE = /^Invalid input: expected (\w+), received (\w+)$/;
const NOUNS: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};
const nounOf = (type: string) => NOUNS[type] ?? type;

/** A problem with a field, in the words of the API. */
export function issueOf(issue: Problem): Issue {
  return { path: issue.path.join("."), message: wordsOf(issue) };
}

function wordsOf(issue: Problem): string {
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    const words = issue.errors.flatMap(([first]) => (first && first.path.length === 0 ? [wordsOf(first)] : []));
    const kinds = [...new Set(words.map((each) => each.replace(/^is missing; it takes |^must be |, and is .*$/g, "")))];
    const isMissing = words.some((each) => each.startsWith("is missing"));
    if (words.length > 0) return `${isMissing ? "is missing; it takes" : "must be"} ${kinds.join(" or ")}`;
  }
  if (issue.code === "too_small" && issue.origin === "string") {
    return issue.minimum === 1 ? "must not be empty" : `must have at least ${issue.minimum} characters`;
  }
  if (issue.code === "too_big" && issue.origin === "string") return `must have at most ${issue.maximum} characters`;
  const [, expected = "", received] = WRONG_TYPE.exec(issue.message) ?? [];
  if (received === "undefined") return `is missing; it takes ${nounOf(expected)}`;
  if (received !== undefined) return `must be ${nounOf(expected)}, and is ${nounOf(received)}`;
  return issue.message;
}

function unavailableOrInternal(cause: unknown): ServiceError {
  return isDatabaseAway(cause)
    ? new ServiceError("unavailable", "The database does not answer.", {
        headers: { "Retry-After": "5" },
        cause,
      })
    : new ServiceError("internal_error", "The service failed to process the request.");
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
