// Parses an entry of WEBHOOK_ALLOWED_HOSTS: a name, a wildcard, an address or a range, each with or without a port.
import { isIP } from "node:net";

/**
 * Allows underscores, because private networks use them. The last label needs a letter, or it would be read as IPv4.
 */
const HOST_NAME =
  /^(\*\.)?(?=.{1,253}$)(?:(?!-)[a-z0-9_-]{1,63}(?<!-)\.)*(?!-|0x)(?=[0-9_-]*[a-z])[a-z0-9_-]{1,63}(?<!-)$/;
const HOST_AND_PORT = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/;
const PORT_MAX = 65_535;

/**
 * `host` is a name, `*.` and a name, or an IP address; with `bits` it is a range. Without a port, it allows all ports.
 */
export type AllowedHost = { host: string; bits?: number; port?: number };

export function readAllowedHost(text: string): AllowedHost | undefined {
  const isBareV6 = isIP(text.split("/", 1)[0] ?? "") === 6;
  const [, bracketed, plain, port] = HOST_AND_PORT.exec(isBareV6 ? `[${text}]` : text) ?? [];
  const [host = "", bits, ...more] = (bracketed ?? plain ?? "").toLowerCase().split("/");
  const family = isIP(host);
  const bitsMax = family === 6 ? 128 : 32;
  const isRange = bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax;
  const isName = family === 0 && bits === undefined && HOST_NAME.test(host);
  const isAddress = family !== 0 && !host.includes("%") && (bits === undefined || isRange);
  const isWritten = (bracketed !== undefined) === (family === 6) && more.length === 0;
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= PORT_MAX);
  if (!isWritten || !isPort || !(isName || isAddress)) return undefined;
  return { host, ...(bits && { bits: Number(bits) }), ...(port && { port: Number(port) }) };
}
