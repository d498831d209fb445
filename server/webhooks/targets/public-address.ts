// Decides which IP addresses are on the public internet, so that a delivery never reaches a private network.
import { BlockList, isIP } from "node:net";

/** IANA special-purpose registry (RFC 6890 and successors), and one cloud address that looks public but is not. */
const SPECIAL_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private, RFC 1918
  "100.64.0.0/10", // carrier NAT, RFC 6598
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's host: metadata, DNS, DHCP
  "169.254.0.0/16", // link-local and cloud metadata, RFC 3927
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments, RFC 6890
  "192.0.2.0/24", // documentation, RFC 5737
  "192.31.196.0/24", // AS112, RFC 7535
  "192.52.193.0/24", // AMT relays, RFC 7450
  "192.88.99.0/24", // 6to4 relays, RFC 7526
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112, RFC 7534
  "198.18.0.0/15", // benchmarks, RFC 2544
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, and broadcast
];

const SPECIAL_V6 = [
  "2001::/23", // protocol assignments: Teredo, benchmarks, AMT, AS112 (RFC 7535), ORCHID, DRIP, RFC 2928
  "2001:db8::/32", // documentation, RFC 3849
  "2002::/16", // 6to4: contains an arbitrary IPv4 address, RFC 3056
  "2620:4f:8000::/48", // AS112, RFC 7534
  "3fff::/20", // documentation, RFC 9637
];

/** Prefixes before an IPv4 address that is the actual destination: IPv4-mapped (RFC 4291) and NAT64 (RFC 6052). */
const EMBEDDING_V6 = ["::ffff:", "64:ff9b::"];
const EMBEDDING_BITS = 96;

function listOf(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = "", bits] = range.split("/");
    list.addSubnet(network, Number(bits), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

function embedded(range: string): string[] {
  const [network, bits] = range.split("/");
  return EMBEDDING_V6.map((prefix) => `${prefix}${network}/${EMBEDDING_BITS + Number(bits)}`);
}

/** Only 2000::/3 is global unicast (RFC 4291): all other IPv6 is special or unassigned. */
const unicast = listOf(["0.0.0.0/0", "2000::/3", ...embedded("0.0.0.0/0")]);
const special = listOf([...SPECIAL_V4, ...SPECIAL_V4.flatMap(embedded), ...SPECIAL_V6]);

/**
 * Whether an address is public.
 * @param ip as a resolver or URL parser returns it; any other text (octal, short, a zone, a name) is not public
 */
export function isPublicAddress(ip: string): boolean {
  const family = isIP(ip);
  if (family === 0 || ip.includes("%")) return false;
  const kind = family === 4 ? "ipv4" : "ipv6";
  return unicast.check(ip, kind) && !special.check(ip, kind);
}
