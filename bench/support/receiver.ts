// A customer's endpoint in a separate process: answers every webhook with 200 and records when each mail's arrived.
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { nowMs } from "./clock.ts";

/** `listen` first; `expect` before the mails of a run are sent; `collect` waits until all of them have arrived. */
export type ReceiverOrder =
  | { kind: "listen" }
  | { kind: "expect"; tag: string; secret: string }
  | { kind: "collect"; mails: number; withinMs: number };
/** `arrivedMs[n]` of mail n on the machine's monotonic clock; `failed` when a mail is missing or a signature is wrong. */
export type ReceiverAnswer = { port?: number; arrivedMs?: number[]; failed?: string };

const SIGNATURES_CHECKED = 20;
const COLLECT_EVERY_MS = 5;
const SUBJECT = /"subject":"bench (\S+) (\d+)"/;
const SIGNATURE = /^t=(\d+),v1=([0-9a-f]{64})$/;

let tag = "";
let secret = "";
let arrivedMs: number[] = [];
let arrived = 0;
let wrong: string | undefined;

function isSigned(header: string | undefined, body: string): boolean {
  const [, at, signature] = SIGNATURE.exec(header ?? "") ?? [];
  if (!signature) return false;
  if (arrived > SIGNATURES_CHECKED) return true;
  return createHmac("sha256", secret).update(`${at}.${body}`).digest("hex") === signature;
}

function note(header: string | undefined, body: string): void {
  const [, run, mail] = SUBJECT.exec(body) ?? [];
  if (run !== tag) return;
  if (!isSigned(header, body)) wrong ??= `not signed as it should be: ${header}`;
  if (arrivedMs[Number(mail)] !== undefined) return;
  arrivedMs[Number(mail)] = nowMs();
  arrived += 1;
}

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    note(request.headers["x-service-signature"]?.toString(), body);
    response.writeHead(200, { "Content-Length": 0 }).end();
  });
});
server.keepAliveTimeout = 65_000;

async function collect(mails: number, withinMs: number): Promise<ReceiverAnswer> {
  const deadline = nowMs() + withinMs;
  while (arrived < mails && nowMs() < deadline) await new Promise((resolve) => setTimeout(resolve, COLLECT_EVERY_MS));
  if (wrong !== undefined) return { failed: wrong };
  if (arrived < mails) return { failed: `${mails - arrived} of ${mails} webhooks are missing after ${withinMs} ms` };
  return { arrivedMs };
}

process.on("message", async (order: ReceiverOrder) => {
  if (order.kind === "listen") {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      process.send?.({ port: typeof address === "object" ? address?.port : undefined } satisfies ReceiverAnswer);
    });
  } else if (order.kind === "expect") {
    [tag, secret, arrivedMs, arrived, wrong] = [order.tag, order.secret, [], 0, undefined];
    process.send?.({} satisfies ReceiverAnswer);
  } else process.send?.(await collect(order.mails, order.withinMs));
});
