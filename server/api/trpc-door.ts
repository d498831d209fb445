// The tRPC door: POST and GET /trpc/{procedure}, for the typed client and the dashboard.
import type { IncomingMessage, ServerResponse } from "node:http";
import { nodeHTTPRequestHandler } from "@trpc/server/adapters/node-http";
import { appRouter } from "./router.ts";
import { MAX_BODY_BYTES } from "./routes.ts";
import { errorHeaders, type RequestContext, toServiceError } from "./trpc.ts";

export const TRPC_BASE = "/trpc";
const MAX_BATCH = 20;
const MAX_BATCH_BYTES = 40 * MAX_BODY_BYTES;

/** Answers one request below /trpc; `route` is its procedure for logs and metrics. */
export async function handleTrpc(context: RequestContext, req: IncomingMessage, res: ServerResponse, path: string) {
  const { requestId, services } = context;
  const procedure = path.slice(TRPC_BASE.length + 1);
  await nodeHTTPRequestHandler({
    router: appRouter,
    req,
    res,
    path: procedure,
    maxBodySize: MAX_BATCH_BYTES,
    maxBatchSize: MAX_BATCH,
    createContext: async () => context,
    responseMeta: ({ errors }) => ({
      headers: errors[0] ? { ...context.headers, ...errorHeaders(toServiceError(errors[0])) } : context.headers,
    }),
    onError: ({ error }) => {
      const told = toServiceError(error);
      if (told.status >= 500) services.log.error({ err: error, request_id: requestId }, told.message);
    },
  });
  return { door: "trpc", route: procedure.slice(0, 100) };
}
