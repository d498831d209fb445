// Decides which addresses deliveries may reach: the public internet, and the operator's allow list
// WEBHOOK_ALLOWED_HOSTS.
import { BlockList, isIP } from "node:net";
import type { Settings } from "../../base/env.ts";
import type { AllowedHost } from "../../base/settings/allowed-host.ts";
import { isBlockedPort } from "./blocked-port.ts";
import { isPublicAddress } from "./public-address.ts";

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
