// Serves the operator's metrics: /metrics at the service's port, or at METRICS_PORT on loopback.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Client } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { pathOf } from "../base/request-target.ts";
import { sameHash, tokenHash } from "../base/secrets.ts";
import { errorBody, errorHeaders, toServiceError } from "../procedures/errors.ts";
import { securityHeaders, sendJson } from "./answer.ts";
import { BEARER } from "./auth.ts";

export const METRICS_PATH = "/metrics";
const LOOPBACK = "127.0.0.1";

/**
 * Answers /metrics at the service's port.
 * @throws ServiceError `not_found` if METRICS_PORT is set, `metrics_protected`
 */
export async function handleMetrics(services: Services, client: Client, req: IncomingMessage, res: ServerResponse) {
  const { METRICS_PORT, METRICS_TOKEN, LOCAL_ONLY } = services.settings;
  if (METRICS_PORT !== undefined) throw new ServiceError("not_found", `There is no path ${METRICS_PATH} at this port.`);
  // The headers reveal a proxy that is missing in PUBLIC_URL and TRUST_PROXY.
  const isOpen = LOCAL_ONLY && !client.behindUndeclaredProxy && isLoopback(client.address);
  if (METRICS_TOKEN !== undefined || !isOpen) requireToken(services, req);
  await sendMetrics(services, res);
  return { door: "metrics", route: METRICS_PATH };
}

/** Listens on METRICS_PORT of loopback, if it is set. */
export async function listenForMetrics(services: Services): Promise<{ port: number; close(): void } | undefined> {
  const { METRICS_PORT, METRICS_TOKEN } = services.settings;
  if (METRICS_PORT === undefined) return undefined;
  const server = createServer(async (req, res) => {
    for (const [name, value] of securityHeaders(services.settings)) res.setHeader(name, value);
    try {
      if (pathOf(req) !== METRICS_PATH) throw new ServiceError("not_found", "This port serves only /metrics.");
      if (METRICS_TOKEN !== undefined) requireToken(services, req);
      await sendMetrics(services, res);
    } catch (error) {
      const serviceError = toServiceError(error);
      if (serviceError.status >= 500) services.log.error({ error }, serviceError.message);
      sendJson(res, serviceError.status, errorBody(serviceError), errorHeaders(serviceError));
    }
  });
  server.listen(METRICS_PORT, LOOPBACK);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function isLoopback(address: string): boolean {
  return address.startsWith("127.") || address === "::1";
}

function requireToken({ settings: { METRICS_TOKEN: token } }: Services, { headers }: IncomingMessage): void {
  const shown = BEARER.exec(headers.authorization ?? "")?.[1];
  // Hashes have one length, so the comparison takes the same time for every token.
  if (token !== undefined && shown !== undefined && sameHash(tokenHash(shown), tokenHash(token))) return;
  const message = token === undefined ? "/metrics is closed here." : "/metrics needs the token of METRICS_TOKEN.";
  throw new ServiceError("metrics_protected", message);
}

async function sendMetrics({ metrics }: Services, res: ServerResponse): Promise<void> {
  const text = await metrics.registry.metrics();
  res.writeHead(200, { "Content-Type": metrics.registry.contentType, "Cache-Control": "no-store" });
  res.end(text);
}
