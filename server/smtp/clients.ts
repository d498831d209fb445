// Counts what each client address uses, bans addresses that guess recipients, and counts sessions for /metrics.
import { LRUCache } from "lru-cache";
import { type AddressRange, isIn, networkOf, prefixOf } from "../base/client-address.ts";
import { createLimiter, type Limiter, type Share } from "../base/limiter.ts";
import type { Metrics } from "../base/metrics.ts";
import { type Bucket, fullBucket, type Rate, refill, takeToken } from "../base/token-bucket.ts";
import { REFUSAL_REASONS, type Refusal } from "./answers.ts";
import type { SmtpLimits } from "./limits.ts";

/** The most addresses without a connection whose unknown recipients are remembered. */
const REMEMBERED_ADDRESSES = 10_000;

/** A site gets a /48 of IPv6, which is 65,536 networks. */
const SITE_BITS_V6 = 48;

/** One connection of a client address, or of the /64 of an IPv6 address. */
export type Client = {
  readonly network: string;
  /** Which the limits that all clients share count: the network, or the /48 of an IPv6 address. */
  readonly site: string;
  /** Count this connection. */
  readonly connection: Share;
  readonly ofSite: Share;
  /** Undefined for an address of SPAM_FILTERS: what it passes on is of others. */
  readonly misses: Misses | undefined;
};

/**
 * `left`: a token for each unknown recipient that it may still name. `opens`: one for each connection that it may still open.
 * Times are those of the monotonic clock in ms.
 */
type Misses = { left: Bucket; opens: Bucket; bannedUntil: number };

export type Clients = {
  /** By site: running TLS handshakes, and octets of unfinished mail in memory. */
  readonly handshakes: Limiter;
  readonly bufferedBytes: Limiter;
  /** Counts a connection. Call `leave` when the connection is closed. */
  enter(remoteAddress: string): Client | Refusal;
  leave(client: Client): void;
  /**
   * Counts an unknown recipient.
   * @returns whether the address is banned now
   */
  miss(client: Client): boolean;
  /**
   * Counts a recipient that only a catch-all mailbox takes, among the unknown ones.
   * @returns false, without counting it, if the next one would ban the address
   */
  guess(client: Client): boolean;
  /** An accepted mail cancels out one unknown recipient, and one connection. */
  accepted(client: Client): void;
  /** A session that ended by errors, by commands without a mail, or in its handshake counts as several connections. */
  failed(client: Client): void;
};

type State = {
  limits: SmtpLimits;
  missRate: Rate;
  openRate: Rate;
  connections: Limiter;
  sites: Limiter;
  /** By network: of those that are connected, and of others. */
  present: Map<string, Misses>;
  remembered: LRUCache<string, Misses>;
};

/** @param filters the addresses through which mail of others comes */
export function createClients(limits: SmtpLimits, filters: readonly AddressRange[] = []): Clients {
  const clients: State = {
    limits,
    missRate: { perSecond: 1_000 / limits.missForgottenMs, burst: limits.misses },
    openRate: { perSecond: limits.opensPerSecond, burst: limits.opens },
    connections: createLimiter({ total: limits.clients, each: limits.clientsPerAddress }),
    sites: createLimiter({ each: limits.clientsPerSite }),
    present: new Map<string, Misses>(),
    remembered: new LRUCache<string, Misses>({
      max: REMEMBERED_ADDRESSES,
      ttl: limits.banMs + limits.misses * limits.missForgottenMs,
    }),
  };
  return {
    handshakes: createLimiter({ total: limits.handshakes, each: limits.handshakesPerAddress }),
    bufferedBytes: createLimiter({ total: limits.bufferedBytes, each: limits.bufferedBytesPerAddress }),
    enter: (remoteAddress) => enter(clients, remoteAddress, isIn(filters, remoteAddress)),
    leave({ network, connection, ofSite, misses }) {
      connection.release();
      ofSite.release();
      if (!misses || clients.connections.usedBy(network) > 0) return;
      clients.present.delete(network);
      const now = performance.now();
      const isKnown =
        refill(clients.missRate, misses.left, now) < limits.misses ||
        refill(clients.openRate, misses.opens, now) < limits.opens ||
        now < misses.bannedUntil;
      if (isKnown) clients.remembered.set(network, misses);
    },
    miss: ({ misses }) => misses !== undefined && miss(clients, misses),
    guess({ misses }) {
      if (!misses) return true;
      const has = refill(clients.missRate, misses.left, performance.now()) >= 2;
      if (has) misses.left.tokens -= 1;
      return has;
    },
    accepted({ misses }) {
      if (!misses) return;
      misses.left.tokens = Math.min(limits.misses, misses.left.tokens + 1);
      misses.opens.tokens = Math.min(limits.opens, misses.opens.tokens + 1);
    },
    failed({ misses }) {
      if (misses) misses.opens.tokens = Math.max(0, misses.opens.tokens - limits.opensPerFailure);
    },
  };
}

function enter(clients: State, remoteAddress: string, isFilter: boolean): Client | Refusal {
  const network = networkOf(remoteAddress);
  const site = network.includes("/") ? prefixOf(remoteAddress, SITE_BITS_V6) : network;
  const misses = isFilter ? undefined : missesOf(clients, network);
  const now = performance.now();
  if (misses && now < misses.bannedUntil) return "banned";
  const connection = clients.connections.open(network);
  const ofSite = clients.sites.open(site);
  const full = ofSite.take() ?? connection.take();
  if (full || (misses && !takeToken(clients.openRate, misses.opens, now))) {
    ofSite.release();
    connection.release();
    // So that the next connection finds it.
    if (misses && !clients.present.has(network)) clients.remembered.set(network, misses);
    return full === "total" ? "connections" : "address_connections";
  }
  if (misses) clients.present.set(network, misses);
  return { network, site, connection, ofSite, misses };
}

function miss({ limits, missRate }: State, misses: Misses): boolean {
  const now = performance.now();
  if (now < misses.bannedUntil) return true;
  takeToken(missRate, misses.left, now);
  if (misses.left.tokens >= 1) return false;
  Object.assign(misses, { left: fullBucket(missRate, now), bannedUntil: now + limits.banMs });
  return true;
}

function missesOf({ present, remembered, missRate, openRate }: State, network: string): Misses {
  const known = present.get(network) ?? remembered.get(network);
  const now = performance.now();
  return known ?? { left: fullBucket(missRate, now), opens: fullBucket(openRate, now), bannedUntil: 0 };
}

/** What a listener calls when a session opens or closes, and when it refuses something. */
export function createCounts({ smtpSessions, smtpSessionsOpened, smtpRefusals }: Metrics) {
  for (const reason of REFUSAL_REASONS) smtpRefusals.inc({ reason }, 0);
  return {
    onRefusal: (reason: Refusal) => smtpRefusals.inc({ reason }),
    onOpen() {
      smtpSessions.inc();
      smtpSessionsOpened.inc();
    },
    onClose: () => smtpSessions.dec(),
  };
}
