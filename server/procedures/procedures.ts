// The tRPC base: what a request carries, the procedures the routers build on, and how an error is told at either door.
import { initTRPC, TRPCError } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import { ZodError, z } from "zod";
import type { Client } from "../base/client-address.ts";
import {
  type Actor,
  type Agent,
  type Caller,
  type Member,
  ROLES,
  type Role,
  type Scope,
  type Services,
} from "../base/context.ts";
import { ERRORS, type ErrorCode, isDatabaseAway, ServiceError } from "../base/errors.ts";
import { HEARTBEAT_MS } from "../base/heartbeat.ts";

/** An answer of bytes. `size` in octets, null when it is not known before it ends. */
export type Download = {
  contentType: string;
  filename: string | null;
  size: number | null;
  body: AsyncIterable<Buffer | string>;
};

/** What a download is in JSON, as the tRPC door gives it. */
export const downloadOutput = z.object({
  content_type: z.string(),
  filename: z.string().nullable(),
  size: z.int(),
  content_base64: z.string(),
});

/** What a request carries. `headers` are the answer's; a procedure may add to them. */
export type RequestContext = {
  services: Services;
  requestId: string;
  /** Who calls, or the refusal of the key or session they showed, told only where one is needed. */
  actor: Actor | ServiceError;
  /** The Idempotency-Key header. */
  idempotencyKey: string | undefined;
  /** The Last-Event-ID header (HTML §9.2.4). */
  lastEventId: string | undefined;
  /** The signed payload of PAYMENT-SIGNATURE or X-PAYMENT, and the x402 version in which a 402 is read. */
  payment: { header: string | undefined; version: 1 | 2 };
  headers: Record<string, string>;
  /** Aborts when the caller has gone before the answer was sent. */
  readonly signal: AbortSignal;
  client: Client;
  /** The Cookie header. */
  cookies: string | undefined;
  setCookies(cookies: string[]): void;
  /**
   * Takes one request of the caller, for an agent also one of its enrollment key, and says in `headers` what is left.
   * @throws ServiceError `rate_limited` with `Retry-After` in whole seconds
   */
  takeRequest(caller: Caller, headers: Record<string, string>): void;
  /** Takes one request of an enrollment key. Throws as `takeRequest`. */
  takeEnrollment(enrollmentKeyId: string): void;
  /** Takes one request of a caller without a good key or session. Throws as `takeRequest`; `headers` are set only then. */
  takeAnonymous(network: string, headers?: Record<string, string>): void;
  /** Writes into the audit log that `member` begins a change; the returned function writes how it ended. */
  beginAct(member: Member, act: { action: string; input: unknown }): Promise<(outcome: string) => Promise<void>>;
  /** Counts the bytes of this request's body for `holder` until the answer is sent. */
  holdFor(holder: string): (bytes: number) => void;
  /** Throws once the caller's key or session is no longer good: for answers that take their time. */
  allowed(): Promise<void>;
  /** Answers with bytes at the REST door, with the same in base64 at the tRPC door. */
  send(download: Download): Promise<z.infer<typeof downloadOutput>>;
  /**
   * For an answer that is long in coming: at the REST door the call ends at once with `placeholder`, which nobody sees, and
   * `work` is awaited with nothing of the call left in memory. At the tRPC door it is simply awaited.
   */
  later<Output>(work: () => Promise<Output>, placeholder: Output): Promise<Output>;
};

/**
 * Beside `openapi` (method, path, texts): the success status when it is not 200, the success answer's own headers with
 * their meaning, the role a member needs, the codes it may refuse with, the largest body in bytes when it is not the default (api/routes.ts), the
 * media type of an answer that REST gives as bytes (`RequestContext.send`), and whether it is open to callers without a key.
 */
export type Meta = OpenApiMeta<{
  status?: 200 | 201 | 202;
  responseHeaders?: Record<string, string>;
  role?: Role;
  errors?: ErrorCode[];
  maxBodyBytes?: number;
  produces?: string;
  open?: true;
}>;

const t = initTRPC
  .context<RequestContext>()
  .meta<Meta>()
  .create({
    isDev: false,
    // A client that hears nothing for three heartbeats takes the connection for lost.
    sse: {
      ping: { enabled: true, intervalMs: HEARTBEAT_MS },
      client: { reconnectAfterInactivityMs: 3 * HEARTBEAT_MS },
    },
    errorFormatter({ shape, error }) {
      const told = toServiceError(error);
      return { ...shape, message: told.message, data: { ...shape.data, ...errorBody(told) } };
    },
  });

export const router = t.router;
export const mergeRouters = t.mergeRouters;

/** A refusal of ours, and a database that is away, keep their status at the tRPC door. */
const procedure = t.procedure.use(async ({ next }) => {
  const result = await next();
  if (result.ok) return result;
  const told = toServiceError(result.error);
  if (result.error.cause !== told && told.code !== "unavailable") return result;
  throw new TRPCError({ code: ERRORS[told.code].trpc, message: told.message, cause: told });
});

/** Open to a caller without a key, within the rate of its address. */
export const publicProcedure = procedure.meta({ open: true }).use(({ ctx, next }) => {
  ctx.takeAnonymous(ctx.client.network);
  return next({ ctx: { ...ctx.services, request: ctx, actor: { kind: "anonymous" as const } } });
});

/** Open to an agent whose key carries `scope` (any agent when it is omitted), within its rate limit. */
export function agentProcedure(scope?: Scope) {
  return procedure.use(({ ctx, next }) => {
    const actor = identified(ctx, requireAgent);
    ctx.takeRequest(actor, ctx.headers);
    if (scope) requireScope(actor, scope);
    return next({ ctx: { ...ctx.services, request: ctx, actor } });
  });
}

/** Open to an agent whose key carries `scope`, and to a member of at least `role`. What a member changes is in the audit log. */
export function callerProcedure(scope: Scope, role: Role) {
  return procedure.meta({ role }).use(async ({ ctx, next, path, type, getRawInput }) => {
    const actor = identified(ctx, requireCaller);
    ctx.takeRequest(actor, ctx.headers);
    if (actor.kind === "agent") requireScope(actor, scope);
    else requireRole(actor, role);
    const run = () => next({ ctx: { ...ctx.services, request: ctx, actor } });
    return actor.kind === "member" ? audited(ctx, actor, { path, type, getRawInput }, run) : run();
  });
}

/** Open to a member of at least `role`, and to no agent. */
export function memberProcedure(role: Role) {
  return procedure.meta({ role }).use(async ({ ctx, next, path, type, getRawInput }) => {
    const actor = identified(ctx, requireMember);
    ctx.takeRequest(actor, ctx.headers);
    requireRole(actor, role);
    return audited(ctx, actor, { path, type, getRawInput }, () =>
      next({ ctx: { ...ctx.services, request: ctx, actor } }),
    );
  });
}

type Call = { path: string; type: string; getRawInput: () => Promise<unknown> };

/** What changes something is written into the audit log before it is done, and what came of it after. */
async function audited<Result extends { ok: true } | { ok: false; error: unknown }>(
  { beginAct }: RequestContext,
  member: Member,
  { path, type, getRawInput }: Call,
  run: () => Promise<Result>,
): Promise<Result> {
  if (type !== "mutation") return run();
  const end = await beginAct(member, { action: path, input: await getRawInput() });
  const result = await run();
  await end(result.ok ? "done" : toServiceError(result.error).code);
  return result;
}

function requireScope(actor: Agent, scope: Scope): void {
  if (!actor.scopes.includes(scope)) throw new ServiceError("insufficient_scope", `This key lacks the scope ${scope}.`);
}

function requireRole(actor: Member, role: Role): void {
  if (ROLES.indexOf(actor.role) >= ROLES.indexOf(role)) return;
  throw new ServiceError("insufficient_role", `This needs the role ${role}; you are ${actor.role}.`);
}

/**
 * Who calls. A 401 counts against the rate of the client's address, so that keys cannot be guessed at any speed.
 * @throws ServiceError what `require` throws, or `rate_limited`
 */
export function identified<A>(ctx: RequestContext, require: (actor: RequestContext["actor"]) => A): A {
  try {
    return require(ctx.actor);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) ctx.takeAnonymous(ctx.client.network, ctx.headers);
    throw error;
  }
}

function requireCaller(actor: Actor | ServiceError): Caller {
  if (actor instanceof ServiceError) throw actor;
  if (actor.kind === "member") return actor;
  return requireAgent(actor);
}

export function requireMember(actor: Actor | ServiceError): Member {
  if (actor instanceof ServiceError) throw actor;
  if (actor.kind !== "member") throw new ServiceError("unauthorized", "Sign in to the dashboard for this.");
  return actor;
}

function requireAgent(actor: Actor | ServiceError): Agent {
  if (actor instanceof ServiceError) throw actor;
  if (actor.kind !== "agent") throw new ServiceError("unauthorized", "This call needs an agent key.");
  return actor;
}

/** Field problems that an answer names. */
const MAX_ISSUES = 100;

/** Validation errors become `invalid_request` with their fields; what is not ours to tell becomes `internal_error`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof TRPCError)) return unavailableOrInternal(error);
  if (error.cause instanceof ServiceError) return error.cause;
  if (error.code === "BAD_REQUEST" && error.cause instanceof ZodError) {
    const issues = error.cause.issues
      .slice(0, MAX_ISSUES)
      .map((issue) => ({ path: issue.path.join("."), message: issue.message }));
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

function unavailableOrInternal(cause: unknown): ServiceError {
  return isDatabaseAway(cause)
    ? new ServiceError("unavailable", "The database does not answer.", {
        headers: { "Retry-After": "5" },
        cause,
      })
    : new ServiceError("internal_error", "Something went wrong on our side.");
}

/** The error envelope of specification §7, with `fix` (what to do), `issues` (field problems) and what the error itself has to say. */
export function errorBody(error: ServiceError) {
  return {
    error: {
      code: error.code,
      message: error.message,
      fix: ERRORS[error.code].fix,
      ...(error.issues && { issues: error.issues }),
    },
    ...error.body,
  };
}

/** The headers that go with an error: its own, and `WWW-Authenticate` with every 401 (RFC 9110 §11.6.1). */
export function errorHeaders(error: ServiceError): Record<string, string> {
  return error.status === 401 ? { "WWW-Authenticate": "Bearer", ...error.headers } : error.headers;
}
