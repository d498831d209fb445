// Takes the events of the mail provider at /v1/providers/resend/events. Not a procedure: the signature covers the raw
// body, and the provider has no key (docs/decisions/036).
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../../base/client-address.ts";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { takeProviderEvent } from "../../messages/providers/take-event.ts";
import { readRawBody } from "../bodies/body.ts";
import type { HoldBytes } from "../bodies/body-budget.ts";

const PROVIDER_EVENTS_PATH = "/v1/providers/resend/events";
/** An event has no body of a mail, but may have the names of hundreds of attachments. */
const BODY_BYTES = 256 * 1024;

type Door = {
  services: Services;
  limits: { takeAnonymous(network: string): void };
  holdFor(res: ServerResponse, holder: string): HoldBytes;
};

export function isForProvider({ providerEvents }: Services, path: string): boolean {
  return path === PROVIDER_EVENTS_PATH && providerEvents !== undefined;
}

/** @throws ServiceError `unauthorized` if the provider did not sign this, `rate_limited` after many of these */
export async function handleProviderEvent(
  { services, limits, holdFor }: Door,
  client: Client,
  req: IncomingMessage,
  res: ServerResponse,
) {
  const { metrics, log, providerEvents } = services;
  if (req.method !== "POST") {
    const headers = { Allow: "POST" };
    throw new ServiceError("method_not_allowed", `This path does not support ${req.method}.`, { headers });
  }
  const body = await readRawBody(req, { maxBytes: BODY_BYTES, hold: holdFor(res, client.network) });
  const event = providerEvents?.read(body, req.headers);
  if (!event) {
    metrics.providerEvents.inc({ result: "refused" });
    // Only after the signature: a flood from one address must not lock out the provider behind the same proxy.
    limits.takeAnonymous(client.network);
    throw new ServiceError("unauthorized", "The body has no valid signature of Resend, or its timestamp is too old.", {
      fix: "Set RESEND_WEBHOOK_SECRET to the signing secret of the webhook in Resend, and check the clock of this machine.",
    });
  }
  if (event === "malformed") {
    metrics.providerEvents.inc({ result: "malformed" });
    throw new ServiceError("invalid_request", "The body is signed, but it is not an event that this service can read.");
  }
  const result = await takeProviderEvent(services, event);
  metrics.providerEvents.inc({ result });
  log.debug({ event: event.id, result }, "provider event taken");
  res.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  res.end(JSON.stringify({ result }));
  return { door: "provider", route: PROVIDER_EVENTS_PATH };
}
