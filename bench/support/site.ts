// The base of every workload: a temporary folder with an embedded PostgreSQL, and Mailberth as a separate process.
import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "#db/client.ts";
import { startEmbedded } from "#db/embedded/open.ts";
import { migrate } from "#db/migrate.ts";
import { readSettings } from "#server/base/env.ts";
import { createLog } from "#server/base/log.ts";
import { assemble } from "#server/boot/assemble.ts";
import { issueAgentKey } from "#server/keys/issue-agent-key.ts";
import { issueEnrollmentKey } from "#server/keys/issue-enrollment-key.ts";
import { createOrganization } from "#server/organizations/organizations.ts";
import { answersAt, type Child, freePort, owe, startServer } from "./children.ts";
import { parentOf } from "./machine.ts";
import { runOnce } from "./peers.ts";

/** The checkout that the bench belongs to. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAILBOXES = 10_000_000;
const NO_PAGES = "--no-pages";
/** As the script `start` of package.json has them. */
export const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };
/** PostgreSQL and Postfix run as users of their own, who must be able to enter. */
const FOLDER_MODE = 0o755;

export const DOMAIN = "mail.localhost";
export const log = createLog("warn", false);

export type Site = {
  folder: string;
  /** Of the server's own database; `databaseUrl(name)` makes one of that name and gives its URL. */
  databaseUrl(name: string): Promise<string>;
  /** The server all backends are children of. */
  postmasterPid: number;
  close(): Promise<void>;
};

async function ask<T>(url: string, statement: string): Promise<T> {
  const sql = connect(url, { max: 1, fetch_types: false });
  try {
    return (await sql.unsafe(statement))[0] as T;
  } finally {
    await sql.end();
  }
}

/** @param settings statements after which PostgreSQL starts again */
export async function openSite(settings: string[]): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-bench-"));
  await chmod(folder, FOLDER_MODE);
  const where = { dataDir: join(folder, "database"), log };
  if (settings.length > 0) {
    const first = await startEmbedded(where);
    for (const statement of settings) await ask(first.url, statement);
    await first.stop();
  }
  const { url, stop } = await startEmbedded(where);
  const sql = connect(url, { max: 1, fetch_types: false });
  const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const postmasterPid = parentOf(backend?.pid ?? 0);
  await sql.end();
  return {
    folder,
    async databaseUrl(name) {
      await ask(url, `create database ${name}`);
      const made = new URL(url);
      made.pathname = `/${name}`;
      return made.href;
    },
    postmasterPid,
    close: owe(async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    }),
  };
}

export type Mailberth = {
  databaseUrl: string;
  /** Each process with its roles; the first has `web`. */
  processes: Child[];
  port: number;
  /** Of all processes, in order. */
  ports: number[];
  smtpPort: number;
  /** Issues one enrollment key and one agent key of it, in an organization of that name. */
  agentKey(organization?: string): Promise<string>;
  stop(): Promise<void>;
};

/** A checkout of this project, and what a table calls it. */
export type Checkout = { root: string; name: string };

/** This checkout, and the one that `--against` names. */
export const checkoutsOf = (against: Checkout | undefined): Checkout[] => [
  { root: ROOT, name: "Mailberth" },
  ...(against ? [against] : []),
];

/** Where and how a Mailberth runs: `root` is its checkout; without `pages` it builds and serves none. */
export type Variant = { root: string; pages: boolean };
const OURS: Variant = { root: ROOT, pages: true };

async function startProcess(environment: Record<string, string>, port: number, variant: Variant): Promise<Child> {
  const main = join(variant.root, "server/main.ts");
  // Older checkouts always serve pages.
  const withoutPages = !variant.pages && (await readFile(main, "utf8")).includes(NO_PAGES);
  const command: [string, ...string[]] = [process.execPath, main, ...(withoutPages ? [NO_PAGES] : [])];
  const isUp = async () => {
    if (!(await answersAt(`http://127.0.0.1:${port}/health`))) return false;
    // Until the pages are built the machine is busy with them.
    return withoutPages || !environment.ROLES?.includes("web") || (await answersAt(`http://127.0.0.1:${port}/`));
  };
  return startServer(command, { cwd: variant.root, env: { ...ALLOCATOR, ...environment } }, isUp);
}

/** Issues keys by the command of the checkout, whose tables may differ from ours. */
function keysByCommand(root: string, environment: Record<string, string>) {
  const made = new Map<string, Promise<unknown>>();
  const run = async <T>(...args: string[]): Promise<T> => {
    const command: [string, ...string[]] = [process.execPath, join(root, "server/admin.ts"), ...args, "--json"];
    const output = await runOnce(command, { cwd: root, env: environment });
    return JSON.parse(output.slice(output.indexOf("{"))) as T;
  };
  let handles = 0;
  return async (organization = "Bench") => {
    if (!made.has(organization)) made.set(organization, run("organizations", "create", "--name", organization));
    await made.get(organization);
    const limit = ["--max-mailboxes", `${MAILBOXES}`];
    const { id } = await run<{ id: string }>("enrollment-keys", "issue", "--organization", organization, ...limit);
    const handle = `bench-${handles++}`;
    return (await run<{ key: string }>("agent-keys", "issue", "--enrollment-key", id, "--handle", handle)).key;
  };
}

/** Migrates the database, and issues keys in this process, which is faster than the command. */
async function keysHere(settings: Record<string, string>, databaseUrl: string) {
  await migrate({ url: databaseUrl, log });
  const assembled = await assemble(readSettings(settings), log, databaseUrl);
  const organizations = new Map<string, Promise<{ id: string }>>();
  let handles = 0;
  return {
    async agentKey(organization = "Bench") {
      const made = organizations.get(organization) ?? createOrganization(assembled.system, organization);
      organizations.set(organization, made);
      const grant = { organization: (await made).id, max_mailboxes: MAILBOXES };
      const enrollment = await issueEnrollmentKey(assembled.system, grant);
      const handle = `bench-${handles++}`;
      return (await issueAgentKey(assembled.system, { enrollment_key: enrollment.id, handle })).key;
    },
    close: assembled.close,
  };
}

/**
 * @param roles of each process to start: `["web,smtp,worker"]` is one that does everything
 * @param settings that differ from those of other workloads
 */
export async function startMailberth(
  site: Site,
  name: string,
  roles: string[],
  settings: Record<string, string> = {},
  variant: Variant = OURS,
): Promise<Mailberth> {
  const databaseUrl = await site.databaseUrl(name);
  const dataDir = join(site.folder, name);
  await mkdir(dataDir);
  const smtpPort = await freePort();
  const shared = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    HOST: "127.0.0.1",
    SMTP_PORT: `${smtpPort}`,
    SMTP_CONNECTIONS_PER_ADDRESS: "250",
    STORAGE_QUOTA_PER_INBOX: "0",
    STORAGE_QUOTA_PER_ORGANIZATION: "0",
    DNS_SERVERS: "127.0.0.1:9", // an unused port
    DEFAULT_DOMAIN: DOMAIN,
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: "10000000",
    RATE_LIMIT_BURST: "10000000",
    RATE_LIMIT_ANONYMOUS_PER_SECOND: "10000000",
    RATE_LIMIT_ANONYMOUS_BURST: "10000000",
    WEBHOOK_TARGETS: "any",
    ALLOW_INSECURE_WEBHOOKS: "true",
    WEBHOOK_RATE_PER_ORIGIN: "10000000",
    MAX_WEBHOOKS_PER_ORGANIZATION: "10000000",
    MAX_WEBHOOKS_PER_MAILBOX: "10000000",
    MAX_WEBHOOKS_PER_ORIGIN: "10000000",
    ...settings,
  };
  const keys = variant.root === ROOT ? await keysHere(shared, databaseUrl) : undefined;
  const ports: number[] = [];
  const processes: Child[] = [];
  for (const ROLES of roles) {
    const port = await freePort();
    ports.push(port);
    processes.push(await startProcess({ ...shared, ROLES, PORT: `${port}` }, port, variant));
  }
  return {
    databaseUrl,
    processes,
    port: ports[0] ?? 0,
    ports,
    smtpPort,
    agentKey: keys?.agentKey ?? keysByCommand(variant.root, shared),
    async stop() {
      await keys?.close();
      for (const each of processes) await each.stop();
    },
  };
}

/**
 * Starts this checkout, and beside it the one that `--against` names, in one process each. Both without pages, so that they
 * start as each other.
 * @param name of the databases
 * @returns this checkout first, with what a table calls each
 */
export async function startPair(
  site: Site,
  name: string,
  against: Checkout,
  { roles = "web,smtp,worker", settings = {} }: { roles?: string; settings?: Record<string, string> } = {},
): Promise<(Mailberth & { name: string })[]> {
  const started: (Mailberth & { name: string })[] = [];
  for (const [n, checkout] of checkoutsOf(against).entries()) {
    const variant = { root: checkout.root, pages: false };
    const mailberth = await startMailberth(site, `${name}_${n}`, [roles], settings, variant);
    started.push({ ...mailberth, name: checkout.name });
  }
  return started;
}

/** POSTs JSON with an agent key. @throws unless the answer is 2xx */
export async function post<T>(mailberth: Mailberth, key: string, path: string, body: object): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${mailberth.port}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
