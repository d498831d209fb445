// Counts what each client address uses, bans addresses that guess recipients, and counts sessions for /metrics.
import { LRUCache } from "lru-cache";
import { networkOf } from "../base/client-address.ts";
import type { Metrics } from "../base/metrics.ts";
import { REFUSAL_REASONS, type Refusal } from "./answers.ts";
import type { SmtpLimits } from "./limits.ts";

/** The most addresses without a connection whose unknown recipients are remembered. */
const REMEMBERED_ADDRESSES = 10_000;

/** A resource with a limit. */
export type Usage = { used: number; readonly limit: number };

/** A client address, or the /64 of an IPv6 address. */
export type Client = {
  readonly network: string;
  connections: Usage;
  handshakes: Usage;
  bufferedBytes: Usage;
  misses: Misses;
};

/** Unknown recipients not yet expired at `at`. Times are those of the monotonic clock in ms. */
type Misses = { count: number; at: number; bannedUntil: number };

export type Clients = {
  /** The usage of all clients together. */
  readonly all: Pick<Client, "connections" | "handshakes" | "bufferedBytes">;
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

/**
 * Takes `amount` from the shared limit and from the client's share.
 * @returns the exhausted limit, in which case nothing was taken
 */
export function take(all: Usage, own: Usage, amount: number): "all" | "own" | undefined {
  if (own.used + amount > own.limit) return "own";
  if (all.used + amount > all.limit) return "all";
  all.used += amount;
  own.used += amount;
}

export function giveBack(all: Usage, own: Usage, amount: number): void {
  all.used -= amount;
  own.used -= amount;
}

type State = {
  limits: SmtpLimits;
  present: Map<string, Client>;
  remembered: LRUCache<string, Misses>;
  all: Clients["all"];
};

export function createClients(limits: SmtpLimits): Clients {
  const clients: State = {
    limits,
    present: new Map<string, Client>(),
    remembered: new LRUCache<string, Misses>({
      max: REMEMBERED_ADDRESSES,
      ttl: limits.banMs + limits.misses * limits.missForgottenMs,
    }),
    all: {
      connections: { used: 0, limit: limits.clients },
      handshakes: { used: 0, limit: limits.handshakes },
      bufferedBytes: { used: 0, limit: limits.bufferedBytes },
    },
  };
  return {
    all: clients.all,
    enter(remoteAddress) {
      const client = clientOf(clients, networkOf(remoteAddress));
      if (performance.now() < client.misses.bannedUntil) return "banned";
      const full = take(clients.all.connections, client.connections, 1);
      if (full) return full === "own" ? "address_connections" : "connections";
      clients.present.set(client.network, client);
      return client;
    },
    leave(client) {
      giveBack(clients.all.connections, client.connections, 1);
      if (client.connections.used > 0) return;
      clients.present.delete(client.network);
      const { count, bannedUntil } = client.misses;
      if (count > 0 || performance.now() < bannedUntil) clients.remembered.set(client.network, client.misses);
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

function clientOf(clients: State, network: string): Client {
  return (
    clients.present.get(network) ?? {
      network,
      connections: { used: 0, limit: clients.limits.clientsPerAddress },
      handshakes: { used: 0, limit: clients.limits.handshakesPerAddress },
      bufferedBytes: { used: 0, limit: clients.limits.bufferedBytesPerAddress },
      misses: clients.remembered.get(network) ?? { count: 0, at: performance.now(), bannedUntil: 0 },
    }
  );
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
