// Builds the context of a request: the caller, by key or session, and how the answer is sent.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../base/client-address.ts";
import type { Member, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { queryOf } from "../base/request-target.ts";
import { beginAct } from "../organizations/audit.ts";
import { hasSession, readMember } from "../organizations/session.ts";
import { inputCheck } from "../procedures/meta.ts";
import type { RequestContext } from "../procedures/procedures.ts";
import { type Authenticate, createAuthenticate } from "./auth.ts";
import type { HoldBytes } from "./bodies/body-budget.ts";
import { downloadInJson } from "./bodies/download.ts";
import { createAuthenticateApp } from "./mcp/app-token.ts";
import { createRateLimits, type RateLimits } from "./rate-limit.ts";
import { appRouter } from "./router.ts";

type Given = Pick<RequestContext, "requestId" | "client">;
type Ending = Pick<RequestContext, "signal"> & { held(release: () => void): void };

const checkInput = inputCheck(appRouter);

export type Contexts = {
  limits: RateLimits;
  /** Finds the caller of an Authorization header. */
  authenticate: Authenticate;
  /** Counts the body of a request without a context. */
  holdFor(res: ServerResponse, holder: string): HoldBytes;
  /** For a caller with an agent key, or none. */
  contextFor(req: IncomingMessage, res: ServerResponse, given: Given): Promise<RequestContext>;
  /** The same, also for a connected app with its token. */
  appContextFor(req: IncomingMessage, res: ServerResponse, given: Given): Promise<RequestContext>;
  /** For a caller with an agent key who came by another protocol than HTTP. `held`: called with what ends the count of its bytes. */
  keyContextFor(authorization: string, given: Given & Ending): Promise<RequestContext>;
  /** The same, with the member of the request's session if there is no key. */
  withSession(req: IncomingMessage, context: RequestContext): Promise<RequestContext>;
};

type State = {
  services: Services;
  authenticate: Authenticate;
  authenticateApp: Authenticate;
  limits: ReturnType<typeof createRateLimits>;
};

export function createContexts(services: Services): Contexts {
  const authenticate = createAuthenticate(services);
  const state: State = {
    services,
    authenticate,
    authenticateApp: createAuthenticateApp(services, authenticate),
    limits: createRateLimits(services.settings),
  };
  return {
    limits: state.limits,
    authenticate,
    holdFor: (res, holder) => holdFor(state, res, holder),
    contextFor: (req, res, given) => contextFor(state, req, res, given),
    keyContextFor: (authorization, given) => callerContext(state, authorization, given),
    appContextFor: (req, res, given) => contextFor({ ...state, authenticate: state.authenticateApp }, req, res, given),
    withSession: (req, context) => withSession(state, req, context),
  };
}

function holdFor({ services: { bodies } }: State, res: ServerResponse, holder: string): HoldBytes {
  const { hold, release } = bodies.open(holder);
  res.once("close", release);
  return hold;
}

async function contextFor(
  state: State,
  req: IncomingMessage,
  res: ServerResponse,
  given: Given,
): Promise<RequestContext> {
  const { authorization, "idempotency-key": idempotencyKey, "last-event-id": lastEventId } = req.headers;
  const ending = { signal: goneSignal(res), held: (release: () => void) => void res.once("close", release) };
  return {
    ...(await callerContext(state, authorization, { ...given, ...ending })),
    isHead: req.method === "HEAD",
    idempotencyKey: idempotencyKey?.toString(),
    lastEventId: lastEventId?.toString(),
    payment: shownPayment(req),
    cookies: req.headers.cookie,
    setCookies: (cookies) => cookies.forEach((cookie) => void res.appendHeader("Set-Cookie", cookie)),
  };
}

/** What is the same over every protocol. */
async function callerContext(
  state: State,
  authorization: string | undefined,
  { signal, held, ...given }: Given & Ending,
): Promise<RequestContext> {
  const actor = await state.authenticate(authorization);
  noteCaller(state, actor);
  return {
    services: state.services,
    ...given,
    actor,
    ...state.limits,
    checkInput,
    isHead: false,
    idempotencyKey: undefined,
    lastEventId: undefined,
    payment: { header: undefined, version: 1 },
    headers: {},
    cookies: undefined,
    setCookies: () => undefined,
    holdFor(holder) {
      const { hold, release } = state.services.bodies.open(holder);
      held(release);
      return hold;
    },
    holdAnswerFor(holder) {
      const { hold, release } = state.services.answers.open(holder);
      held(release);
      return hold;
    },
    signal,
    async allowed() {
      const still = await state.authenticate(authorization);
      if (still instanceof ServiceError) throw still;
    },
    beginAct: (member, act) => beginAct(state.services, member, { ...act, requestId: given.requestId }),
    octets: undefined,
    send: downloadInJson,
    later: (work) => work(),
  };
}

function noteCaller({ services }: State, actor: RequestContext["actor"]): void {
  if (actor instanceof ServiceError || (actor.kind !== "agent" && actor.kind !== "member")) return;
  const caller = actor.kind === "agent" ? encodeId("akey", actor.keyId) : encodeId("usr", actor.userId);
  services.facts.note({ organization: actor.organizationId, caller });
}

/** Only tRPC accepts a session in place of an agent key. Agents have no cookies, and REST accepts none. */
async function withSession(state: State, req: IncomingMessage, context: RequestContext): Promise<RequestContext> {
  if (req.headers.authorization !== undefined || !hasSession(req.headers)) return context;
  const mayOmitOrigin = req.method === "GET" && req.headers.origin === undefined;
  if (!mayOmitOrigin && !isSameOrigin(req, context.client, state.services.settings.PUBLIC_URL)) {
    const message = "Pages of another origin (scheme, host or port) cannot use this session.";
    return { ...context, actor: new ServiceError("cross_origin", message) };
  }
  const organization = queryOf(req).get("organization") ?? undefined;
  const read = () => readMember(state.services, req.headers, organization, context.setCookies);
  const found = await read();
  const actor = withSecondFactor(found);
  noteCaller(state, actor);
  return {
    ...context,
    actor,
    settingUp: found,
    async allowed() {
      const still = withSecondFactor(await read());
      if (still instanceof ServiceError) throw still;
    },
  };
}

type Sent = Pick<IncomingMessage, "headers">;

/**
 * Scheme, host and port that the client used, because a service may have several names; those of PUBLIC_URL without a
 * Host header.
 */
export function originOf({ headers: { host } }: Sent, { scheme }: Client, publicUrl: string): string {
  const url = `${scheme}://${host}`;
  return host && URL.canParse(url) ? new URL(url).origin : new URL(publicUrl).origin;
}

/** Whether the `Origin` header, which browsers send with every POST, is the origin of this request or of PUBLIC_URL. */
function isSameOrigin(req: Sent, client: Client, publicUrl: string): boolean {
  const { origin } = req.headers;
  if (origin === undefined) return false;
  return origin === originOf(req, client, publicUrl) || origin === new URL(publicUrl).origin;
}

function withSecondFactor(found: Member | ServiceError): Member | ServiceError {
  if (found instanceof ServiceError || found.secondFactor !== "missing") return found;
  return new ServiceError("second_factor_missing", "One of your organizations requires a second factor.");
}

/** The payload, and the x402 version in which a 402 is written; each version has its own header. */
function shownPayment({ headers }: IncomingMessage): RequestContext["payment"] {
  const header = headers["payment-signature"] ?? headers["x-payment"];
  return { header: header?.toString(), version: headers["x-402-version"] === "2" ? 2 : 1 };
}

/** Aborts if the connection closes before the whole answer was sent. */
function goneSignal(res: ServerResponse): AbortSignal {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  res.once("close", () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
