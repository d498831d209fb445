// The tRPC base: the request context, and the builders of procedures, which decide who may call.
import { initTRPC, TRPCError } from "@trpc/server";
import type { OpenApiMeta } from "trpc-to-openapi";
import { ZodError, z } from "zod";
import type { Client } from "../base/client-address.ts";
import {
  type Actor,
  type Agent,
  type Caller,
  type Ctx,
  callerId,
  hasScope,
  type KeyedCall,
  type Member,
  ROLES,
  type Role,
  type Scope,
  type Services,
} from "../base/context.ts";
import { type ErrorCode, TRPC_CODES } from "../base/errors/table.ts";
import { ServiceError } from "../base/errors.ts";
import { HEARTBEAT_MS } from "../base/heartbeat.ts";
import { beginKeyed, endKeyed, failKeyed, readIdempotencyKey } from "../base/idempotency.ts";
import { errorBody, toServiceError } from "./errors.ts";
import { explainMisplacedId } from "./misplaced-id.ts";
import { served } from "./reads.ts";
import type { ToolName } from "./tools.ts";

/** A binary answer. `size` in octets, null if it is not known in advance. */
export type Download = {
  contentType: string;
  filename: string | null;
  size: number | null;
  /** Octets that are in memory until the client has read them. */
  held?: number;
  body: AsyncIterable<Buffer | string>;
};

/** A download as JSON, for tRPC. */
export const downloadOutput = z.object({
  content_type: z.string(),
  filename: z.string().nullable(),
  size: z.int(),
  content_base64: z.string(),
});

/** The body of a request that is a file. `contentType`: what the request says it is. */
export type Octets = {
  contentType: string | undefined;
  /**
   * Reads it to the end. Call it once, when nothing else can refuse the request.
   * @throws ServiceError `payload_too_large`, `invalid_request` if it ends early, `unavailable`
   */
  read(maxBytes: number): Promise<Buffer>;
};

/** The context of a request. `headers` are those of the answer; a procedure may add some. */
export type RequestContext = {
  services: Services;
  requestId: string;
  /** The caller, or the refusal of the key or session, which is thrown only where a caller is needed. */
  actor: Actor | ServiceError;
  /** The same for the procedures that set up a second factor: also a member who is refused because it is missing. */
  settingUp?: Member | ServiceError;
  /**
   * The input of the procedure at `path`, in the types of its fields and without the nulls of optional ones.
   * @param inPath the fields that the path of the request has
   * @throws ServiceError `unknown_field`
   */
  checkInput(path: string, input: unknown, inPath?: string[]): unknown;
  /** Whether only the headers of the answer are sent: a call that blocks answers without waiting. */
  isHead: boolean;
  /** The Idempotency-Key header. */
  idempotencyKey: string | undefined;
  /** The Last-Event-ID header (HTML §9.2.4). */
  lastEventId: string | undefined;
  /** The signed payload of PAYMENT-SIGNATURE or X-PAYMENT, and the x402 version for a 402. */
  payment: { header: string | undefined; version: 1 | 2 };
  headers: Record<string, string>;
  /** Aborts if the caller disconnects before the answer was sent. */
  readonly signal: AbortSignal;
  client: Client;
  /** The Cookie header. */
  cookies: string | undefined;
  setCookies(cookies: string[]): void;
  /**
   * Counts one request of the caller, for an agent also of its enrollment key, and sets the RateLimit `headers`.
   * @throws ServiceError `rate_limited` with `Retry-After` in whole seconds
   */
  takeRequest(caller: Caller, headers: Record<string, string>): void;
  /** Counts one request of an enrollment key. Throws like `takeRequest`. */
  takeEnrollment(enrollmentKeyId: string): void;
  /**
   * Counts one request of a caller without a valid key or session. Throws like `takeRequest`; `headers` are set only
   * then.
   */
  takeAnonymous(network: string, headers?: Record<string, string>): void;
  /** Writes to the audit log that `member` starts a change. */
  beginAct: BeginAct;
  /** Counts the bytes of this request's body for `holder` until the answer is sent. */
  holdFor(holder: string): (bytes: number) => void;
  /** Counts the bytes of the answer, which are in memory until the client has read them. */
  holdAnswerFor(holder: string): (bytes: number) => void;
  /** Throws when the caller's key or session is no longer valid; for long answers. */
  allowed(): Promise<void>;
  /** The body, in REST, of a procedure with `consumesBytes`. Undefined elsewhere: a file is in the input, in base64. */
  octets: Octets | undefined;
  /** Answers with bytes in REST, and with base64 in tRPC. */
  send(download: Download): Promise<z.infer<typeof downloadOutput>>;
  /**
   * For a late answer. In REST, the call ends immediately with `placeholder`, which is not sent, and `work` is awaited
   * without keeping the call in memory. In tRPC, `work` is simply awaited.
   */
  later<Output>(work: () => Promise<Output>, placeholder: Output): Promise<Output>;
};

/**
 * Beside `openapi` (method, path, texts): the success status if it is not 200, the headers of the success answer, the
 * role that a member needs, the error codes, the largest body in bytes if it is not the default (meta.ts), the
 * media type of a binary answer (`RequestContext.send`), the most octets of a body that is a file
 * (`RequestContext.octets`), whether the procedure needs no key, whether it ignores unknown
 * fields, the scope that an agent key needs, the tool that agents call over MCP, and what an Idempotency-Key does
 * (docs/decisions/099): the answer is `stored`, the procedure has `found` its result again, or a `field` takes the key.
 */
export type Meta = OpenApiMeta<{
  status?: 200 | 201 | 202;
  responseHeaders?: Record<string, string>;
  role?: Role;
  errors?: ErrorCode[];
  maxBodyBytes?: number;
  produces?: string;
  consumesBytes?: number;
  open?: true;
  ignoresUnknown?: true;
  scope?: Scope;
  mcp?: ToolName;
  idempotency?: "stored" | "found" | "field";
  /** A query that only looks up a mailbox, which has its own connection and turns (base/batching/inbox-lookups.ts). */
  isLookup?: true;
  /** For mutations that may change nothing: whether a member's call with this input is in the audit log. */
  isAct?: (input: unknown) => boolean;
}>;

type Operation = NonNullable<Meta["openapi"]>;
type Texts = Pick<Operation, "tags" | "summary" | "description" | "successDescription" | "protect">;

/**
 * The meta of a procedure that REST has.
 * @param endpoint method and path, as the documents write them: `GET /v1/webhooks/{id}`
 * @param operationId the name in the OpenAPI document
 */
export function rest(
  endpoint: `${Operation["method"]} ${Operation["path"]}`,
  operationId: string,
  { tags, summary, description, successDescription, protect, ...more }: Texts & Omit<Meta, "openapi">,
): Meta {
  const [method, path] = endpoint.split(" ") as [Operation["method"], Operation["path"]];
  const texts = { tags, summary, description, successDescription, protect };
  return { ...more, openapi: { method, path, operationId, ...texts } };
}

const t = initTRPC
  .context<RequestContext>()
  .meta<Meta>()
  .create({
    isDev: false,
    // A client that receives nothing for three heartbeats treats the connection as lost.
    sse: {
      ping: { enabled: true, intervalMs: HEARTBEAT_MS },
      client: { reconnectAfterInactivityMs: 3 * HEARTBEAT_MS },
    },
    errorFormatter({ shape, error, ctx }) {
      const serviceError = toServiceError(error);
      const data = { ...shape.data, ...errorBody(serviceError, ctx?.requestId) };
      return { ...shape, message: serviceError.message, data };
    },
  });

const EVENT_STREAM = "text/event-stream";
/** The header of an answer that repeats an earlier one. */
const REPLAYED = "Idempotent-Replayed";

export const router = t.router;
export const mergeRouters = t.mergeRouters;

/**
 * Our errors and database outages keep their status in tRPC. The fields of the input are checked where it is read: after
 * the caller's key and scope.
 */
const procedure = t.procedure.use(async ({ ctx, path, getRawInput, next }) => {
  const result = await next({ getRawInput: async () => ctx.checkInput(path, await getRawInput()) });
  if (result.ok) return result;
  const isInvalid = result.error.code === "BAD_REQUEST" && result.error.cause instanceof ZodError;
  const input = isInvalid ? ctx.checkInput(path, await getRawInput()) : undefined;
  const thrown = toServiceError(result.error, input);
  if (!isInvalid && result.error.cause !== thrown && thrown.code !== "unavailable") return result;
  const serviceError = thrown.status === 404 ? explainMisplacedId(thrown, await getRawInput()) : thrown;
  throw new TRPCError({ code: TRPC_CODES[serviceError.status], message: serviceError.message, cause: serviceError });
});

/** Needs no key; rate limited by address. */
export const publicProcedure = procedure.meta({ open: true }).use(({ ctx, next }) => {
  ctx.takeAnonymous(ctx.client.network, ctx.headers);
  return next({ ctx: { ...ctx.services, request: ctx, actor: { kind: "anonymous" as const } } });
});

/** For agents whose key has `scope` (any agent if omitted), rate limited. */
export function agentProcedure(scope?: Scope) {
  return procedure.meta(scope ? { scope } : {}).use(({ ctx, next, path, type, getRawInput, meta }) => {
    const actor = identified(ctx, requireAgent);
    ctx.takeRequest(actor, ctx.headers);
    if (scope) requireScope(actor, scope);
    // A stream is no query: it has its own slot (events/slots.ts).
    const kind = meta?.produces === EVENT_STREAM ? "stream" : type;
    const call = { path, meta, getRawInput };
    const recorded = { verb: path, requestId: ctx.requestId };
    return once(ctx, actor, call, (keyed) =>
      served(ctx, actor, kind, (given) => next({ ctx: { ...given, keyed, call: recorded } })),
    );
  });
}

/**
 * For agents whose key has `scope` (any agent if undefined), and for members with at least `role`. Changes by members are in the audit
 * log, changes by agents in the activity of their key.
 */
export function callerProcedure(scope: Scope | undefined, role: Role) {
  return procedure.meta({ role, ...(scope && { scope }) }).use(async ({ ctx, next, path, type, getRawInput, meta }) => {
    const actor = identified(ctx, requireCaller);
    ctx.takeRequest(actor, ctx.headers);
    const kind = meta?.isLookup ? "lookup" : type;
    const call = { path, meta, getRawInput };
    const recorded = actor.kind === "agent" ? { verb: path, requestId: ctx.requestId } : undefined;
    const run = (act?: Act) =>
      once(ctx, actor, call, (keyed) =>
        served(ctx, actor, kind, (given) => next({ ctx: { ...given, keyed, call: recorded, act } })),
      );
    if (actor.kind === "member")
      return audited(actor, { path, type, getRawInput, ...meta }, { beginAct: ctx.beginAct, codeOf }, run);
    if (scope) requireScope(actor, scope);
    return run();
  });
}

/** For members with at least `role`; not for agents. */
export function memberProcedure(role: Role) {
  return membersOnly(role, (ctx) => ctx.actor);
}

/** For members who set up their second factor, also those who have no access without it. */
export function setUpProcedure() {
  return membersOnly("member", (ctx) => ctx.settingUp ?? ctx.actor);
}

function membersOnly(role: Role, from: (ctx: RequestContext) => RequestContext["actor"]) {
  return procedure.meta({ role }).use(async ({ ctx, next, path, type, getRawInput, meta }) => {
    const actor = identified(ctx, () => requireMember(from(ctx)));
    ctx.takeRequest(actor, ctx.headers);
    const run = (act?: Act) => served(ctx, actor, type, (given) => next({ ctx: { ...given, act } }));
    return audited(actor, { path, type, getRawInput, ...meta }, { beginAct: ctx.beginAct, codeOf }, run);
  });
}

/**
 * The input of a procedure with a field for the idempotency key. The header has the same effect, unless the field is given.
 * @throws ServiceError `invalid_request`
 */
export function withKey<Input extends object, Field extends keyof Input>(
  { request: { idempotencyKey } }: { request: Pick<RequestContext, "idempotencyKey"> },
  input: Input,
  field: Field,
): Input {
  if (idempotencyKey === undefined || input[field] !== undefined) return input;
  return { ...input, [field]: readIdempotencyKey(idempotencyKey) };
}

/** Says in the headers of the answer if an earlier call had the same effect. @returns `result` */
export function noteReplayed<Result extends { replayed?: boolean }>(
  { request: { headers } }: { request: Pick<RequestContext, "headers"> },
  result: Result,
): Result {
  if (result.replayed) headers[REPLAYED] = "true";
  return result;
}

type Repeatable = { path: string; meta: Meta | undefined; getRawInput: () => Promise<unknown> };

/**
 * Runs a procedure once for each Idempotency-Key, if it takes one. A repeated call gets the first answer.
 * @throws ServiceError what `beginKeyed` throws
 */
async function once<Result extends { ok: true; data: unknown } | { ok: false; error: unknown }>(
  ctx: RequestContext,
  actor: Caller,
  { path, meta, getRawInput }: Repeatable,
  run: (keyed: KeyedCall | undefined) => Promise<Result>,
): Promise<Result> {
  const { services, idempotencyKey: key } = ctx;
  const stores = meta?.idempotency === "stored";
  if (key === undefined || (!stores && meta?.idempotency !== "found")) return run(undefined);
  const caller = { organizationId: actor.organizationId, callerId: callerId(actor) };
  const { keyed, kept } = await beginKeyed(services, {
    ...caller,
    procedure: path,
    key,
    input: await getRawInput(),
    stores,
  });
  if (keyed.isRepeated) ctx.headers[REPLAYED] = "true";
  if (kept) {
    Object.assign(ctx.headers, kept.headers);
    return { ok: true, data: kept.data } as Result;
  }
  const before = new Set(Object.keys(ctx.headers));
  const result = await run(keyed);
  const headers = Object.fromEntries(Object.entries(ctx.headers).filter(([name]) => !before.has(name)));
  const end = result.ok
    ? endKeyed(services, keyed, stores ? { data: result.data, headers } : undefined)
    : failKeyed(services, keyed, toServiceError(result.error).status);
  // The call has its result. Without this note, the key is free when the lease ends.
  await end.catch((error) => services.log.error({ error }, "could not store the answer of an idempotency key"));
  return result;
}

const codeOf = (error: unknown) => toServiceError(error).code;

function requireScope(actor: Agent, scope: Scope): void {
  if (hasScope(actor.scopes, scope)) return;
  throw new ServiceError("insufficient_scope", `This key does not have the scope ${scope}.`, {
    fix: `Use an agent key that has the scope. An admin of your organization issues an enrollment key with ${scope} under Keys in the dashboard, and the operator with enrollment-keys issue --scopes.`,
  });
}

/**
 * The caller. A 401 counts against the rate limit of the client's address, which limits guesses of keys.
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
  if (actor.kind !== "member")
    throw new ServiceError("unauthorized", "This call needs a dashboard session. Sign in first.");
  return actor;
}

export function requireAgent(actor: Actor | ServiceError): Agent {
  if (actor instanceof ServiceError) throw actor;
  if (actor.kind !== "agent") throw new ServiceError("unauthorized", "This call needs an agent key.");
  return actor;
}

type Call = {
  path: string;
  type: string;
  getRawInput: () => Promise<unknown>;
  /** Absent: only owners may. */
  role?: Role;
  isAct?: (input: unknown) => boolean;
};

type Act = NonNullable<Ctx["act"]> & {
  /** @param made what the call answered: the id of what it made */
  end(outcome: string, made?: unknown): Promise<void>;
};
type BeginAct = (member: Member, act: { action: string; input: unknown }) => Promise<Act>;

type Log = {
  beginAct: BeginAct;
  /** The code of what a procedure threw. */
  codeOf(error: unknown): string;
};

/**
 * Runs a procedure for a member. A change is written to the audit log before it is made, and its result afterwards; a
 * change that the role forbids is written with the refusal.
 * @throws ServiceError `insufficient_role`
 */
async function audited<Result extends { ok: true; data: unknown } | { ok: false; error: unknown }>(
  member: Member,
  { path, type, getRawInput, role = "owner", isAct = () => true }: Call,
  { beginAct, codeOf }: Log,
  run: (act?: Act) => Promise<Result>,
): Promise<Result> {
  const refusal = roleRefusal(member, role);
  if (type !== "mutation") {
    if (refusal) throw refusal;
    return run();
  }
  if (refusal) {
    // An input that cannot be read has no subject; the answer is about the role.
    const input = await getRawInput().catch(() => undefined);
    const act = await beginAct(member, { action: path, input });
    await act.end(refusal.code);
    throw refusal;
  }
  const input = await getRawInput();
  if (!isAct(input)) return run();
  const act = await beginAct(member, { action: path, input });
  const result = await run(act);
  if (result.ok) await act.end("done", result.data);
  else await act.end(codeOf(result.error));
  return result;
}

function roleRefusal(actor: Member, role: Role): ServiceError | undefined {
  if (ROLES.indexOf(actor.role) >= ROLES.indexOf(role)) return undefined;
  return new ServiceError("insufficient_role", `This call needs the role ${role}. Your role is ${actor.role}.`);
}
