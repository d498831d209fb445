// The tRPC base: what a request carries, the procedures the routers build on, and how an error is told at either door.
import { initTRPC, TRPCError } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import { ZodError } from "zod";
import type { Actor, Agent, Scope, Services } from "../context.ts";
import { ERRORS, type ErrorCode, ServiceError } from "../errors.ts";
import type { TakeRequest } from "./rate-limit.ts";

/** What a request carries. `headers` are the answer's; a procedure may add to them. */
export type RequestContext = {
  services: Services;
  requestId: string;
  /** Who calls, or the refusal of the key they showed, told only where a key is needed. */
  actor: Actor | ServiceError;
  takeRequest: TakeRequest;
  /** The Idempotency-Key header. */
  idempotencyKey: string | undefined;
  headers: Record<string, string>;
};

/**
 * Beside `openapi` (method, path, texts): the success status when it is not 200, the success answer's own headers with
 * their meaning, the codes it may refuse with, and the largest body in bytes when it is not MAX_BODY_BYTES.
 */
export type Meta = OpenApiMeta<{
  status?: 200 | 201 | 202;
  responseHeaders?: Record<string, string>;
  errors?: ErrorCode[];
  maxBodyBytes?: number;
}>;

const t = initTRPC
  .context<RequestContext>()
  .meta<Meta>()
  .create({
    isDev: false,
    errorFormatter({ shape, error }) {
      const told = toServiceError(error);
      return { ...shape, message: told.message, data: { ...shape.data, error: errorBody(told).error } };
    },
  });

export const router = t.router;

/** A refusal of ours, and a database that is away, keep their status at the tRPC door. */
const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  const told = toServiceError(result.error);
  if (result.error.cause !== told && told.code !== "unavailable") return result;
  throw new TRPCError({ code: ERRORS[told.code].trpc, message: told.message, cause: told });
});

/** Open to a caller without a key. */
export const publicProcedure = procedure.use(({ ctx, next }) =>
  next({ ctx: { ...ctx.services, headers: ctx.headers, actor: { kind: "anonymous" as const } } }),
);

/** Open to an agent whose key carries `scope` (any agent when it is omitted), within its rate limit. */
export function agentProcedure(scope?: Scope) {
  return procedure.use(({ ctx, next }) => {
    const actor = requireAgent(ctx.actor);
    ctx.takeRequest(actor.keyId, ctx.headers);
    if (scope && !actor.scopes.includes(scope)) {
      throw new ServiceError("insufficient_scope", `This key lacks the scope ${scope}.`);
    }
    return next({ ctx: { ...ctx.services, headers: ctx.headers, idempotencyKey: ctx.idempotencyKey, actor } });
  });
}

function requireAgent(actor: Actor | ServiceError): Agent {
  if (actor instanceof ServiceError) throw actor;
  if (actor.kind !== "agent") throw new ServiceError("unauthorized", "This call needs an agent key.");
  return actor;
}

/** Validation errors become `invalid_request` with their fields; what is not ours to tell becomes `internal_error`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof TRPCError)) return unavailableOrInternal(error);
  if (error.cause instanceof ServiceError) return error.cause;
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) {
    const issues = error.cause.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
    const [first] = issues;
    const where = first?.path ? `${first.path}: ` : "";
    return new ServiceError("invalid_request", `${where}${first?.message ?? "The request is not valid."}`, { issues });
  }
  if (error.code === "PARSE_ERROR" || error.cause instanceof SyntaxError)
    return new ServiceError("invalid_json", "The body is not valid JSON.");
  if (error.code === "PAYLOAD_TOO_LARGE") return new ServiceError("payload_too_large", "The body is too large.");
  if (error.code === "NOT_FOUND") return new ServiceError("not_found", "There is nothing here.");
  if (error.code === "METHOD_NOT_SUPPORTED") return new ServiceError("method_not_allowed", error.message);
  if (error.code === "UNSUPPORTED_MEDIA_TYPE") return new ServiceError("unsupported_media_type", error.message);
  if (error.code === "BAD_REQUEST") return new ServiceError("invalid_request", error.message);
  return unavailableOrInternal(error.cause);
}

const CONNECTION_CODES = /^(CONNECT_TIMEOUT|CONNECTION_|ECONN|ENOENT|EPIPE|57P0|53|08)/;

function unavailableOrInternal(cause: unknown): ServiceError {
  const chain = cause instanceof Error ? [cause, cause.cause] : [];
  const away = chain.some((link) => {
    const code = link instanceof Error && "code" in link ? String(link.code) : "";
    return CONNECTION_CODES.test(code);
  });
  return away
    ? new ServiceError("unavailable", "The database is not available at the moment.", {
        headers: { "Retry-After": "5" },
        cause,
      })
    : new ServiceError("internal_error", "Something went wrong on our side.");
}

/** The error envelope of specification §7, with `fix` (what to do) and `issues` (field problems) added. */
export function errorBody(error: ServiceError) {
  return {
    error: {
      code: error.code,
      message: error.message,
      fix: ERRORS[error.code].fix,
      ...(error.issues && { issues: error.issues }),
    },
  };
}

/** The headers that go with an error: its own, and `WWW-Authenticate` with every 401 (RFC 9110 §11.6.1). */
export function errorHeaders(error: ServiceError): Record<string, string> {
  return error.status === 401 ? { "WWW-Authenticate": "Bearer", ...error.headers } : error.headers;
}
