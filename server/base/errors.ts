// The errors of operations. Operations throw ServiceError; procedures/errors.ts turns it into an answer,
// and api/openapi/refusals.ts documents it.
import type { Issue } from "./errors/body.ts";
import { ERRORS, type ErrorCode } from "./errors/table.ts";
import type { BlobProblem } from "./ports/blobs.ts";

/**
 * An error that is sent to the caller.
 * @param code row of ERRORS, decides the status
 * @param message what happened, for a person or an agent; never a secret, never SQL
 * @param more `issues` (field problems), `headers` (e.g. `Retry-After`, whole seconds), `body` (fields beside
 * `error`), and `fix`, which replaces the default of the table
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly issues: Issue[] | undefined;
  readonly headers: Record<string, string>;
  readonly body: Record<string, unknown>;
  readonly fix: string;

  constructor(
    code: ErrorCode,
    message: string,
    more: {
      issues?: Issue[];
      headers?: Record<string, string>;
      body?: Record<string, unknown>;
      fix?: string;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: more.cause });
    this.name = "ServiceError";
    this.code = code;
    this.issues = more.issues;
    this.headers = more.headers ?? {};
    this.body = more.body ?? {};
    this.fix = more.fix ?? ERRORS[code].fix;
  }

  get status() {
    return ERRORS[this.code].status;
  }
}

/** A field that is refused. @param path as the caller wrote it, e.g. `to[0]` @param message follows the path and a colon */
export function invalidField(path: string, message: string): ServiceError {
  return new ServiceError("invalid_request", `${path}: ${message}`, { issues: [{ path, message }] });
}

/** Fields that are refused. @param issues the first one is the message; an empty path is the whole request */
export function invalidFields(issues: Issue[]): ServiceError {
  const [first] = issues;
  const where = first?.path ? `${first.path}: ` : "";
  return new ServiceError("invalid_request", `${where}${first?.message ?? "The request is not valid."}`, { issues });
}

/** @throws ServiceError `invalid_request` with the issues, if there are any */
export function refuseFields(issues: Issue[]): void {
  if (issues.length > 0) throw invalidFields(issues);
}

/** @param allow the methods that the path takes @param fix what is meant, if that is known */
export function methodNotAllowed(method: string | undefined, allow: string[], fix?: string): ServiceError {
  return new ServiceError("method_not_allowed", `This path does not take ${method}.`, {
    headers: { Allow: allow.join(", ") },
    fix: fix ?? `${ERRORS.method_not_allowed.fix.replace(/\.$/, "")}: ${allow.join(", ")}.`,
  });
}

/** Thrown by the adapters of the port to stored content. */
export class BlobError extends Error {
  override readonly name = "BlobError";
  readonly problem: BlobProblem;

  constructor(problem: BlobProblem, message: string, cause?: unknown) {
    super(message, { cause });
    this.problem = problem;
  }
}

/** Thrown when the database did not answer in time. The query may still succeed. */
export class DatabaseLate extends Error {
  override readonly name = "DatabaseLate";
  /** The code that postgres.js uses for one query: see db/client.ts. */
  readonly code = "QUERY_TIMEOUT";
}

/** Codes of Node, postgres.js and PostgreSQL that mean the database cannot be reached or refuses work. */
const AWAY =
  /^(CONNECT_TIMEOUT|CONNECTION_|ECONN|ENOENT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EPIPE|TLS_|TARGET_|[A-Z_]*CERT|57P0|53|08|28|25006)/;
/** Codes of timeouts: connection, statement, lock, idle transaction. */
const LATE = /^(QUERY_TIMEOUT|CONNECT_TIMEOUT|CONNECTION_QUEUE_FULL|57014|55P03|25P03)$/;

/** Classes of SQLSTATE: cardinality, data, constraints, rollback by a conflict, limits of a statement. */
const OF_ONE_ITEM = /^(?:21|22|23|40|54)[0-9A-Z]{3}$/;

/** The codes of an error and of its cause; "" for one without. */
export function codesOf(error: unknown): string[] {
  const chain = error instanceof Error ? [error, error.cause] : [];
  return chain.map((link) => (link instanceof Error && "code" in link ? String(link.code) : ""));
}

/** Whether one item of a batch, or a conflict between two, can be the cause of its failure (SQLSTATE classes): alone, the others may succeed. */
export function isOfOneItem(error: unknown): boolean {
  return codesOf(error).some((code) => OF_ONE_ITEM.test(code));
}

/** Whether a query failed because the database did not answer in time. A retry now would take as long again. */
export function isDatabaseLate(error: unknown): boolean {
  return codesOf(error).some((code) => LATE.test(code));
}

/** Whether a query failed because of the database's state, not its content: the caller may retry later. */
export function isDatabaseAway(error: unknown): boolean {
  return codesOf(error).some((code) => AWAY.test(code) || LATE.test(code));
}
