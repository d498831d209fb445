// Counts what each client address uses, bans addresses that guess recipients, and counts sessions for /metrics.
import { LRUCache } from "lru-cache";
import { networkOf } from "../base/client-address.ts";
import { createLimiter, type Limiter, type Share } from "../base/limiter.ts";
import type { Metrics } from "../base/metrics.ts";
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

/** Unknown recipients not yet expired at `at`. Times are those of the monotonic clock in ms. */
type Misses = { count: number; at: number; bannedUntil: number };

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
  /** An accepted mail cancels out one unknown recipient. */
  accepted(client: Client): void;
};

type State = {
  limits: SmtpLimits;
  connections: Limiter;
  /** By network: of those that are connected, and of others. */
  present: Map<string, Misses>;
  remembered: LRUCache<string, Misses>;
};

export function createClients(limits: SmtpLimits): Clients {
  const clients: State = {
    limits,
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
      const { count, bannedUntil } = misses;
      if (count > 0 || performance.now() < bannedUntil) clients.remembered.set(network, misses);
    },
    miss: ({ misses }) => miss(clients, misses),
    accepted({ misses }) {
      add(clients, misses, -1);
    },
  };
}

function miss(clients: State, misses: Misses): boolean {
  if (performance.now() < misses.bannedUntil) return true;
  add(clients, misses, 1);
  if (misses.count < clients.limits.misses) return false;
  Object.assign(misses, { count: 0, bannedUntil: performance.now() + clients.limits.banMs });
  return true;
}

function missesOf({ present, remembered }: State, network: string): Misses {
  return present.get(network) ?? remembered.get(network) ?? { count: 0, at: performance.now(), bannedUntil: 0 };
}

function add(clients: State, misses: Misses, count: number): void {
  const now = performance.now();
  if (misses.count === 0) misses.at = now;
  const forgotten = Math.floor((now - misses.at) / clients.limits.missForgottenMs);
  misses.at += forgotten * clients.limits.missForgottenMs;
  misses.count = Math.max(0, Math.max(0, misses.count - forgotten) + count);
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
