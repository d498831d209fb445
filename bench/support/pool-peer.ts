// The peer of W3 in a separate process: nodemailer's own pool, without a database, a queue or outcomes.
import { createTransport } from "nodemailer";

export type PoolOrder = { port: number; mails: number; connections: number; from: string; text: string };
export type PoolAnswer = { pid: number; seconds: number; failed?: string };

let transport: ReturnType<typeof open> | undefined;

function open({ port, connections }: PoolOrder) {
  return createTransport({
    host: "127.0.0.1",
    port,
    pool: true,
    maxConnections: connections,
    maxMessages: Number.POSITIVE_INFINITY,
    ignoreTLS: true,
  });
}

async function send(order: PoolOrder): Promise<PoolAnswer> {
  transport ??= open(order);
  const pool = transport;
  const { from, text, mails } = order;
  const started = performance.now();
  const all = Array.from({ length: mails }, (_, n) =>
    pool.sendMail({ from, to: `ann-${n}@sink.example`, subject: `bench ${n}`, text }),
  );
  await Promise.all(all);
  return { pid: process.pid, seconds: (performance.now() - started) / 1000 };
}

process.on("message", async (order: PoolOrder) => process.send?.(await send(order)));
