// Routes paths to doors: /v1 (also below /x402) is REST, /trpc tRPC, /mcp MCP, /auth sign-in, /mail-html mail, else pages.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { pathOf } from "../base/request-target.ts";
import { databaseAnswers, tryWrite, within } from "../base/sampling/probe.ts";
import { shared } from "../base/sampling/shared.ts";
import { version } from "../base/version.ts";
import { whenNeeded } from "../base/when-needed.ts";
import { createBlobCheck } from "../blobs/check.ts";
import { MCP_PATHS } from "../organizations/oauth.ts";
import { AUTH_BASE } from "../organizations/sign-in.ts";
import { countReads } from "../procedures/reads.ts";
import { sendJson } from "./answer.ts";
import { handleAuth } from "./auth-door.ts";
import { COMPAT_BASE, type Compat, createCompat } from "./compat-door.ts";
import { openOutside } from "./doors/outside.ts";
import { createHttpServer, type Given, type HttpServer, type Passed } from "./http-server.ts";
import { handleMail, MAIL_BASE } from "./mail-door.ts";
import { createMcp, type Mcp } from "./mcp/door.ts";
import { handleLlms, LLMS_PATH } from "./mcp/llms.ts";
import { handleMetrics, METRICS_PATH } from "./metrics-door.ts";
import { openApiDocument } from "./openapi/document.ts";
import { type Contexts, createContexts, originOf } from "./request-context.ts";
import { createRest, type Rest } from "./rest.ts";
import { appRouter } from "./router.ts";
import { handleTrpc, TRPC_BASE } from "./trpc-door.ts";

/** The base path for x402 clients that support only version 2 and cannot send a header that says so. */
const X402_BASE = "/x402";

/** Paths of this API. Those of other versions and services get the error of an unknown path. */
const VERSIONED = /^(\/(api|gmail))?\/v\d+(\.\d+)?(\/|$)/;

/** Answers all other paths. `upgrades` returns what handles an upgrade request. */
type Pages = {
  state(): "building" | "ready" | "failed";
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  upgrades(req: IncomingMessage): ((req: IncomingMessage, socket: Duplex, head: Buffer) => unknown) | undefined;
};

/** `api`: whether /v1 and /trpc are served (role `web`). */
type Behind = { api: boolean; pages: Pages | undefined };

export type FrontDoor = HttpServer & {
  /** Its rate limits count for every door of the process. */
  contexts: Contexts;
  /** From now on, readiness fails and connections close after their answer. */
  drain(): void;
};

/** The server, not yet listening. A process of any role serves /health and /metrics. */
export function createFrontDoor(services: Services, behind: Behind): FrontDoor {
  let draining = false;
  const isDraining = () => draining;
  // A quarter of a second of CPU, which the start does not wait for.
  const documentOf = whenNeeded(() => openApiDocument(services.settings, appRouter));
  const doors: Doors = {
    services,
    ...behind,
    contexts: createContexts(services),
    rest: createRest(documentOf),
    mcp: createMcp(appRouter, documentOf),
    compat: createCompat(appRouter, services),
    healthOf: createHealth(services, behind.pages?.state),
    isDraining,
  };
  const http = createHttpServer(services, {
    answer: (req, res, given) => enter(doors, req, res, given),
    upgrades: (req) => (behind.api && doors.compat.upgrades(req) ? "answer" : behind.pages?.upgrades(req)),
    isDraining,
  });
  return {
    ...http,
    contexts: doors.contexts,
    drain() {
      draining = true;
      doors.compat.closeSockets();
    },
  };
}

type Doors = Behind & {
  services: Services;
  contexts: Contexts;
  rest: Rest;
  mcp: Mcp;
  compat: Compat;
  healthOf: ReturnType<typeof createHealth>;
  isDraining: () => boolean;
};

async function enter(doors: Doors, req: IncomingMessage, res: ServerResponse, given: Given): Promise<Passed> {
  const { services, api, pages, healthOf, isDraining } = doors;
  const path = pathOf(req);
  if (path === "/health" || path.startsWith("/health/")) {
    const { status, body } = await healthOf(path, isDraining());
    sendJson(res, status, body);
    return { door: "health", route: path };
  }
  if (path === METRICS_PATH) return handleMetrics(services, given.client, req, res);
  const passed = api ? await enterApi(doors, req, res, { path, given }) : undefined;
  if (passed) return passed;
  if (!pages) throw new ServiceError("not_found", `There is no path ${path}.`);
  await pages.handle(req, res);
  return { door: "pages", route: "page" };
}

/** Answers a path of the API; undefined for every other path. */
async function enterApi(
  { services, rest, mcp, compat, contexts: { limits, holdFor, contextFor, appContextFor, withSession } }: Doors,
  req: IncomingMessage,
  res: ServerResponse,
  { path, given }: { path: string; given: Given },
): Promise<Passed | undefined> {
  const passed = await openOutside({ services, limits, holdFor, client: given.client }, req, res, path);
  if (passed) return passed;
  const agent = () => contextFor(req, res, given);
  const member = async () => withSession(req, await agent());
  if (VERSIONED.test(path)) return rest.handle(req, res, await agent());
  if (path.startsWith(`${X402_BASE}/v1/`)) {
    const context = await agent();
    req.url = req.url?.slice(X402_BASE.length);
    return rest.handle(req, res, { ...context, payment: { ...context.payment, version: 2 } });
  }
  if (path.startsWith(`${COMPAT_BASE}/`)) {
    const origin = originOf(req, given.client, services.settings.PUBLIC_URL);
    const passed = compat.handle(req, res, { contextOf: agent, origin, head: given.head });
    if (passed) return passed;
  }
  if (path === LLMS_PATH) return handleLlms(services.settings, req, res);
  if (MCP_PATHS.includes(path)) return mcp.handle(req, res, await appContextFor(req, res, given));
  if (path.startsWith(`${AUTH_BASE}/`)) {
    limits.takeAnonymous(given.client.network);
    return handleAuth(services, given.client, req, res);
  }
  if (path.startsWith(`${MAIL_BASE}/`)) return handleMail(await member(), req, res, path);
  if (path.startsWith(`${TRPC_BASE}/`)) return handleTrpc(await member(), req, res, path);
}

// Liveness and readiness: /health/live says that the process runs, /health and /health/ready that it can work.
/** Everyone may call readiness, so all calls within this time share one write. */
const WRITE_EVERY_MS = 2_000;

type Health = { status: 200 | 503; body: { status: "ok" | "unavailable" | "stopping"; [fact: string]: unknown } };

/** @throws ServiceError `not_found` for another path below /health */
type HealthOf = (path: string, draining: boolean) => Promise<Health>;

/** @param pagesState of the pages that this process serves. While they are built it is not ready, so that a load balancer sends no readers. */
function createHealth(services: Services, pagesState?: () => "building" | "ready" | "failed"): HealthOf {
  const checkWrites = shared(
    () => tryWrite(services),
    () => WRITE_EVERY_MS,
  );
  const checkBlobs = createBlobCheck(services);
  return async (path, draining) => {
    const facts = { version, roles: services.settings.ROLES };
    if (path === "/health/live") return { status: 200, body: { status: "ok", ...facts } };
    if (path !== "/health" && path !== "/health/ready")
      throw new ServiceError("not_found", `There is no path ${path}.`);
    const began = performance.now();
    const [answers, writes, blobs] = await Promise.all([
      databaseAnswers(services),
      within("timed_out", checkWrites()),
      checkBlobs && within("unavailable", checkBlobs()),
    ]);
    const database = answers ? "ok" : "unavailable";
    const pages = pagesState?.();
    const measured = { milliseconds: Math.ceil(performance.now() - began), queries: countReads(services) };
    const body = { ...facts, database, writes, ...(blobs && { blobs }), ...(pages && { pages }), ...measured };
    if (draining) return { status: 503, body: { status: "stopping", ...body } };
    const ready = answers && writes === "ok" && pages !== "building";
    return { status: ready ? 200 : 503, body: { status: ready ? "ok" : "unavailable", ...body } };
  };
}
