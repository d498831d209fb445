// Opens the sockets of deliveries. Checks the addresses that a name resolves to and connects to the same addresses,
// without a second lookup, which prevents DNS rebinding.
import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { LRUCache } from "lru-cache";
import { buildConnector } from "undici";
import type { AllowedHost } from "../../base/settings/allowed-host.ts";
import type { OwnPorts } from "./own-ports.ts";
import { type Permitted, permittedBy, portOf, type TargetRules } from "./permitted.ts";

/** The most addresses of a name that one attempt tries, one after the other. All of its answers are checked. */
const ADDRESSES_MAX = 8;
/** The most ports with a cached connector, because each keeps TLS sessions. */
const PORTS_MAX = 64;
const DNS_TIMEOUT_MS = 3_000;
const DNS_TRIES = 2;
const WEB_PORTS = new Set([80, 443]);

/** All addresses of a host name, of both families; rejects if it has none. */
export type Resolve = (hostname: string) => Promise<string[]>;
export type Dial = buildConnector.connector;

/** The system's resolver, with hosts file and search domains, so that names of a private network work. */
async function resolveAsMachine(hostname: string): Promise<string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

/** DNS only, not the thread pool, which four names with silent servers would block for the whole process. */
function publicResolver(): Resolve {
  const dns = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  return async (hostname) => {
    const answers = await Promise.allSettled([dns.resolve4(hostname), dns.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    if (addresses.length === 0 && answers[0].status === "rejected") throw answers[0].reason;
    return addresses;
  };
}

/** Concurrent lookups of one name share one answer. */
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

/** Checks one address, literal or resolved, for the host and port of a URL. */
export type Permits = (ip: string, hostname: string, port: number) => boolean | Promise<boolean>;

/**
 * A connector for undici that connects only to permitted addresses. One forbidden answer rejects the name with all its
 * answers: a mixed set is a mistake or an attack, and the choice among its addresses would be random.
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
  // The lookup callback does not get the port.
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
    // A literal address is never looked up, so it is checked here.
    permitsAll([hostname], hostname, port).then(
      (permitted) => (permitted ? connect() : done(refusal(), null)),
      (error) => done(error, null),
    );
  };
}

/** The connector for these settings. It never connects to this service, and never uses a proxy from the environment. */
export function dialFor(rules: { settings: TargetRules; ownPorts: OwnPorts }, timeoutMs: number): Dial {
  const { settings, ownPorts } = rules;
  const isElsewhere: Permits = async (...place) => !(await ownPorts.isReached(...place));
  if (settings.WEBHOOK_TARGETS === "any") return createDial(isElsewhere, resolveAsMachine, timeoutMs);
  return dialOf(permittedBy(settings.WEBHOOK_ALLOWED_HOSTS), isElsewhere, timeoutMs);
}

/** For pictures in mail, whose addresses any sender chooses: public addresses at the ports of the web, in every mode. */
export function dialForPictures(
  rules: { allowed: readonly AllowedHost[]; ownPorts: OwnPorts },
  timeoutMs: number,
): Dial {
  const isElsewhere: Permits = async (...place) => !(await rules.ownPorts.isReached(...place));
  return dialOf(
    permittedBy(rules.allowed, (port) => WEB_PORTS.has(port)),
    isElsewhere,
    timeoutMs,
  );
}

function dialOf(permitted: Permitted, isElsewhere: Permits, timeoutMs: number): Dial {
  const dns = publicResolver();
  return createDial(
    async (ip, hostname, port) =>
      (permitted.name(hostname, port) || permitted.address(ip, port)) && isElsewhere(ip, hostname, port),
    // The hosts file and search domains apply to names in the operator's allow list, not to names from tenants.
    (hostname) => (permitted.exactName(hostname) ? resolveAsMachine(hostname) : dns(hostname)),
    timeoutMs,
  );
}
