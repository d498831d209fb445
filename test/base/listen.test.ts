// A burst of connections waits to be accepted: none is dropped, which would delay others by seconds.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { listen } from "#server/base/listen.ts";

/** More than Node's default lets wait. */
const BURST = 800;
/** State of a connection in /proc/net/tcp: the kernel has taken it. */
const ESTABLISHED = "01";

/** Connections that clients have opened to the port. */
function established(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = readFileSync("/proc/net/tcp", "utf8").split("\n");
  return lines.filter((line) => {
    const [, , remote, state] = line.trim().split(/\s+/);
    return remote?.endsWith(suffix) && state === ESTABLISHED;
  }).length;
}

test.runIf(process.platform === "linux")("the kernel takes 800 connections before the first is accepted", async () => {
  const most = Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"));
  const server = createServer((socket) => socket.on("error", () => undefined));
  await listen(server, 0, "127.0.0.1");
  const { port } = server.address() as AddressInfo;
  const clients = Array.from({ length: BURST }, () => connect(port, "127.0.0.1").on("error", () => undefined));
  // They connect in the next ticks of this turn; the server accepts in the next turn.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  const waiting = established(port);
  for (const client of clients) client.destroy();
  server.close();
  await once(server, "close");
  expect(waiting).toBe(Math.min(BURST, most));
});
