// Blocks webhooks to this service's own ports and its database, in any mode.
import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { readDatabaseUrl } from "#db/url.ts";
import { portOf } from "./permitted.ts";

declare module "../../base/context.ts" {
  interface Services {
    /** Ports and hosts that webhooks must never reach. */
    ownPorts: OwnPorts;
  }
}

/** Connecting to an unspecified address reaches this machine. */
const LOCAL_V4 = ["0.0.0.0/8", "127.0.0.0/8"];
const LOCAL_V6 = ["::/128", "::1/128"];

type Place = { host: string; port: number };

export type OwnPorts = {
  /** Adds a port when it is bound. */
  add(port: number): void;
  /**
   * Whether a URL leads to this service or its database.
   * @param host a name or an IP address, in lower case, IPv6 without brackets
   */
  isNamed(host: string, port: number): boolean;
  /** Whether an address that a host name resolved to does. Rejects if the database's host cannot be resolved. */
  isReached(ip: string, host: string, port: number): Promise<boolean>;
};

function kindOf(ip: string): "ipv4" | "ipv6" {
  return isIP(ip) === 4 ? "ipv4" : "ipv6";
}

/** A list that also has the IPv4-mapped form of each IPv4 address. */
function listOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const address of addresses) {
    const [network = "", bits] = address.split("/");
    if (isIP(network) === 0) continue;
    if (bits === undefined) list.addAddress(network, kindOf(network));
    else list.addSubnet(network, Number(bits), kindOf(network));
  }
  return list;
}

/** Read at every call, because interfaces change. */
function isThisMachine(ip: string): boolean {
  const [address = ""] = ip.split("%");
  if (isIP(address) === 0) return false;
  const interfaces = Object.values(networkInterfaces()).flatMap((each) => each?.map((one) => one.address) ?? []);
  return listOf([...LOCAL_V4, ...LOCAL_V6, ...interfaces]).check(address, kindOf(address));
}

function isLocalName(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isThisMachine(host);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "").toLowerCase();
}

/** A socket in the file system has no host. */
function databasePlaces(url: string): Place[] {
  const { hosts, socket } = readDatabaseUrl(url);
  return socket ? [] : hosts.map(({ host, port }) => ({ host: host.toLowerCase(), port }));
}

async function addressesOf(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/**
 * @param ports of this service in the settings, bound by this process or another one on this machine; 0 is ignored
 * @param urls `publicUrl` of this service, `databaseUrls` of its PostgreSQL
 */
export function createOwnPorts(
  ports: readonly number[],
  { publicUrl, databaseUrls }: { publicUrl: string; databaseUrls: string[] },
): OwnPorts {
  const own = new Set(ports.filter((port) => port !== 0));
  const { hostname, protocol, port: publicPort } = new URL(publicUrl);
  const published: Place = { host: withoutBrackets(hostname), port: portOf(protocol, publicPort) };
  const databases = databaseUrls.flatMap(databasePlaces);

  function isNamed(host: string, port: number): boolean {
    if ([published, ...databases].some((place) => place.host === host && place.port === port)) return true;
    const isLocalPort = own.has(port) || databases.some((place) => place.port === port && isLocalName(place.host));
    return isLocalPort && isLocalName(host);
  }

  return {
    add: (port) => void own.add(port),
    isNamed,
    async isReached(ip, host, port) {
      if (isNamed(host, port) || isNamed(ip, port)) return true;
      for (const place of databases.filter((each) => each.port === port)) {
        const addresses = await addressesOf(place.host);
        if (listOf(addresses).check(ip, kindOf(ip))) return true;
        if (addresses.some(isThisMachine) && isThisMachine(ip)) return true;
      }
      return false;
    },
  };
}
