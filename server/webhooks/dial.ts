// Opens the sockets of deliveries. The very addresses that a name resolves to are judged, and those alone are dialled: there
// is no second look-up between judging and connecting in which a name could change its mind.
import { lookup, Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import type { Settings } from "../env.ts";
import { isPublicAddress } from "./public-address.ts";

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
  return Object.assign(new Error("the host's address is not on the public internet"), { code: "ADDRESS_REFUSED" });
}

/**
 * A connector for undici that dials permitted addresses only. One answer that is not permitted refuses the name with all its
 * answers: a mixed set is a mistake or an attack, and which of its addresses would be dialled is chance.
 * @param permits judges one address, literal or resolved
 */
export function createDial(permits: (ip: string) => boolean, resolve: Resolve, timeoutMs: number): Dial {
  const resolveShared = shared(resolve);
  const judged: LookupFunction = (hostname, options, done) => {
    resolveShared(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(permits)) return done(refusal(), "", 0);
        const all = addresses.map((address) => ({ address, family: isIP(address) }));
        if (options.all) done(null, all);
        else done(null, first, isIP(first));
      },
      (error) => done(error, "", 0),
    );
  };
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false, lookup: judged, autoSelectFamily: true });
  return (options, done) => {
    // A literal address is never looked up, so it is judged here.
    if (isIP(options.hostname) !== 0 && !permits(options.hostname)) done(refusal(), null);
    else connect(options, done);
  };
}

/** The connector that the settings ask for; no proxy of the environment is ever used. */
export function dialFor(settings: Pick<Settings, "WEBHOOK_TARGETS">, timeoutMs: number): Dial {
  return settings.WEBHOOK_TARGETS === "public"
    ? createDial(isPublicAddress, publicResolver(), timeoutMs)
    : createDial(() => true, resolveAsMachine, timeoutMs);
}
