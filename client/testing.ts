// `@mailberth/client/testing`: mailboxes for tests of programs that send mail. The default export is a global setup for
// Playwright and Vitest that starts a service; `mailbox()` makes a mailbox in it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, type RouterOutputs } from "./index.ts";

const START_MAX_MS = 120_000;
const TIMEOUT_SECONDS = 60;
/** The longest wait of one call. */
const WAIT_MAX_SECONDS = 120;
/** As root, the embedded PostgreSQL runs as another user, which must enter the folder. */
const ENTERED_BY_ALL_MODE = 0o755;
const SMTP_PORT = "2525";
const LISTED_MAX = 10;
const NO_SERVICE =
  "No service is named. Name `@mailberth/client/testing` as the global setup of your tests, which starts one, or set MAILBERTH_URL and MAILBERTH_KEY.";
const NOT_INSTALLED =
  "The package `mailberth` is not installed here. Run `npm install --save-dev mailberth`, or set MAILBERTH_URL and MAILBERTH_KEY to a running service.";

type Wait = RouterOutputs["messages"]["wait"];
type ReceivedMessage = NonNullable<Wait["message"]>;

/** Which mail is meant, and how long to wait for it (default: 60 s). */
export type MailFilter = {
  /** The sender: an address, a domain (with its subdomains), or a part of an address. */
  from?: string;
  /** The recipient, or a part of it. */
  to?: string;
  /** A part of the subject. */
  subject?: string;
  timeoutSeconds?: number;
};

/** Each method returns mail in its order of arrival, and never the same mail twice. */
export type TestInbox = {
  address: string;
  /** The one-time code of the next mail that has one. @throws Error when the time is over; it lists the mail that came */
  code(filter?: MailFilter): Promise<string>;
  /** The verification or sign-in link of the next mail that has one. @throws Error when the time is over */
  link(filter?: MailFilter): Promise<string>;
  /** The next mail. @throws Error when the time is over */
  message(filter?: MailFilter): Promise<ReceivedMessage>;
  /** Deletes the mailbox and its mail. Its address is never given again. */
  remove(): Promise<void>;
};

/**
 * Makes a mailbox in the service at `MAILBERTH_URL`, with the agent key `MAILBERTH_KEY`. The global setup sets both.
 * @throws Error if they are not set, or the service refuses: no mailbox is left in the quota, the key is revoked
 */
export async function mailbox(): Promise<TestInbox> {
  const { MAILBERTH_URL: url, MAILBERTH_KEY: key } = process.env;
  if (!url || !key) throw new Error(NO_SERVICE);
  const client = createClient({ url, key });
  const { address, created_at } = await client.inboxes.create.mutate({});

  /** Waits for the next mail in which `find` finds something, except those in `returned`. */
  async function next<Found>(
    what: string,
    returned: Set<string>,
    { timeoutSeconds = TIMEOUT_SECONDS, ...filter }: MailFilter,
    find: (wait: Wait, message: ReceivedMessage) => Found | null,
  ): Promise<Found> {
    const end = Date.now() + timeoutSeconds * 1000;
    const others: string[] = [];
    for (let after = created_at; ; ) {
      const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      const timeout_seconds = Math.min(seconds, WAIT_MAX_SECONDS);
      const wait = await client.messages.wait.mutate({ addr: address, ...filter, after, timeout_seconds });
      after = wait.cursor;
      if (wait.message) {
        const found = returned.has(wait.message.id) ? null : find(wait, wait.message);
        if (found !== null) {
          returned.add(wait.message.id);
          return found;
        }
        if (!returned.has(wait.message.id)) others.push(`"${wait.message.subject}" from ${wait.message.from}`);
      } else if (Date.now() >= end) {
        const came =
          others.length > 0 ? `Without one came: ${others.slice(0, LISTED_MAX).join(", ")}.` : "No mail came.";
        throw new Error(`No ${what} came to ${address} within ${timeoutSeconds} s. ${came}`);
      }
    }
  }

  const codes = new Set<string>();
  const links = new Set<string>();
  const messages = new Set<string>();
  return {
    address,
    code: (filter = {}) => next("code", codes, filter, ({ extracted }) => extracted.otp),
    link: (filter = {}) => next("link", links, filter, ({ extracted }) => extracted.link),
    message: (filter = {}) => next("mail", messages, filter, (_, message) => message),
    remove: async () => void (await client.inboxes.remove.mutate({ addr: address })),
  };
}

/**
 * A global setup of Playwright and Vitest. Starts the installed package `mailberth` in an empty folder, without pages, and
 * sets `MAILBERTH_URL` and `MAILBERTH_KEY` for the tests. Mail to it goes to port 2525 of this machine, or
 * `MAILBERTH_SMTP_PORT`. Does nothing if `MAILBERTH_URL` is set.
 * @returns the teardown, which stops the service and removes its data
 * @throws Error if the service is not installed or does not start
 */
export default async function startMailberth(): Promise<() => Promise<void>> {
  if (process.env.MAILBERTH_URL) return async () => {};
  const program = await findProgram();
  const folder = await mkdtemp(join(tmpdir(), "mailberth-test-"));
  await chmod(folder, ENTERED_BY_ALL_MODE);
  const url = `http://127.0.0.1:${await freePort()}`;
  // Settings of the tested program must not become those of the service: DATABASE_URL, PORT.
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    PORT: new URL(url).port,
    SMTP_PORT: process.env.MAILBERTH_SMTP_PORT ?? SMTP_PORT,
    RATE_LIMIT_BURST: "1000",
    NODE_ENV: "production" as const,
  };
  const options = { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] as ["ignore", "ignore", "pipe"] };
  const child = spawn(process.execPath, [program, "start", "--no-pages"], options);
  const ended = once(child, "close");
  const kill = () => child.kill("SIGINT");
  process.once("exit", kill);
  const stop = async () => {
    kill();
    await ended;
    process.removeListener("exit", kill);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const token = await printedKey(child.stderr, ended);
    const { agent_key } = await createClient({ url }).enroll.redeem.mutate({ token, agent_handle: "tests" });
    Object.assign(process.env, { MAILBERTH_URL: url, MAILBERTH_KEY: agent_key });
  } catch (error) {
    await stop();
    throw error;
  }
  return async () => {
    await stop();
    for (const name of ["MAILBERTH_URL", "MAILBERTH_KEY"]) delete process.env[name];
  };
}

/** The enrollment key that a service prints when it has started. */
function printedKey(stderr: NodeJS.ReadableStream, ended: Promise<unknown>): Promise<string> {
  let printed = "";
  const said = () => printed.trim().split("\n").slice(-LISTED_MAX).join("\n");
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`Mailberth was not ready after ${START_MAX_MS / 1000} s. It said:\n${said()}`)),
      START_MAX_MS,
    ).unref();
    ended.then(() => reject(new Error(`Mailberth did not start. It said:\n${said()}`)));
    stderr.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      const [key] = /mb_enroll_\w+(?=")/.exec(printed) ?? [];
      if (key === undefined) return;
      clearTimeout(late);
      stderr.removeAllListeners("data").resume();
      resolve(key);
    });
  });
}

/** The program of the package `mailberth` that is installed beside the tests. */
async function findProgram(): Promise<string> {
  let manifest: string;
  try {
    manifest = createRequire(join(process.cwd(), "package.json")).resolve("mailberth/package.json");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    throw new Error(NOT_INSTALLED, { cause: error });
  }
  const { bin } = JSON.parse(await readFile(manifest, "utf8")) as { bin: { mailberth: string } };
  return join(dirname(manifest), bin.mailberth);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
