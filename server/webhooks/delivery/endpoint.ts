// Caches webhooks' endpoints for the engine: URL, secrets, health. Nothing is signed with data older than
// ENDPOINT_FRESH_MS, so a rotated secret or a changed URL also applies to deliveries waiting in memory.
import { and, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { webhooks } from "#db/schema/events.ts";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { checkTarget } from "../targets/target.ts";
import type { Health } from "./attempts.ts";
import { type CustomHeaders, openHeaders } from "./custom-headers.ts";
import type { Target } from "./post.ts";

export const ENDPOINT_FRESH_MS = 500;
const ENDPOINTS_MAX = 20_000;
/** A webhook's health is written when it changes, and at this interval, because other processes write it too. */
const NOTE_EVERY_MS = 60_000;

const { id, organization_id, url, format, include_message, headers, secret } = webhooks;
const { previous_secret, previous_secret_expires_at } = webhooks;
const sealed = { headers, secret, previous_secret, previous_secret_expires_at };
export const endpointColumns = { id, organization_id, url, format, include_message, ...sealed };

/** The columns of a webhook when it was read. Secrets are encrypted, with the webhook's id as context. */
export type EndpointRecord = Omit<Pick<typeof webhooks.$inferSelect, keyof typeof endpointColumns>, "id"> & {
  /** On the monotonic clock of this process, before the query started. */
  read_at: number;
};

export type Endpoint = {
  record: EndpointRecord;
  /** Absent: the webhook cannot be used, and `problem` says why. */
  ready?: { target: Target; secret: string; previous: string | null; headers: CustomHeaders };
  problem?: string;
  health?: Health;
  notedAt: number;
};

export type Endpoints = LRUCache<string, Endpoint>;
type Needs = Pick<Services, "settings" | "ownPorts" | "log" | "secrets">;
type Stored = Omit<EndpointRecord, "read_at">;

export function createEndpoints(): Endpoints {
  return new LRUCache({ max: ENDPOINTS_MAX });
}

/** Decrypts the secrets of a webhook and checks its URL; `problem` says why it cannot be used. */
export function openEndpoint(services: Needs, webhookId: string, record: Stored): Pick<Endpoint, "ready" | "problem"> {
  const { organization_id, url, secret: sealed, previous_secret } = record;
  try {
    // Settings may have become stricter since the registration.
    checkTarget({ id: webhookId, url }, services);
    const { origin, pathname, search } = new URL(url);
    const secret = services.secrets.open(sealed, webhookId);
    // After ENCRYPTION_KEY was lost, a rotated secret works without the previous one.
    const isReadable = previous_secret && services.secrets.isOwn(previous_secret);
    const previous = isReadable ? services.secrets.open(previous_secret, webhookId) : null;
    const headers = openHeaders(services, webhookId, record.headers);
    return { ready: { target: { origin, path: pathname + search, organization_id }, secret, previous, headers } };
  } catch (error) {
    if (error instanceof ServiceError) return { problem: error.message };
    services.log.error({ error, webhook_id: webhookId }, "signing secret cannot be opened");
    return { problem: "The signing secret cannot be opened." };
  }
}

function isSame(a: EndpointRecord, b: EndpointRecord): boolean {
  const previous = b.previous_secret;
  const samePrevious =
    a.previous_secret && previous ? a.previous_secret.equals(previous) : a.previous_secret === previous;
  const sameHeaders = a.headers && b.headers ? a.headers.equals(b.headers) : a.headers === b.headers;
  return a.url === b.url && samePrevious && sameHeaders && a.secret.equals(b.secret);
}

/** Stores what was read of a webhook, unless something newer is cached; returns the cached endpoint. */
export function noteEndpoint(services: Needs, all: Endpoints, webhookId: string, read: EndpointRecord): Endpoint {
  const known = all.get(webhookId);
  if (known && known.record.read_at >= read.read_at) return known;
  // Copies only these fields: `read` may be a delivery, whose body must not stay in memory.
  const { organization_id, url, format, include_message, headers, secret, read_at } = read;
  const { previous_secret, previous_secret_expires_at } = read;
  const record = {
    organization_id,
    url,
    format,
    include_message,
    headers,
    secret,
    previous_secret,
    previous_secret_expires_at,
    read_at,
  };
  if (known && isSame(known.record, record)) {
    known.record = record;
    return known;
  }
  const endpoint = { record, ...openEndpoint(services, webhookId, record), notedAt: Number.NEGATIVE_INFINITY };
  all.set(webhookId, endpoint);
  return endpoint;
}

export function isFresh({ record }: Endpoint): boolean {
  return performance.now() - record.read_at < ENDPOINT_FRESH_MS;
}

/** The secrets that sign now: also the previous one, until it expires. */
export function secretsOf({ record, ready }: Pick<Endpoint, "ready"> & { record: Stored }, now: Date): string[] {
  if (!ready) return [];
  const { previous_secret_expires_at: until } = record;
  return ready.previous !== null && until && until > now ? [ready.secret, ready.previous] : [ready.secret];
}

/**
 * Reads webhooks again: all that are requested in one turn of the event loop in one query, and one query at a time.
 * Returns undefined for a deleted or disabled webhook.
 */
export function createReader({ db }: Pick<Services, "db">): (id: string) => Promise<EndpointRecord | undefined> {
  type Found = Map<string, EndpointRecord>;
  let next: { ids: Set<string>; found: Promise<Found> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  // Built once: deliveries read their endpoint again after every ENDPOINT_FRESH_MS.
  const active = db
    .select(endpointColumns)
    .from(webhooks)
    .where(and(sql`${webhooks.id} = any(${sql.placeholder("ids")})`, webhooks.active))
    .prepare("read_endpoints");

  async function read(ids: Set<string>): Promise<Found> {
    const read_at = performance.now();
    const rows = await active.execute({ ids: [...ids] });
    return new Map(rows.map(({ id, ...record }) => [id, { ...record, read_at }]));
  }

  function ask(): NonNullable<typeof next> {
    const ids = new Set<string>();
    const found = last.then(() => {
      next = undefined;
      return read(ids);
    });
    last = found.catch(() => undefined);
    return { ids, found };
  }

  return async (id) => {
    next ??= ask();
    next.ids.add(id);
    return (await next.found).get(id);
  };
}

/** The webhook's health if it must be written, else null. */
export function healthNews(endpoint: Endpoint, health: Health): Health {
  const isOld = performance.now() - endpoint.notedAt > NOTE_EVERY_MS;
  if (endpoint.health === health && health !== "gone" && !isOld) return null;
  endpoint.health = health;
  endpoint.notedAt = performance.now();
  return health;
}
