// Two processes of the service on one database, an agent that knows both, and mail that counts only when it got its 250.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { createClient, type RouterOutputs } from "#client/index.ts";
import { connect } from "#db/client.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";

const REFUSED_PAUSE_MS = 20;
const PAGES_MAX = 1_000;
const UNLIMITED = "1000000";
const ANYWHERE = "http://service.example";

/** Started one after the other: the first makes the enrollment key. When it is started again, each has other ports. */
export async function startProcesses(count: number, settings: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "mailberth-processes-"));
  const environment = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_PER_SECOND: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_BURST: UNLIMITED,
    ...settings,
  };
  const processes: ServiceProcess[] = [];
  async function start(index: number): Promise<void> {
    processes[index] = await startProcess({ ...environment, DATA_DIR: join(folder, String(index)) });
  }
  for (let index = 0; index < count; index += 1) await start(index);
  const at = (index: number) => processes[index] as ServiceProcess;
  const token = /mb_enroll_\w+/.exec(at(0).output())?.[0] ?? "";
  async function newKey(agent_handle: string): Promise<string> {
    return (await createClient({ url: at(0).url }).enroll.redeem.mutate({ token, agent_handle })).agent_key;
  }
  // The first key has `own`; here agents share mailboxes.
  const sql = connect(database.url, { max: 1 });
  await sql`update enrollment_keys set inbox_access = 'organization'`;
  await sql.end();
  const key = await newKey("a");
  return {
    at,
    databaseUrl: database.url,
    key,
    /** The key of one more agent. */
    newKey,
    /** Its requests go to where the process is by then. */
    client: (index: number, by = key) =>
      createClient({
        url: ANYWHERE,
        key: by,
        fetch: (url, init) => fetch(String(url).replace(ANYWHERE, at(index).url), init),
      }),
    async kill(index: number): Promise<void> {
      await at(index).end("SIGKILL");
    },
    start,
    async stop(): Promise<void> {
      const running = processes.filter(({ child }) => child.exitCode === null && child.signalCode === null);
      await Promise.all(running.map((each) => each.end("SIGTERM")));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type LogEvent = RouterOutputs["events"]["list"]["data"][number];
type Processes = Awaited<ReturnType<typeof startProcesses>>;

/** In every mail. */
export const CODE = "481207";

/** One connection that mails; `send` gives the id of the message in the 250. */
export function mailer({ smtpPort }: { smtpPort: number }) {
  const transport = createTransport({
    host: "127.0.0.1",
    port: smtpPort,
    pool: true,
    maxConnections: 1,
    ignoreTLS: true,
  });
  return {
    async send(to: string, subject: string): Promise<string> {
      const text = `Your verification code is ${CODE}.`;
      const { response } = await transport.sendMail({ from: "out@example.org", to, subject, text });
      const id = /^250 .*?(msg_\w+)/.exec(response)?.[1];
      if (!id) throw new Error(`no message id in ${response}`);
      return id;
    },
    close: () => transport.close(),
  };
}

/** Mails to a process without a pause, also while it is away, until `over`; the ids of what it acknowledged. */
export async function mailUntil(
  process: () => ServiceProcess,
  to: string,
  until: { over: boolean },
  onAccepted: (id: string) => void = () => {},
): Promise<string[]> {
  const accepted: string[] = [];
  let outgoing = mailer(process());
  for (let i = 0; !until.over; i += 1) {
    try {
      const id = await outgoing.send(to, `mail ${i}`);
      accepted.push(id);
      onAccepted(id);
    } catch {
      // Killed under way, or not back yet: nothing was acknowledged.
      outgoing.close();
      await sleep(REFUSED_PAUSE_MS);
      outgoing = mailer(process());
    }
  }
  outgoing.close();
  return accepted;
}

/** The whole log, by all its pages. */
export async function allEvents(processes: Processes, index: number): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, next_cursor } = await processes.client(index).events.list.query({ after, limit: 100 });
    events.push(...data);
    if (next_cursor === null) return events;
    after = next_cursor;
  }
  throw new Error("the log does not end");
}
