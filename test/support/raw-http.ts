// An HTTP/1.1 request written by hand, for tests that stop sending in the middle or send more than they announced.
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const CHUNK_BYTES = 65_536;

/** Sends the head of a request. `headers` as lines; the body is what `send` writes. */
export async function openRequest({ url }: { url: string }, requestLine: string, headers: string[] = []) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  let sent = 0;
  socket.setEncoding("latin1").on("data", (more) => {
    text += more;
  });
  // A connection that the service has closed is what some tests wait for.
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.write(`${[`${requestLine} HTTP/1.1`, "Host: 127.0.0.1", ...headers].join("\r\n")}\r\n\r\n`);
  return {
    closed,
    /** The answer so far, head and body. */
    text: () => text,
    /** The status, once there is an answer. */
    status: () => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
    bytesSent: () => sent,
    async sendText(more: string): Promise<void> {
      socket.write(more);
    },
    /** Writes that many bytes of `x`, or fewer when the service closes the connection. */
    async send(bytes: number): Promise<void> {
      for (let left = bytes; left > 0 && isOpen(socket); left -= CHUNK_BYTES) {
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, left), "x");
        sent += chunk.length;
        if (!socket.write(chunk)) await Promise.race([once(socket, "drain").catch(() => {}), closed]);
      }
    },
    close: () => socket.destroy(),
  };
}

function isOpen(socket: Socket): boolean {
  return !socket.destroyed && socket.writable;
}
