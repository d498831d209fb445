// Listens on a port with room for a burst of connections that wait to be accepted.
import { once } from "node:events";
import type { Server } from "node:net";

/**
 * libuv accepts one connection in each turn of the event loop. With Node's default of 511 a burst from one address fills the queue,
 * and the connections of others are dropped until TCP tries again after 1, 3 or 7 s. The kernel takes at most net.core.somaxconn.
 */
const WAITING_CONNECTIONS = 4_096;

/** @throws when the port is taken or not allowed */
export async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen({ port, host, backlog: WAITING_CONNECTIONS });
  await once(server, "listening");
}
