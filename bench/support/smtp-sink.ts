// A receiving mail server in a separate process, as cheap as can be: takes every mail and remembers how many came.
import { createServer, type Socket } from "node:net";
import { nowMs } from "./clock.ts";

/** `listen` first; `expect` before the mails of a run; `collect` waits until all of them have arrived. */
export type SmtpSinkOrder =
  | { kind: "listen" }
  | { kind: "expect" }
  | { kind: "collect"; mails: number; withinMs: number };
/** `lastMs`: when the last of them was acknowledged, on the machine's monotonic clock. */
export type SmtpSinkAnswer = { port?: number; lastMs?: number; failed?: string };

const COLLECT_EVERY_MS = 5;
const DATA_END = "\r\n.\r\n";

let arrived = 0;
let lastMs = 0;

function replyTo(line: string): string {
  const verb = line.slice(0, 4).toUpperCase();
  if (verb === "DATA") return "354 end with a dot\r\n";
  if (verb === "QUIT") return "221 bye\r\n";
  return "250 ok\r\n";
}

function serve(socket: Socket): void {
  let text = "";
  let inData = false;
  const takeMail = () => {
    const end = text.indexOf(DATA_END);
    if (end < 0) return false;
    text = text.slice(end + DATA_END.length);
    inData = false;
    arrived += 1;
    lastMs = nowMs();
    socket.write("250 taken\r\n");
    return true;
  };
  const takeLine = () => {
    const end = text.indexOf("\r\n");
    if (end < 0) return false;
    const reply = replyTo(text.slice(0, end));
    text = text.slice(end + 2);
    inData = reply.startsWith("354");
    socket.write(reply);
    if (reply.startsWith("221")) socket.end();
    return true;
  };
  socket.setNoDelay(true).setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += chunk;
    while (inData ? takeMail() : takeLine());
  });
  socket.on("error", () => socket.destroy());
  socket.write("220 sink\r\n");
}

async function collect(mails: number, withinMs: number): Promise<SmtpSinkAnswer> {
  const deadline = nowMs() + withinMs;
  while (arrived < mails && nowMs() < deadline) await new Promise((resolve) => setTimeout(resolve, COLLECT_EVERY_MS));
  if (arrived !== mails) return { failed: `${arrived} mails arrived instead of ${mails} within ${withinMs} ms` };
  return { lastMs };
}

process.on("message", async (order: SmtpSinkOrder) => {
  if (order.kind === "listen") {
    const server = createServer(serve).listen(0, "127.0.0.1", () => {
      const address = server.address();
      process.send?.({ port: typeof address === "object" ? address?.port : undefined } satisfies SmtpSinkAnswer);
    });
  } else if (order.kind === "expect") {
    arrived = 0;
    process.send?.({} satisfies SmtpSinkAnswer);
  } else process.send?.(await collect(order.mails, order.withinMs));
});
