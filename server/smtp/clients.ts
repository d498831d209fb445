// Counts what each client address uses, and bans addresses that guess recipients.
import { LRUCache } from "lru-cache";
import { networkOf } from "../base/client-address.ts";
import type { Refusal } from "./answers.ts";
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
  /** Counts an unknown recipient.\n@returns whether the address is banned now */
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

export function createClients(limits: SmtpLimits): Clients {
  const present = new Map<string, Client>();
  const remembered = new LRUCache<string, Misses>({
    max: REMEMBERED_ADDRESSES,
    ttl: limits.banMs + limits.misses * limits.missForgottenMs,
  });
  const all: Clients["all"] = {
    connections: { used: 0, limit: limits.clients },
    handshakes: { used: 0, limit: limits.handshakes },
    bufferedBytes: { used: 0, limit: limits.bufferedBytes },
  };

  function clientOf(network: string): Client {
    return (
      present.get(network) ?? {
        network,
        connections: { used: 0, limit: limits.clientsPerAddress },
        handshakes: { used: 0, limit: limits.handshakesPerAddress },
        bufferedBytes: { used: 0, limit: limits.bufferedBytesPerAddress },
        misses: remembered.get(network) ?? { count: 0, at: performance.now(), bannedUntil: 0 },
      }
    );
  }

  function add(misses: Misses, count: number): void {
    const now = performance.now();
    if (misses.count === 0) misses.at = now;
    const forgotten = Math.floor((now - misses.at) / limits.missForgottenMs);
    misses.at += forgotten * limits.missForgottenMs;
    misses.count = Math.max(0, Math.max(0, misses.count - forgotten) + count);
  }

  return {
    all,
    enter(remoteAddress) {
      const client = clientOf(networkOf(remoteAddress));
      if (performance.now() < client.misses.bannedUntil) return "banned";
      const full = take(all.connections, client.connections, 1);
      if (full) return full === "own" ? "address_connections" : "connections";
      present.set(client.network, client);
      return client;
    },
    leave(client) {
      giveBack(all.connections, client.connections, 1);
      if (client.connections.used > 0) return;
      present.delete(client.network);
      const { count, bannedUntil } = client.misses;
      if (count > 0 || performance.now() < bannedUntil) remembered.set(client.network, client.misses);
    },
    miss({ misses }) {
      if (performance.now() < misses.bannedUntil) return true;
      add(misses, 1);
      if (misses.count < limits.misses) return false;
      Object.assign(misses, { count: 0, bannedUntil: performance.now() + limits.banMs });
      return true;
    },
    accepted({ misses }) {
      add(misses, -1);
    },
  };
}
