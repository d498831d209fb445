// HTTP load in a separate process: kept-alive connections, one request after the other on each, for a given time.
// Written for the bench because it costs about 15 µs a request, a fifth of JavaScript load tools.
import { connect, type Socket } from "node:net";

/** `requests`: whole requests as text, taken in turn. Any other status than `status` is a failure. */
export type HttpOrder = { port: number; connections: number; requests: string[]; status: number; seconds: number };
export type HttpAnswer = { operations: number; seconds: number; failed?: string };

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";

/** Octets of the answer at the start of `text`; 0 when it is not complete. */
function answerLength(text: string): number {
  const head = text.indexOf(HEAD_END);
  if (head < 0) return 0;
  const headers = text.slice(0, head).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(headers)?.[1];
  if (length === undefined) return text.endsWith(LAST_CHUNK) ? text.length : 0;
  const total = head + HEAD_END.length + Number(length);
  return text.length >= total ? total : 0;
}

async function run(order: HttpOrder): Promise<HttpAnswer> {
  const requests = order.requests.map((text) => Buffer.from(text));
  const expected = `HTTP/1.1 ${order.status} `;
  let next = 0;
  let operations = 0;
  let failed: string | undefined;
  const started = performance.now();
  const end = started + order.seconds * 1000;
  let last = started;

  function drive(socket: Socket, done: () => void): void {
    let text = "";
    const send = () => {
      const request = requests[next++ % requests.length] as Buffer;
      if (performance.now() < end && failed === undefined) socket.write(request);
      else socket.end();
    };
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("connect", send);
    socket.on("data", (chunk) => {
      text += chunk;
      if (answerLength(text) === 0) return;
      if (!text.startsWith(expected)) failed ??= `expected ${order.status}: ${text.slice(0, 600)}`;
      text = "";
      operations += 1;
      last = performance.now();
      send();
    });
    socket.on("error", (error) => {
      failed ??= error.message;
    });
    socket.on("close", done);
  }

  const closed = Array.from(
    { length: order.connections },
    () => new Promise<void>((done) => drive(connect(order.port, "127.0.0.1"), done)),
  );
  await Promise.all(closed);
  return { operations, seconds: (last - started) / 1000, ...(failed !== undefined && { failed }) };
}

process.on("message", async (order: HttpOrder) => process.send?.(await run(order)));
