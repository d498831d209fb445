// Refuses requests that a foreign web page makes in a browser, also by DNS rebinding.
import type { IncomingMessage } from "node:http";
import { validateHostHeader } from "@modelcontextprotocol/server";
import { isLoopback } from "../../base/env.ts";
import { ServiceError } from "../../base/errors.ts";

const SHOWN_CHARS = 100;

/**
 * `Host` must name the host of PUBLIC_URL or the address that the connection was made to; `Origin`, which browsers send,
 * must be absent or the origin of PUBLIC_URL.
 * @throws ServiceError `cross_origin`
 */
export function checkSource({ headers: { host, origin }, socket }: IncomingMessage, publicUrl: string): void {
  const service = new URL(publicUrl);
  const address = (socket.localAddress ?? "").replace(/^::ffff:/, "");
  const here = address.includes(":") ? `[${address}]` : address;
  const names = [service.hostname, here, ...(isLoopback(address) ? ["localhost"] : [])];
  if (!validateHostHeader(host, names).ok) {
    throw new ServiceError("cross_origin", `This service is not called ${String(host).slice(0, SHOWN_CHARS)}.`);
  }
  if (origin !== undefined && origin !== service.origin) {
    throw new ServiceError("cross_origin", `Pages of ${origin.slice(0, SHOWN_CHARS)} cannot use this service.`);
  }
}
