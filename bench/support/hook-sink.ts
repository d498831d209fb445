// A customer's endpoints, good and bad, in a process of their own: one port, and the path says how a request is treated.
// Sockets with as little as possible around them, so that they cost a fraction of what sends to them.
import { createServer, type Socket } from "node:net";
import { nowMs } from "./clock.ts";

/**
 * `listen` first; `expect` before a run; `collect` waits until that many requests of the run have been answered. The paths are `/fast`, `/slow` (50 ms), `/hang`, `/trickle`, `/reset`, `/huge` (1 GB).
 */
export type SinkOrder =
  | { kind: "listen" }
  | { kind: "expect" }
  | { kind: "collect"; requests: number; withinMs: number };
/** `arrivals`: when the request for each delivery id came, in ms of the machine's monotonic clock; good paths alone. */
export type SinkAnswer = { port?: number; arrivals?: [string, number][]; failed?: string };

const SLOW_MS = 50;
const TRICKLE_EVERY_MS = 1_000;
const COLLECT_EVERY_MS = 2;
const OK = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
const HUGE_HEAD = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n");
const CHUNK = Buffer.alloc(65_536, "x");
const HEAD_END = "\r\n\r\n";

let arrivals: [string, number][] = [];

const treat: Record<string, (socket: Socket) => void> = {
  fast: (socket) => socket.write(OK),
  slow: (socket) => void setTimeout(() => socket.writable && socket.write(OK), SLOW_MS),
  hang: () => undefined,
  trickle(socket) {
    socket.write("HTTP/1.1 200 OK\r\nX: ");
    const timer = setInterval(() => socket.write("x"), TRICKLE_EVERY_MS);
    socket.once("close", () => clearInterval(timer));
  },
  reset: (socket) => void socket.resetAndDestroy(),
  huge(socket) {
    const more = () => {
      while (socket.writable && socket.write(CHUNK));
    };
    socket.on("drain", more);
    socket.write(HUGE_HEAD);
    more();
  },
};

function serve(socket: Socket): void {
  let text = "";
  socket.setNoDelay(true);
  socket.on("error", () => undefined); // the other side may cut what is too long
  socket.setEncoding("latin1");
  socket.on("data", (chunk: unknown) => {
    text += String(chunk);
    for (let head = text.indexOf(HEAD_END); head >= 0; head = text.indexOf(HEAD_END)) {
      const headers = text.slice(0, head);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(headers)?.[1] ?? 0);
      const end = head + HEAD_END.length + length;
      if (text.length < end) return;
      text = text.slice(end);
      const kind = /^POST \/(\w+)/.exec(headers)?.[1] ?? "";
      if (kind === "fast" || kind === "slow") {
        arrivals.push([/\r\nx-service-delivery: *(\w+)/i.exec(headers)?.[1] ?? "", nowMs()]);
      }
      treat[kind]?.(socket);
    }
  });
}

const server = createServer(serve);

async function collect(requests: number, withinMs: number): Promise<SinkAnswer> {
  const deadline = nowMs() + withinMs;
  while (arrivals.length < requests && nowMs() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, COLLECT_EVERY_MS));
  }
  if (arrivals.length < requests)
    return { failed: `${requests - arrivals.length} of ${requests} requests are missing` };
  return { arrivals };
}

process.on("message", async (order: SinkOrder) => {
  if (order.kind === "listen") {
    server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, () => {
      const address = server.address();
      process.send?.({ port: typeof address === "object" ? (address?.port ?? 0) : 0 } satisfies SinkAnswer);
    });
  } else if (order.kind === "expect") {
    arrivals = [];
    process.send?.({} satisfies SinkAnswer);
  } else process.send?.(await collect(order.requests, order.withinMs));
});
