// Resolves DNS names with Node's resolver, caches answers, and stops asking while the servers are unreachable.
import { Resolver } from "node:dns/promises";
import { LRUCache } from "lru-cache";
import { type Dns, NO_RECORD } from "../base/ports/dns.ts";

const TRY_TIMEOUT_MS = 1_000;
const TRIES = 2;
const FOUND_TTL_MS = 60_000;
const NOT_FOUND_TTL_MS = 10_000;
/** RFC 1035 §2.3.4; c-ares would need two more. */
const NAME_CHARS = 253;
const CACHED_ANSWERS = 10_000;
const CACHED_CHARS = 8 * 1024 * 1024;
/** While the servers are unreachable, a probe query asks this often whether they answer again. */
const PROBE_EVERY_MS = 5_000;

const NO_ANSWER = new Set(["ETIMEOUT", "ECONNREFUSED", "EREFUSED"]);

type Outcome = { records: unknown } | { code: string };

function failure(name: string, type: string, code: string): Error {
  return Object.assign(new Error(`${type} of ${name}: ${code}`), { code });
}

/**
 * A circuit breaker. A timeout alone proves nothing, because the sender of a mail chooses the names: before the breaker
 * opens, it queries the root's name servers, and any answer keeps it closed. While it is open it repeats that query, so
 * that no mail waits for servers that are known to be unreachable.
 */
function createBreaker(reaches: () => Promise<boolean>) {
  let open = false;
  let probing = false;
  let timer: NodeJS.Timeout | undefined;

  async function probe(): Promise<void> {
    probing = true;
    open = !(await reaches());
    probing = false;
    if (open) timer = setTimeout(probe, PROBE_EVERY_MS).unref();
  }

  return {
    isOpen: () => open,
    silent() {
      if (!open && !probing) void probe();
    },
    close: () => clearTimeout(timer),
  };
}

type State = {
  resolver: Resolver;
  cache: LRUCache<string, Outcome>;
  asking: Map<string, Promise<Outcome>>;
  closed: boolean;
  breaker: ReturnType<typeof createBreaker>;
};

/** `servers`: `ip`, `ip:port` or `[ip]:port` each; an empty list means the system's. */
export function createDnsResolver({ servers }: { servers: string[] }): Dns {
  const resolver: State = {
    resolver: new Resolver({ timeout: TRY_TIMEOUT_MS, tries: TRIES, maxTimeout: TRY_TIMEOUT_MS }),
    cache: new LRUCache<string, Outcome>({
      max: CACHED_ANSWERS,
      maxSize: CACHED_CHARS,
      sizeCalculation: (outcome, key) => JSON.stringify(outcome).length + key.length,
    }),
    asking: new Map<string, Promise<Outcome>>(),
    closed: false,
    breaker: createBreaker(async () => {
      const outcome = await query(resolver, ".", "NS");
      return "records" in outcome || !NO_ANSWER.has(outcome.code);
    }),
  };
  if (servers.length > 0) resolver.resolver.setServers(servers);
  return {
    async resolve(name, type, options) {
      const outcome = await find(resolver, name, type, options?.fresh);
      if ("code" in outcome) throw failure(name, type, outcome.code);
      return outcome.records as never;
    },
    close() {
      resolver.closed = true;
      resolver.breaker.close();
      resolver.resolver.cancel();
    },
  };
}

async function query(resolver: State, name: string, type: string): Promise<Outcome> {
  try {
    return { records: await resolver.resolver.resolve(name, type) };
  } catch (error) {
    return { code: (error as { code?: string }).code ?? "EFORMERR" };
  }
}

async function ask(resolver: State, name: string, type: string, key: string): Promise<Outcome> {
  const outcome = await query(resolver, name, type);
  if ("code" in outcome && NO_ANSWER.has(outcome.code)) resolver.breaker.silent();
  if ("records" in outcome) resolver.cache.set(key, outcome, { ttl: FOUND_TTL_MS });
  else if (NO_RECORD.has(outcome.code)) resolver.cache.set(key, outcome, { ttl: NOT_FOUND_TTL_MS });
  resolver.asking.delete(key);
  return outcome;
}

/** Concurrent queries for the same name and type share one request. */
function find(resolver: State, name: string, type: string, fresh = false): Outcome | Promise<Outcome> {
  const key = `${type} ${name.toLowerCase()}`;
  if (resolver.closed) return { code: "ECANCELLED" };
  if (name.length > NAME_CHARS) return { code: "EBADNAME" };
  const known = (fresh ? undefined : resolver.cache.get(key)) ?? resolver.asking.get(key);
  if (known) return known;
  if (resolver.breaker.isOpen()) return { code: "ETIMEOUT" };
  const answer = ask(resolver, name, type, key);
  resolver.asking.set(key, answer);
  return answer;
}
