// HTTP load in a separate process: kept-alive connections, one request after the other on each, for a given time.
// Written for the bench because it costs about 15 µs a request, a fifth of JavaScript load tools.
import { connect, type Socket } from "node:net";

/**
 * `requests`: whole requests as text, taken in turn. Any other status than `status` is a failure, unless it is one of
 * `refusals`, which are counted. `perSecond`: requests begin at this pace, and their latencies are measured from the time at
 * which each was due; without it as fast as the connections allow.
 */
export type HttpOrder = {
  port: number;
  connections: number;
  requests: string[];
  status: number;
  seconds: number;
  perSecond?: number;
  refusals?: number[];
};
export type HttpAnswer = {
  operations: number;
  seconds: number;
  refused: number;
  latenciesMs?: number[];
  failed?: string;
};

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
  const refusals = (order.refusals ?? []).map((status) => `HTTP/1.1 ${status} `);
  const latenciesMs: number[] = [];
  let next = 0;
  let operations = 0;
  let refused = 0;
  let taken = 0;
  let failed: string | undefined;
  const started = performance.now();
  const end = started + order.seconds * 1000;
  let last = started;

  function drive(socket: Socket, done: () => void): void {
    let text = "";
    let due = 0;
    const send = () => {
      const request = requests[next++ % requests.length] as Buffer;
      if (performance.now() < end && failed === undefined) socket.write(request);
      else socket.end();
    };
    const sendDue = () => {
      if (order.perSecond === undefined) return send();
      due = started + (taken++ * 1000) / order.perSecond;
      const early = due - performance.now();
      if (early <= 0) return send();
      setTimeout(() => {
        // A timer that is late is not the server's delay.
        due = performance.now();
        send();
      }, early);
    };
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("connect", sendDue);
    socket.on("data", (chunk) => {
      text += chunk;
      if (answerLength(text) === 0) return;
      if (refusals.some((each) => text.startsWith(each))) refused += 1;
      else if (text.startsWith(expected)) operations += 1;
      else failed ??= `expected ${order.status}: ${text.slice(0, 600)}`;
      text = "";
      last = performance.now();
      if (order.perSecond !== undefined) latenciesMs.push(last - due);
      sendDue();
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
  return {
    operations,
    seconds: (last - started) / 1000,
    refused,
    ...(order.perSecond !== undefined && { latenciesMs }),
    ...(failed !== undefined && { failed }),
  };
}

process.on("message", async (order: HttpOrder) => process.send?.(await run(order)));
