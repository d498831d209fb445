// Decides which addresses deliveries may reach: the public internet, and the operator's allow list
// WEBHOOK_ALLOWED_HOSTS.
import { BlockList, isIP } from "node:net";
import type { Settings } from "../../base/env.ts";
import type { AllowedHost } from "../../base/settings/allowed-host.ts";
import { isPublicAddress } from "./public-address.ts";

// Ports of protocols other than HTTP: a request sent there could be interpreted as commands of that protocol.

/** WHATWG Fetch, "bad port", as in browsers. */
const BROWSERS = [
  ...[0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109],
  ...[
    110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531,
  ],
  ...[532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060],
  ...[5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
];
/** Other services that accept text commands: SMB, databases, caches, remote desktops, and more ports of SMTP. */
const OTHERS = [445, 1433, 1521, 2525, 3306, 3389, 5432, 5900, 6379, 9042, 11211, 27017];

const BLOCKED = new Set([...BROWSERS, ...OTHERS]);

/** Whether a port cannot belong to a public endpoint. */
function isBlockedPort(port: number): boolean {
  return BLOCKED.has(port);
}

export type TargetRules = Pick<Settings, "WEBHOOK_TARGETS" | "WEBHOOK_ALLOWED_HOSTS">;

export type Permitted = {
  /**
   * Whether the list has this host name for this port, so that it may resolve to any address. In lower case, no
   * trailing dot.
   */
  name(host: string, port: number): boolean;
  /** Whether the list has exactly this name, for any port. */
  exactName(host: string): boolean;
  /** Whether this address may be reached at this port: because it is public, or in the list. */
  address(ip: string, port: number): boolean;
  /** Whether any address may be reached at this port. */
  port(port: number): boolean;
};

type Entry = AllowedHost & { range: BlockList | undefined };

function kindOf(ip: string): "ipv4" | "ipv6" | undefined {
  const family = isIP(ip);
  return family === 0 ? undefined : family === 4 ? "ipv4" : "ipv6";
}

function entryOf(allowed: AllowedHost): Entry {
  const { host, bits } = allowed;
  const kind = kindOf(host);
  if (!kind) return { ...allowed, range: undefined };
  const range = new BlockList();
  if (bits === undefined) range.addAddress(host, kind);
  else range.addSubnet(host, bits, kind);
  return { ...allowed, range };
}

function names(entry: Entry, host: string): boolean {
  if (entry.range) return false;
  return entry.host.startsWith("*.") ? host.endsWith(entry.host.slice(1)) : host === entry.host;
}

/** Ports of other protocols must be listed explicitly. */
function opens(entry: Entry, port: number): boolean {
  return entry.port === undefined ? !isBlockedPort(port) : entry.port === port;
}

/**
 * The rules of `WEBHOOK_TARGETS=public`. `isPublicPort`: which ports of public addresses may be reached. An IPv4 range includes IPv4-mapped IPv6 addresses, which reach the same hosts.
 */
export function permittedBy(
  allowed: readonly AllowedHost[] = [],
  isPublicPort = (port: number) => !isBlockedPort(port),
): Permitted {
  const entries = allowed.map(entryOf);
  return {
    name: (host, port) => entries.some((entry) => names(entry, host) && opens(entry, port)),
    exactName: (host) => entries.some((entry) => names(entry, host) && entry.host === host),
    address(ip, port) {
      const kind = ip.includes("%") ? undefined : kindOf(ip);
      if (!kind) return false;
      if (isPublicAddress(ip) && isPublicPort(port)) return true;
      return entries.some((entry) => entry.range?.check(ip, kind) && opens(entry, port));
    },
    port: (port) => isPublicPort(port) || entries.some((entry) => entry.port === port),
  };
}

/**
 * The port that an HTTP client connects to.
 * @param port as `URL` or undici give it, empty for the scheme's default
 */
export function portOf(protocol: string, port: string | number | undefined | null): number {
  if (port !== "" && port !== undefined && port !== null) return Number(port);
  return protocol === "https:" ? 443 : 80;
}
