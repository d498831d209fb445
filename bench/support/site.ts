// The base of every workload: a temporary folder with an embedded PostgreSQL, and Mailberth as a separate process.
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
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

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const MAILBOXES = 10_000_000;
/** As the script `start` of package.json has them. */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "131072", MALLOC_TRIM_THRESHOLD_: "131072" };
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

export async function openSite(): Promise<Site> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-bench-"));
  await chmod(folder, FOLDER_MODE);
  const { url, stop } = await startEmbedded({ dataDir: join(folder, "database"), log });
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

async function startProcess(environment: Record<string, string>, port: number): Promise<Child> {
  const command: [string, ...string[]] = [process.execPath, "server/main.ts"];
  const isUp = async () => {
    if (!(await answersAt(`http://127.0.0.1:${port}/health`))) return false;
    // Until the pages are built the machine is busy with them.
    return !environment.ROLES?.includes("web") || (await answersAt(`http://127.0.0.1:${port}/`));
  };
  return startServer(command, { cwd: ROOT, env: { ...ALLOCATOR, ...environment } }, isUp);
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
): Promise<Mailberth> {
  const databaseUrl = await site.databaseUrl(name);
  await migrate(databaseUrl, log);
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
  const assembled = await assemble(readSettings(shared), log, databaseUrl);
  const organizations = new Map<string, Promise<{ id: string }>>();
  const ports: number[] = [];
  const processes: Child[] = [];
  for (const ROLES of roles) {
    const port = await freePort();
    ports.push(port);
    processes.push(await startProcess({ ...shared, ROLES, PORT: `${port}` }, port));
  }
  let handles = 0;
  return {
    databaseUrl,
    processes,
    port: ports[0] ?? 0,
    ports,
    smtpPort,
    async agentKey(organization = "Bench") {
      const made = organizations.get(organization) ?? createOrganization(assembled.system, organization);
      organizations.set(organization, made);
      const grant = { organization: (await made).id, max_mailboxes: MAILBOXES };
      const enrollment = await issueEnrollmentKey(assembled.system, grant);
      const handle = `bench-${handles++}`;
      return (await issueAgentKey(assembled.system, { enrollment_key: enrollment.id, handle })).key;
    },
    async stop() {
      await assembled.close();
      for (const each of processes) await each.stop();
    },
  };
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
