// Services that trace, in this process and as processes of their own, with a mailbox and an endpoint for its webhook.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { createClient } from "#client/index.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

export const SUBJECT = "Subject-that-stays-out";
export const SENDER = "sender-that-stays-out@else.example";
/** Prints every module of the SDK that a process loads. */
const REPORTER = `import { registerHooks } from "node:module";
registerHooks({ resolve(name, context, next) {
  if (/@opentelemetry\\/(?!api$)/.test(name)) process.stderr.write("LOADED " + name + "\\n");
  return next(name, context);
} });`;
export const HOOK = `--import=data:text/javascript,${encodeURIComponent(REPORTER)}`;
const TRACED = { OTEL_BSP_SCHEDULE_DELAY: "50" };

type Closing = { close(): Promise<unknown> };
type Settings = Parameters<typeof startTestService>[0];

/** An endpoint of webhooks, and what is started beside it until `close`. */
export async function openTraces() {
  const closing: Closing[] = [];
  async function opened<One extends Closing>(one: Promise<One>): Promise<One> {
    const made = await one;
    closing.push(made);
    return made;
  }
  const receiver = await opened(startReceiver());
  const folder = await mkdtemp(join(tmpdir(), "mailberth-traces-"));
  closing.push({ close: () => rm(folder, { recursive: true, force: true }) });

  /** An agent with a mailbox, and a webhook of it. */
  async function furnish(url: string, key: string) {
    const client = createClient({ url, key });
    const { address } = await client.inboxes.create.mutate({});
    const { id: webhook } = await client.webhooks.register.mutate({ url: receiver.url, events: ["message.received"] });
    return { url, client, key, address, webhook };
  }

  /** A service in this process. */
  async function serve(settings: Settings) {
    const service = await startTestService({ ...TRACED, ...settings });
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= service.stop());
    closing.push({ close: stop });
    const { agentKey } = await service.newOrganization();
    return { ...(await furnish(service.url, agentKey)), smtpPort: service.smtpPort, stop };
  }

  /** Processes on one database. */
  async function start(...all: Record<string, string>[]) {
    const database = await createTestDatabase();
    closing.push({ close: () => database.drop() });
    const LOG_LEVEL = "info";
    const shared = {
      LOG_LEVEL,
      DATABASE_URL: database.url,
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
      ...TRACED,
    };
    const processes: ServiceProcess[] = [];
    for (const settings of all) {
      const DATA_DIR = await mkdtemp(join(folder, "data-"));
      const one = await startProcess({ ...shared, DATA_DIR, ...settings });
      closing.push({ close: () => one.end("SIGTERM") });
      processes.push(one);
    }
    const [first] = processes as [ServiceProcess];
    const token = /mb_enroll_\w+/.exec(first.output())?.[0] ?? "";
    const { agent_key: key } = await createClient({ url: first.url }).enroll.redeem.mutate({
      token,
      agent_handle: "a",
    });
    return { ...(await furnish(first.url, key)), processes, smtpPort: first.smtpPort };
  }

  /** The header of the delivery of a message, as the endpoint got it. */
  const delivered = (message: string) =>
    eventually(() => {
      const found = receiver.received.find(({ body }) => body.includes(message));
      if (!found) throw new Error(`${message} was not delivered`);
      return String(found.headers.traceparent);
    });
  return {
    receiver,
    opened,
    serve,
    start,
    delivered,
    /** The last started first: services before what they use. */
    async close() {
      for (const { close } of closing.toReversed()) await close();
    },
  };
}

export async function mail({ smtpPort, address: to }: { smtpPort: number; address: string }): Promise<string> {
  const transport = createTransport({ host: "127.0.0.1", port: smtpPort, ignoreTLS: true });
  const { response } = await transport.sendMail({ from: SENDER, to, subject: SUBJECT, text: "Hello." });
  transport.close();
  return /msg_\w+/.exec(response)?.[0] ?? "";
}

export const linesOf = (service: ServiceProcess): Record<string, unknown>[] =>
  service
    .output()
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));
