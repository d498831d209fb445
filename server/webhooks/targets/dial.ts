// Opens the sockets of deliveries. The very addresses that a name resolves to are judged, and those alone are dialled: there
// is no second look-up between judging and connecting in which a name could change its mind.
import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import { buildConnector } from "undici";
import type { OwnPorts } from "./own-ports.ts";
import { permittedBy, portOf, type TargetRules } from "./permitted.ts";

/** Addresses of a name that one attempt may try, one after the other. All of its answers are judged. */
const ADDRESSES_MAX = 8;
/** Connectors are kept for this many ports, since each keeps TLS sessions. */
const PORTS_MAX = 64;
const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;

/** All addresses of a host name, of both families; rejects when it has none. */
export type Resolve = (hostname: string) => Promise<string[]>;
export type Dial = buildConnector.connector;

/** The resolver of the machine, with its hosts file and search domains: names of a private network work. */
async function resolveAsMachine(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** DNS alone, and not on the thread pool, which four names whose servers do not answer would stop for the whole process. */
function publicResolver(): Resolve {
  const dns = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return async (hostname) => {
    const answers = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length === 0 && answers[0].status === "rejected") throw answers[0].reason;
    return addresses;
  };
}

/** Callers that ask for one name at the same time share one answer. */
function shared(resolve: Resolve): Resolve {
  const asked = new Map<string, Promise<string[]>>();
  return (hostname) => {
    const known = asked.get(hostname);
    if (known) return known;
    const answer = resolve(hostname).finally(() => asked.delete(hostname));
    asked.set(hostname, answer);
    return answer;
  };
}

function refusal(): Error {
  const message = "the host's address or port is not one that webhooks may go to";
  return Object.assign(new Error(message), { code: "ADDRESS_REFUSED" });
}

/** Judges one address, literal or resolved, for the host and port of a URL. */
export type Permits = (ip: string, hostname: string, port: number) => boolean | Promise<boolean>;

/**
 * A connector for undici that dials permitted addresses only. One answer that is not permitted refuses the name with all its
 * answers: a mixed set is a mistake or an attack, and which of its addresses would be dialled is chance.
 */
export function createDial(permits: Permits, resolve: Resolve, timeoutMs: number): Dial {
  const resolveShared = shared(resolve);
  const permitsAll = async (addresses: string[], hostname: string, port: number) =>
    (await Promise.all(addresses.map((ip) => permits(ip, hostname, port)))).every(Boolean);
  const judged =
    (port: number): LookupFunction =>
    (hostname, options, done) => {
      const judging = resolveShared(hostname).then(async (addresses) => {
        if (addresses.length === 0 || !(await permitsAll(addresses, hostname, port))) throw refusal();
        return addresses;
      });
      judging.then(
        (addresses) => {
          const [first = ""] = addresses;
          const tried = addresses.slice(0, ADDRESSES_MAX).map((address) => ({ address, family: isIP(address) }));
          if (options.all) done(null, tried);
          else done(null, first, isIP(first));
        },
        (error) => done(error, "", 0),
      );
    };
  // A look-up is not told the port that it is for.
  const connectors = new LRUCache<number, Dial>({
    max: PORTS_MAX,
    memoMethod: (port) =>
      buildConnector({ timeout: timeoutMs, allowH2: false, lookup: judged(port), autoSelectFamily: true }),
  });
  return (options, done) => {
    const { hostname, protocol } = options;
    const port = portOf(protocol, options.port);
    const connect = () => connectors.memo(port)(options, done);
    if (isIP(hostname) === 0) return connect();
    // A literal address is never looked up, so it is judged here.
    permitsAll([hostname], hostname, port).then(
      (permitted) => (permitted ? connect() : done(refusal(), null)),
      (error) => done(error, null),
    );
  };
}

/** The connector that the settings ask for. Nothing dials this service itself; no proxy of the environment is ever used. */
export function dialFor(rules: { settings: TargetRules; ownPorts: OwnPorts }, timeoutMs: number): Dial {
  const { settings, ownPorts } = rules;
  const isElsewhere = async (ip: string, hostname: string, port: number) =>
    !(await ownPorts.isReached(ip, hostname, port));
  if (settings.WEBHOOK_TARGETS === "any") return createDial(isElsewhere, resolveAsMachine, timeoutMs);
  const permitted = permittedBy(settings.WEBHOOK_ALLOWED_HOSTS);
  const dns = publicResolver();
  return createDial(
    async (ip, hostname, port) =>
      (permitted.name(hostname, port) || permitted.address(ip, port)) && isElsewhere(ip, hostname, port),
    // The hosts file and search domains count for names of the operator's choice, not for those that a tenant makes up.
    (hostname) => (permitted.exactName(hostname) ? resolveAsMachine(hostname) : dns(hostname)),
    timeoutMs,
  );
}
