// Takes the events of mail providers at /v1/providers/{name}/events. Not a procedure: the signature covers the raw body, and
// providers have no key (docs/decisions/036).
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Services } from "../../base/context.ts";
import { methodNotAllowed, ServiceError } from "../../base/errors.ts";
import { findProvider, type Provider, takeProviderEvents } from "../../receiving/provider/take-events.ts";
import { readRawBody } from "../bodies/body.ts";
import type { HoldBytes } from "../bodies/body-budget.ts";

const PROVIDER_EVENTS_PATH = /^\/v1\/providers\/([a-z]{1,20})\/events$/;
const RETRY_AFTER_SECONDS = "10";

type Door = {
  services: Services;
  limits: { takeAnonymous(network: string): void };
  holdFor(res: ServerResponse, holder: string): HoldBytes;
  client: { network: string };
};

/** Undefined for other paths, and for a provider whose secret is not set. */
export function providerAt(path: string, services: Services): Provider | undefined {
  const name = PROVIDER_EVENTS_PATH.exec(path)?.[1];
  return name === undefined ? undefined : findProvider(services, name);
}

/** @throws ServiceError `unauthorized` if the provider did not write this, `rate_limited` after many of these */
export async function handleProviderEvents(
  { services, limits, holdFor, client }: Door,
  { name: provider, events: port }: Provider,
  req: IncomingMessage,
  res: ServerResponse,
) {
  const { metrics, log } = services;
  if (req.method !== "POST") throw methodNotAllowed(req.method, ["POST"]);
  const body = await readRawBody(req, { maxBytes: port.maxBytes, hold: holdFor(res, client.network) });
  const events = await port.read(body, req.headers);
  if (!events) {
    metrics.providerEvents.inc({ provider, result: "refused" });
    // Only after the signature: a flood from one address must not lock out the provider behind the same proxy.
    limits.takeAnonymous(client.network);
    throw new ServiceError("unauthorized", `The body has no valid signature of ${provider}, or it is too old.`, {
      fix: port.fix,
    });
  }
  if (events === "malformed") {
    metrics.providerEvents.inc({ provider, result: "malformed" });
    throw new ServiceError("invalid_request", "The body is signed, but it is not an event that this service can read.");
  }
  if ("later" in events) {
    limits.takeAnonymous(client.network);
    log.warn({ provider, reason: events.later }, "the signature of an event cannot be checked now");
    const headers = { "Retry-After": RETRY_AFTER_SECONDS };
    throw new ServiceError("unavailable", "The signature cannot be checked now.", { headers });
  }
  const results = await takeProviderEvents(services, events);
  for (const [result, count] of Object.entries(results)) metrics.providerEvents.inc({ provider, result }, count);
  log.debug({ provider, results }, "provider events taken");
  res.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  res.end(JSON.stringify({ results }));
  return { door: "provider", route: `/v1/providers/${provider}/events` };
}
