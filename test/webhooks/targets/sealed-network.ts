// A closed network for tests of hostile targets: a DNS server on loopback answers every lookup of this process, and
// every TCP connection ends at one of two servers on loopback, the outside or the canary. It replaces Node's own
// functions, so that the code under test runs unchanged.
import { Socket as UdpSocket } from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, createServer, isIP, type LookupFunction, Socket } from "node:net";
import { startDnsServer } from "#test/support/dns-server.ts";
import type { Zone } from "#test/support/zone.ts";
import { startReceiver } from "../delivery/receiver.ts";

const LOOPBACK = "127.0.0.1";
/** Long, so that a busy machine does not turn an answer into a failure. */
const DNS_TIMEOUT_MS = 10_000;

type Patched = { holder: Record<string, unknown>; name: string; original: unknown };
type ConnectOptions = { host?: string; port?: number | string; path?: string; lookup?: LookupFunction };

const patches: Patched[] = [];

function patch(holder: object, name: string, replacement: unknown): unknown {
  const target = holder as Record<string, unknown>;
  patches.push({ holder: target, name, original: target[name] });
  target[name] = replacement;
  return patches.at(-1)?.original;
}

function restore(): void {
  for (const { holder, name, original } of patches.splice(0).reverse()) holder[name] = original;
  syncBuiltinESMExports();
}

function sealed(what: string) {
  return () => {
    throw new Error(`${what} would leave the machine`);
  };
}

/** IPv6 as `URL` writes it: a resolver gives other forms. */
function canonical(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

async function startCanary() {
  const server = createServer((socket) => {
    canary.connections += 1;
    socket.on("error", () => undefined).destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const canary = {
    port: (server.address() as AddressInfo).port,
    connections: 0,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return canary;
}

/** Real queries of the real resolver, to the server on loopback alone. `getaddrinfo` is answered from the hosts. */
function replaceLookups(server: string, hosts: Record<string, string[]>): void {
  const resolver = new dns.promises.Resolver({ timeout: DNS_TIMEOUT_MS, tries: 1 });
  resolver.setServers([server]);
  const { resolve4, resolve6 } = dns.promises.Resolver.prototype;
  for (const holder of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    for (const name of Object.getOwnPropertyNames(holder)) {
      if (/^(resolve|reverse|lookup)/.test(name)) patch(holder, name, sealed(`dns.${name}`));
    }
  }
  patch(dns.promises.Resolver.prototype, "resolve4", (name: string) => Reflect.apply(resolve4, resolver, [name]));
  patch(dns.promises.Resolver.prototype, "resolve6", (name: string) => Reflect.apply(resolve6, resolver, [name]));
  const found = (name: string) => hosts[name]?.map((address) => ({ address, family: isIP(address) }));
  const unknown = (name: string) => Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" });
  patch(dns.promises, "lookup", async (name: string) => found(name) ?? Promise.reject(unknown(name)));
  patch(dns, "lookup", (name: string, _: unknown, done: (error: Error | null, all: unknown) => void) => {
    const all = found(name);
    if (all) done(null, all);
    else done(unknown(name), []);
  });
}

/**
 * Seals this process's network until `close`.
 * @param outside addresses that count as reached when they are dialled; all others lead to the canary
 * @param zone what DNS holds; it may be changed at any time
 * @param hosts what the machine itself resolves
 */
export async function sealNetwork(
  outside: Iterable<string>,
  zone: Zone,
  hosts: Record<string, string[]> = { localhost: [LOOPBACK, "::1"] },
) {
  const [reached, canary, names] = [await startReceiver(), await startCanary(), await startDnsServer(zone)];
  const isOutside = new Set([...outside].map(canonical));
  const dialled: string[] = [];
  replaceLookups(names.address, hosts);

  const send = UdpSocket.prototype.send as (...args: unknown[]) => void;
  patch(UdpSocket.prototype, "send", function (this: UdpSocket, ...args: unknown[]) {
    if (!args.includes(LOOPBACK)) throw new Error("a datagram would leave the machine");
    send.apply(this, args);
  });

  const connect = Socket.prototype.connect as (...args: unknown[]) => Socket;
  patch(Socket.prototype, "connect", function (this: Socket, ...args: unknown[]) {
    const [options, done] = (Array.isArray(args[0]) ? args[0] : args) as [ConnectOptions, unknown];
    const { host = "localhost", port, lookup = dns.lookup as never } = options;
    if (typeof options !== "object" || options.path !== undefined || port === undefined) throw new Error("not TCP");
    const dial = (found: string[]) => {
      const addresses = found.map(canonical);
      dialled.push(...addresses.map((address) => `${address} ${port}`));
      // Any of them may be the one that connects: the worst counts.
      const good = addresses.length > 0 && addresses.every((address) => isOutside.has(address));
      connect.call(this, { host: LOOPBACK, port: good ? reached.port : canary.port }, done);
    };
    if (isIP(host) !== 0) dial([host]);
    else {
      (lookup as LookupFunction)(host, { all: true }, (error, found) => {
        if (error) this.destroy(error);
        else dial([found].flat().map((entry) => (typeof entry === "string" ? entry : entry.address)));
      });
    }
    return this;
  });
  syncBuiltinESMExports();

  return {
    reached,
    canary,
    /** `address port`, addresses as `canonical` writes them, every one that a connection was asked for. */
    dialled,
    /** What DNS was asked, as `A name`. */
    asked: names.asked,
    async close() {
      restore();
      await Promise.all([reached.close(), canary.close(), names.close()]);
    },
  };
}

export type SealedNetwork = Awaited<ReturnType<typeof sealNetwork>>;
