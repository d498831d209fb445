// The one error table: a code, its HTTP status, its tRPC code, and what the caller can do about it.
// Verbs throw ServiceError; api/rest.ts and api/trpc.ts turn it into an answer, api/openapi.ts into the document.

export const ERRORS = {
  invalid_request: { status: 400, trpc: "BAD_REQUEST", fix: "Correct the fields named in `issues` and repeat." },
  invalid_json: { status: 400, trpc: "BAD_REQUEST", fix: "Send one JSON object as the body." },
  invalid_cursor: { status: 400, trpc: "BAD_REQUEST", fix: "Start again without `cursor`." },
  invalid_webhook_url: {
    status: 400,
    trpc: "BAD_REQUEST",
    fix: "Use an https URL whose host is on the public internet.",
  },
  unauthorized: {
    status: 401,
    trpc: "UNAUTHORIZED",
    fix: "Send `Authorization: Bearer <agent key>`; POST /v1/enroll gives a fresh key for an enrollment key.",
  },
  insufficient_scope: { status: 403, trpc: "FORBIDDEN", fix: "Use an agent key that carries the scope." },
  domain_not_allowed: {
    status: 403,
    trpc: "FORBIDDEN",
    fix: "Use one of the domains in `allowed_domains` of GET /v1/auth/me, or omit `domain`.",
  },
  not_found: { status: 404, trpc: "NOT_FOUND", fix: "See GET /v1/openapi.json for the paths there are." },
  inbox_not_found: { status: 404, trpc: "NOT_FOUND", fix: "GET /v1/inboxes lists the inboxes this key can see." },
  message_not_found: {
    status: 404,
    trpc: "NOT_FOUND",
    fix: "GET /v1/inboxes/{addr}/messages lists the messages this key can see.",
  },
  webhook_not_found: { status: 404, trpc: "NOT_FOUND", fix: "GET /v1/webhooks lists the webhooks there are." },
  method_not_allowed: { status: 405, trpc: "METHOD_NOT_SUPPORTED", fix: "Use a method named in `Allow`." },
  enrollment_token_exhausted: {
    status: 409,
    trpc: "CONFLICT",
    fix: "Ask the operator for an enrollment key with free mailboxes; deleting a mailbox does not free one.",
  },
  address_taken: { status: 409, trpc: "CONFLICT", fix: "Choose another `username`, or omit it." },
  idempotency_conflict: {
    status: 409,
    trpc: "CONFLICT",
    fix: "Use a new idempotency key for a request with other content.",
  },
  inbox_deleted: { status: 409, trpc: "CONFLICT", fix: "Use a new `client_id` to create another mailbox." },
  payload_too_large: { status: 413, trpc: "PAYLOAD_TOO_LARGE", fix: "Send a smaller body." },
  unsupported_media_type: {
    status: 415,
    trpc: "UNSUPPORTED_MEDIA_TYPE",
    fix: "Send the body as `Content-Type: application/json`.",
  },
  daily_send_cap_exceeded: {
    status: 429,
    trpc: "TOO_MANY_REQUESTS",
    fix: "Wait `Retry-After` seconds; GET /v1/inboxes/{addr}/send-limit shows the cap and when it grows.",
  },
  rate_limited: { status: 429, trpc: "TOO_MANY_REQUESTS", fix: "Wait `Retry-After` seconds and repeat." },
  internal_error: {
    status: 500,
    trpc: "INTERNAL_SERVER_ERROR",
    fix: "Repeat the request; give the operator the X-Request-Id if it fails again.",
  },
  unavailable: { status: 503, trpc: "SERVICE_UNAVAILABLE", fix: "Wait `Retry-After` seconds and repeat." },
} as const satisfies Record<string, { status: number; trpc: string; fix: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One field problem: `path` is dotted (`to.0`), `message` says what is wrong. */
export type Issue = { path: string; message: string };

/**
 * A refusal that the caller is told about.
 * @param code row of ERRORS, decides the status
 * @param message what happened, for a person or an agent; never a secret, never SQL
 * @param more `issues` (field problems) and `headers` (e.g. `Retry-After`, whole seconds)
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { issues?: Issue[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "ServiceError";
    this.code = code;
    this.issues = more.issues;
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
