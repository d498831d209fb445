// Counts what each client address uses, bans addresses that guess recipients, and counts sessions for /metrics.
import { LRUCache } from "lru-cache";
import { networkOf } from "../base/client-address.ts";
import { createLimiter, type Limiter, type Share } from "../base/limiter.ts";
import type { Metrics } from "../base/metrics.ts";
import { type Bucket, fullBucket, type Rate, refill, takeToken } from "../base/token-bucket.ts";
import { REFUSAL_REASONS, type Refusal } from "./answers.ts";
import type { SmtpLimits } from "./limits.ts";

/** The most addresses without a connection whose unknown recipients are remembered. */
const REMEMBERED_ADDRESSES = 10_000;

/** One connection of a client address, or of the /64 of an IPv6 address. */
export type Client = {
  readonly network: string;
  /** Counts this connection. */
  readonly connection: Share;
  readonly misses: Misses;
};

/** `left`: a token for each unknown recipient that it may still name. Times are those of the monotonic clock in ms. */
type Misses = { left: Bucket; bannedUntil: number };

export type Clients = {
  /** By network: running TLS handshakes, and octets of unfinished mail in memory. */
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
  /** An accepted mail cancels out one unknown recipient. */
  accepted(client: Client): void;
};

type State = {
  limits: SmtpLimits;
  missRate: Rate;
  connections: Limiter;
  /** By network: of those that are connected, and of others. */
  present: Map<string, Misses>;
  remembered: LRUCache<string, Misses>;
};

export function createClients(limits: SmtpLimits): Clients {
  const clients: State = {
    limits,
    missRate: { perSecond: 1_000 / limits.missForgottenMs, burst: limits.misses },
    connections: createLimiter({ total: limits.clients, each: limits.clientsPerAddress }),
    present: new Map<string, Misses>(),
    remembered: new LRUCache<string, Misses>({
      max: REMEMBERED_ADDRESSES,
      ttl: limits.banMs + limits.misses * limits.missForgottenMs,
    }),
  };
  return {
    handshakes: createLimiter({ total: limits.handshakes, each: limits.handshakesPerAddress }),
    bufferedBytes: createLimiter({ total: limits.bufferedBytes, each: limits.bufferedBytesPerAddress }),
    enter(remoteAddress) {
      const network = networkOf(remoteAddress);
      const misses = missesOf(clients, network);
      if (performance.now() < misses.bannedUntil) return "banned";
      const connection = clients.connections.open(network);
      const full = connection.take();
      if (full) return full === "each" ? "address_connections" : "connections";
      clients.present.set(network, misses);
      return { network, connection, misses };
    },
    leave({ network, connection, misses }) {
      connection.release();
      if (clients.connections.usedBy(network) > 0) return;
      clients.present.delete(network);
      const now = performance.now();
      const isKnown = refill(clients.missRate, misses.left, now) < limits.misses || now < misses.bannedUntil;
      if (isKnown) clients.remembered.set(network, misses);
    },
    miss: ({ misses }) => miss(clients, misses),
    guess({ misses: { left } }) {
      const has = refill(clients.missRate, left, performance.now()) >= 2;
      if (has) left.tokens -= 1;
      return has;
    },
    accepted({ misses: { left } }) {
      left.tokens = Math.min(limits.misses, left.tokens + 1);
    },
  };
}

function miss({ limits, missRate }: State, misses: Misses): boolean {
  const now = performance.now();
  if (now < misses.bannedUntil) return true;
  takeToken(missRate, misses.left, now);
  if (misses.left.tokens >= 1) return false;
  Object.assign(misses, { left: fullBucket(missRate, now), bannedUntil: now + limits.banMs });
  return true;
}

function missesOf({ present, remembered, missRate }: State, network: string): Misses {
  const known = present.get(network) ?? remembered.get(network);
  return known ?? { left: fullBucket(missRate, performance.now()), bannedUntil: 0 };
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
