// What is known about a webhook's endpoint while deliveries go to it: where it is, its secrets, whether it was well.
import { LRUCache } from "lru-cache";
import type { Services } from "../context.ts";
import { ServiceError } from "../errors.ts";
import type { DueDelivery } from "./courier.ts";
import type { Health } from "./outcome.ts";
import type { Target } from "./post.ts";
import { checkWebhookUrl } from "./target.ts";

const ENDPOINTS_MAX = 20_000;
/** A webhook's health is noted when it changes, and this often in any case, since other processes note it too. */
const NOTE_EVERY_MS = 60_000;

export type Endpoint = {
  url: string;
  sealed: Buffer;
  /** Absent: the webhook cannot be sent to, and `problem` says why. */
  ready?: { target: Target; secrets: string[] };
  problem?: string;
  health?: Health;
  notedAt: number;
};

export type Endpoints = LRUCache<string, Endpoint>;
type Needs = Pick<Services, "settings" | "log" | "secrets">;

export function createEndpoints(): Endpoints {
  return new LRUCache({ max: ENDPOINTS_MAX });
}

function open(services: Needs, delivery: DueDelivery): Endpoint {
  const endpoint = { url: delivery.url, sealed: delivery.secret, notedAt: Number.NEGATIVE_INFINITY };
  try {
    // Settings may have become stricter since the registration.
    checkWebhookUrl(delivery.url, services.settings);
    const { origin, pathname, search } = new URL(delivery.url);
    const secrets = [services.secrets.open(delivery.secret, delivery.webhook_id)];
    return { ...endpoint, ready: { target: { origin, path: pathname + search }, secrets } };
  } catch (error) {
    if (error instanceof ServiceError) return { ...endpoint, problem: error.message };
    services.log.error({ error, webhook_id: delivery.webhook_id }, "signing secret cannot be opened");
    return { ...endpoint, problem: "The signing secret cannot be opened." };
  }
}

/** The endpoint of a delivery, opened anew when the webhook's URL or secret has changed. */
export function endpointOf(services: Needs, endpoints: Endpoints, delivery: DueDelivery): Endpoint {
  const known = endpoints.get(delivery.webhook_id);
  if (known && known.url === delivery.url && known.sealed.equals(delivery.secret)) return known;
  const endpoint = open(services, delivery);
  endpoints.set(delivery.webhook_id, endpoint);
  return endpoint;
}

/** The webhook's health when it is worth a write, else null. */
export function healthNews(endpoint: Endpoint, health: Health): Health {
  const isOld = performance.now() - endpoint.notedAt > NOTE_EVERY_MS;
  if (endpoint.health === health && health !== "gone" && !isOld) return null;
  endpoint.health = health;
  endpoint.notedAt = performance.now();
  return health;
}
