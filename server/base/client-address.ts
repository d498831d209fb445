// The address of the client behind a request: from the connection, and from X-Forwarded-For where a trusted proxy sent it.
import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** An address and the length of its prefix in bits. */
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number];

export type Client = {
  /** The IP address of the client, an IPv4-mapped one in its IPv4 form. */
  address: string;
  /** What limits count by: the address, for IPv6 its /64, which is what one customer of a provider has. */
  network: string;
  /** The scheme that the client used. */
  scheme: "http" | "https";
  /** Whether a proxy that TRUST_PROXY does not name seems to have sent the request, so that `address` may be its own. */
  behindUndeclaredProxy: boolean;
};

export type ReadClient = (req: Pick<IncomingMessage, "headers" | "socket">) => Client;

/** Addresses of X-Forwarded-For that are read: chains of proxies are shorter, and the header is the client's to fill. */
const MAX_HOPS = 16;
const NETWORK_BITS_V6 = 64;
const HEXTET_BITS = 16;
/** Ranges in which a proxy of the operator's own may be. */
const OWN_RANGES = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/** @returns undefined for text that is no IP address or range such as 10.0.0.0/8 */
export function readAddressRange(text: string): AddressRange | undefined {
  const [address = "", bits, ...more] = text.split("/");
  const parsed = parse(address);
  if (!parsed || more.length > 0) return undefined;
  const bitsMax = parsed.kind() === "ipv4" ? 32 : 128;
  if (bits === undefined) return [parsed, bitsMax];
  return /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax ? [parsed, Number(bits)] : undefined;
}

/** What a limit counts an address by: for IPv6 its /64. Text that is no address counts as itself. */
export function networkOf(address: string): string {
  const parsed = parse(address);
  if (parsed?.kind() !== "ipv6") return parsed?.toString() ?? address;
  const prefix = (parsed as ipaddr.IPv6).parts.slice(0, NETWORK_BITS_V6 / HEXTET_BITS);
  return `${prefix.map((part) => part.toString(16)).join(":")}::/${NETWORK_BITS_V6}`;
}

/**
 * @param trusted proxies whose X-Forwarded-For and X-Forwarded-Proto are believed. The client is the rightmost address of the
 *   header that is not a trusted proxy, since every proxy appends the address that it saw
 */
export function createReadClient(trusted: readonly AddressRange[] = []): ReadClient {
  const isTrusted = (address: string) => {
    const parsed = parse(address);
    return (
      parsed !== undefined && trusted.some(([net, bits]) => net.kind() === parsed.kind() && parsed.match(net, bits))
    );
  };

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

  return ({ headers, socket }) => {
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
  };
}

function isOwn(address: string): boolean {
  return OWN_RANGES.has(parse(address)?.range() ?? "");
}

/** Without a zone (`fe80::1%eth0`) or a port (`203.0.113.7:4711`, `[2001:db8::1]:443`), which some proxies write. */
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
