// Finds the client's address of a request: from the connection, or from X-Forwarded-For if a trusted proxy sent it.
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An address and the length of its prefix in bits. */
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number];

export type Client = {
  /** The IP address of the client; IPv4-mapped IPv6 addresses in their IPv4 form. */
  address: string;
  /**
   * The key for rate limits: the address, or the /64 of an IPv6 address, because providers give each customer a /64.
   */
  network: string;
  /** The scheme that the client used. */
  scheme: "http" | "https";
  /** Whether a proxy that TRUST_PROXY does not list probably sent the request, so that `address` may be the proxy's. */
  behindUndeclaredProxy: boolean;
};

export type ReadClient = (req: Pick<IncomingMessage, "headers" | "socket">) => Client;

/** Limits how many addresses of X-Forwarded-For are read. Proxy chains are shorter, and clients control the header. */
const MAX_HOPS = 16;
const NETWORK_BITS_V6 = 64;
const HEXTET_BITS = 16;
/** Ranges in which the operator's own proxy may be. */
const OWN_RANGES = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/** @returns undefined if the text is not an IP address or range such as 10.0.0.0/8 */
export function readAddressRange(text: string): AddressRange | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const parsed = parse(address);
  if (!parsed || more.length > 0) return undefined;
  const bitsMax = parsed.kind() === "ipv4" ? 32 : 128;
  if (bits === undefined) return [parsed, bitsMax];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax ? [parsed, Number(bits)] : undefined;
}

/** The rate limit key of an address: the /64 of an IPv6 address. Text that is not an address is its own key. */
export function networkOf(address: string): string {
  const parsed = parse(address);
  if (parsed?.kind() !== "ipv6") return parsed?.toString() ?? address;
  const prefix = (parsed as ipaddr.IPv6).parts.slice(0, NETWORK_BITS_V6 / HEXTET_BITS);
  return `${prefix.map((part) => part.toString(16)).join(":")}::/${NETWORK_BITS_V6}`;
}

/** The network of an address, as a prefix with a length in bits. Text that is not an address is its own network. */
export function prefixOf(address: string, bits: number): string {
  const parsed = parse(address);
  if (!parsed) return address;
  const family = parsed.kind() === "ipv6" ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${family.networkAddressFromCIDR(`${parsed.toString()}/${bits}`)}/${bits}`;
}

/**
 * @param trusted proxies whose X-Forwarded-For and X-Forwarded-Proto are trusted. The client is the rightmost address
 * in the header that is not a trusted proxy, because every proxy appends the address it saw
 */
export function createReadClient(trusted: readonly AddressRange[] = []): ReadClient {
  const isTrusted = (address: string) => isIn(trusted, address);

  function readAddress(peer: string, forwarded: string[]): string {
    let address = peer;
    for (const hop of forwarded.slice(-MAX_HOPS).reverse()) {
      if (!isTrusted(address)) break;
      const next = parse(hop);
      if (!next) break;
      address = next.toString();
    }
    return address;
  }

  function readWithHeaders({ headers, socket }: Parameters<ReadClient>[0]): Client {
    const peer = parse(socket.remoteAddress ?? "")?.toString() ?? "";
    const forwarded = listOf(headers["x-forwarded-for"]);
    const address = readAddress(peer, forwarded);
    const scheme = isTrusted(peer) ? listOf(headers["x-forwarded-proto"]).at(-1) : undefined;
    return {
      address,
      network: networkOf(address),
      scheme: scheme?.toLowerCase() === "https" || "encrypted" in socket ? "https" : "http",
      behindUndeclaredProxy: forwarded.length > 0 && !isTrusted(peer) && isOwn(peer),
    };
  }

  // Without these headers, all requests of a connection have the same client.
  const known = new WeakMap<IncomingMessage["socket"], Client>();
  return (req) => {
    if (req.headers["x-forwarded-for"] || req.headers["x-forwarded-proto"]) return readWithHeaders(req);
    if (!known.has(req.socket)) known.set(req.socket, readWithHeaders(req));
    return known.get(req.socket) as Client;
  };
}

/** Whether the address is in one of the ranges. */
export function isIn(ranges: readonly AddressRange[], address: string): boolean {
  const parsed = parse(address);
  return parsed !== undefined && ranges.some(([net, bits]) => net.kind() === parsed.kind() && parsed.match(net, bits));
}

function isOwn(address: string): boolean {
  return OWN_RANGES.has(parse(address)?.range() ?? "");
}

/** Removes a zone (`fe80::1%eth0`) and a port (`203.0.113.7:4711`, `[2001:db8::1]:443`), which some proxies add. */
function parse(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  const address = text
    .replace(/^\[([^\]]*)\](:\d{1,5})?$/, "$1")
    .replace(/%.*$/, "")
    .replace(/^([\d.]+):\d{1,5}$/, "$1");
  return isIP(address) === 0 ? undefined : ipaddr.process(address);
}

function listOf(header: string | string[] | undefined): string[] {
  return (header?.toString() ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}
