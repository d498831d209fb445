// Serves tRPC: POST and GET /trpc/{procedure}, for the typed client and the dashboard.
import type { IncomingMessage, ServerResponse } from "node:http";
import { getTRPCErrorShape, TRPCError } from "@trpc/server";
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http";
import { TRPC_CODES } from "../base/errors/table.ts";
import { ServiceError } from "../base/errors.ts";
import { queryOf } from "../base/request-target.ts";
import { errorHeaders, refusalOf, toServiceError } from "../procedures/errors.ts";
import { bodyLimit, inputSchemas, OPEN_BODY_BYTES, procedureMetas } from "../procedures/meta.ts";
import type { RequestContext } from "../procedures/procedures.ts";
import { sendJson } from "./answer.ts";
import { readJsonText } from "./bodies/body.ts";
import { checkJsonShape } from "./bodies/json-shape.ts";
import { appRouter } from "./router.ts";

export const TRPC_BASE = "/trpc";
const MAX_BATCH = 20;

const metas = procedureMetas(appRouter);
const inputs = inputSchemas(appRouter);

/** Answers one request below /trpc; `route` is its procedure for logs and metrics, from a closed set. */
export async function handleTrpc(context: RequestContext, req: IncomingMessage, res: ServerResponse, path: string) {
  const procedure = path.slice(TRPC_BASE.length + 1);
  const names = namesOf(procedure);
  const passed = { door: "trpc", route: names.length > 1 ? "batch" : metas.has(procedure) ? procedure : "other" };
  try {
    checkJsonShape(Buffer.from(queryInput(req)));
    Object.assign(req, { body: await bodyFor(req, names, context) });
  } catch (error) {
    refuse(res, context, error, { procedure, isBatch: names.length > 1 });
    return passed;
  }
  // The handler's promise waits for `finish`, which a response whose client has left never has.
  const closed = res.closed ? Promise.resolve() : new Promise<void>((resolve) => res.once("close", resolve));
  const answered = nodeHTTPRequestHandler({
    router: appRouter,
    req,
    res,
    path: procedure,
    maxBatchSize: MAX_BATCH,
    createContext: async () => ({
      ...context,
      checkInput: (path, input) => context.checkInput(path, withoutDirection(path, input)),
    }),
    responseMeta: ({ errors }) => ({
      headers: errors[0] ? { ...context.headers, ...errorHeaders(toServiceError(errors[0])) } : context.headers,
    }),
    onError({ error }) {
      refusalOf(context, error, res.destroyed);
    },
  });
  await Promise.race([answered, closed]);
  return passed;
}

/** The library of the pages adds `direction` to the input of a paged query; only a filter of that name is a field. */
function withoutDirection(path: string, input: unknown): unknown {
  const fields = inputs.get(path)?._zod.def.shape;
  if (!fields || !("cursor" in fields) || "direction" in fields || typeof input !== "object" || input === null) {
    return input;
  }
  return Object.fromEntries(Object.entries(input).filter(([name]) => name !== "direction"));
}

/** A batch names several procedures, separated by commas. */
function namesOf(procedure: string): string[] {
  try {
    return decodeURIComponent(procedure).split(",");
  } catch {
    return [procedure]; // malformed percent-encoding is no valid name
  }
}

function queryInput(req: IncomingMessage): string {
  return queryOf(req).get("input") ?? "";
}

/**
 * The text of the body. For a caller without a valid key or session, at most OPEN_BODY_BYTES are read, and only for a
 * procedure that needs no key. A batch may be as large as the largest of its calls.
 */
async function bodyFor(req: IncomingMessage, names: string[], context: RequestContext): Promise<string> {
  const actor = context.settingUp ?? context.actor;
  if (req.method === "GET" || req.method === "HEAD") return "";
  if (actor instanceof ServiceError || (actor.kind !== "agent" && actor.kind !== "member")) {
    // The procedure refuses the call before it reads its input.
    if (!names.some((name) => metas.get(name)?.open)) return "";
    return readJsonText(req, { maxBytes: OPEN_BODY_BYTES });
  }
  const maxBytes = Math.max(
    OPEN_BODY_BYTES,
    ...names.map((name) => (metas.has(name) ? bodyLimit(metas.get(name)) : 0)),
  );
  return readJsonText(req, { maxBytes, hold: context.holdFor(actor.organizationId) });
}

/** An error in tRPC's form, for each call of a batch, with the status and headers of REST. */
function refuse(
  res: ServerResponse,
  context: RequestContext,
  cause: unknown,
  { procedure, isBatch }: { procedure: string; isBatch: boolean },
): void {
  const serviceError = refusalOf(context, cause, res.destroyed);
  const error = getTRPCErrorShape({
    config: appRouter._def._config,
    error: new TRPCError({ code: TRPC_CODES[serviceError.status], message: serviceError.message, cause: serviceError }),
    type: "unknown",
    path: isBatch ? undefined : procedure,
    input: undefined,
    ctx: context,
  });
  sendJson(res, serviceError.status, isBatch ? [{ error }] : { error }, errorHeaders(serviceError));
}
