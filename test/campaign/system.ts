// The service as operators run it, to be killed: one process with its embedded PostgreSQL, or two on one DATABASE_URL.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createClient } from "#client/index.ts";
import { openDatabase } from "#db/client.ts";
import { findEmbedded, startEmbedded } from "#db/embedded/open.ts";
import { createLog } from "#server/base/log.ts";
import { cleanUp, makeFolder, query, startOwner } from "#test/support/embedded-fixture.ts";
import { PRELOAD, type ServiceProcess, startProcess } from "#test/support/process.ts";
import { startProxy } from "#test/support/proxy.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { type Disk, mountDisk } from "./disk.ts";
import { randomOf } from "./random.ts";
import { startReceiver } from "./receiver.ts";

const ROOT = join(import.meta.dirname, "../..");
const UNLIMITED = "1000000";
const RELAYED = 0.7;
/** The relay has taken a mail this long before it says so: a kill may come between. */
const RELAY_MS = 100;
const STOP_MS = 30_000;
const READ_MS = 60_000;
const READ_PAUSE_MS = 500;

export type SystemName = "embedded" | "two-processes";
export type Sql = ReturnType<typeof openDatabase>["sql"];
export type System = Awaited<ReturnType<typeof startSystem>>;

/** Sends the signal and returns the exit code or signal, or undefined when the process is still there after `withinMs`. */
export async function endWithin(
  process: ServiceProcess,
  signal: "SIGTERM" | "SIGKILL",
  withinMs: number,
): Promise<number | string | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, withinMs, undefined);
  return Promise.race([process.end(signal), late.promise]).finally(() => clearTimeout(timer));
}

export function isRunning({ child }: ServiceProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** The PostgreSQL of the system: in the data folder of its only process, or with a separate owner behind a proxy. */
async function startDatabase(name: SystemName, folder: string) {
  if (name === "embedded") {
    const dataDir = join(folder, "0");
    return { url: "", direct: () => findEmbedded(dataDir), dataDir, proxy: undefined, stop: async () => {} };
  }
  const dataDir = join(folder, "database");
  const owner = await startOwner(dataDir);
  const proxy = await startProxy(owner.url);
  return {
    url: proxy.url,
    direct: async () => owner.url,
    dataDir,
    proxy,
    async stop() {
      await proxy.cut();
      await owner.stop("SIGTERM");
    },
  };
}

/** Issues an enrollment key by the operators' command. */
async function issueKey(environment: Record<string, string>): Promise<string> {
  const command = [...PRELOAD, "server/admin.ts", "enrollment-keys", "issue", "--organization", "Default"];
  const { stdout } = await promisify(execFile)(process.execPath, [...command, "--max-mailboxes", UNLIMITED], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
  });
  return /mb_enroll_\w+/.exec(stdout)?.[0] ?? "";
}

/**
 * @param seed decides at each start whether a process relays mail or keeps it, and which webhooks fail
 * @param options `hurries`: leases and planned retries can be brought forward, which saves their time
 */
export async function startSystem(name: SystemName, seed: number, options: { hurries: boolean }) {
  const folder = dirname(await makeFolder("0"));
  const mounted = mountDisk(folder);
  const [sink, receiver] = [await startSmtpSink({ answerAfterMs: RELAY_MS }), await startReceiver(seed)];
  const database = await startDatabase(name, folder);
  const outbound = randomOf(seed, "outbound");
  const environment = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_PER_SECOND: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_BURST: UNLIMITED,
    SEND_CAP_RAMP: UNLIMITED,
    ALLOW_INSECURE_WEBHOOKS: "true",
    OUTBOUND_SMTP_URL: sink.url,
  };
  const processes: ServiceProcess[] = [];
  const count = name === "embedded" ? 1 : 2;
  const dataDirOf = (index: number) => join(folder, String(index));

  async function start(index: number): Promise<void> {
    const OUTBOUND = outbound.next() < RELAYED ? "smtp" : "local";
    await mkdir(dataDirOf(index), { recursive: true });
    processes[index] = await startProcess({ ...environment, OUTBOUND, DATA_DIR: dataDirOf(index) });
  }
  async function stop(): Promise<void> {
    const running = processes.filter(isRunning);
    const codes = await Promise.all(running.map((each) => endWithin(each, "SIGTERM", STOP_MS)));
    await Promise.all(running.filter((_, i) => codes[i] === undefined).map((each) => each.end("SIGKILL")));
    await database.stop();
    // A service that was killed left its server running.
    if (await findEmbedded(database.dataDir)) {
      await (await startEmbedded({ dataDir: database.dataDir, log: createLog("fatal", false) })).stop();
    }
    receiver.close();
    await sink.close();
    mounted?.unmount();
    await cleanUp();
  }

  try {
    for (let index = 0; index < count; index += 1) await start(index);
    const databaseUrl = (await database.direct()) ?? "";
    const [row] = await query(databaseUrl, "show data_directory");
    const dataDirectory = String(row?.data_directory);
    const token = await issueKey({ DATABASE_URL: databaseUrl, DATA_DIR: dataDirOf(0) });
    const client = createClient({ url: (processes[0] as ServiceProcess).url });
    const { agent_key: key } = await client.enroll.redeem.mutate({ token, agent_handle: "a" });
    // Elsewhere when the server's user cannot reach the folder.
    const disk: Disk | undefined = dataDirectory.startsWith(folder) ? mounted : undefined;
    /** Again while the server is coming back from a kill. */
    async function read<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
      for (const until = performance.now() + READ_MS; ; await sleep(READ_PAUSE_MS)) {
        const { sql, close } = openDatabase({ url: databaseUrl, poolSize: 1 });
        try {
          return await work(sql);
        } catch (error) {
          if (performance.now() > until) throw error;
        } finally {
          await close();
        }
      }
    }
    return {
      name,
      key,
      databaseUrl,
      disk,
      sink,
      receiver,
      proxy: database.proxy,
      processes: processes as readonly ServiceProcess[],
      start,
      stop,
      /** The server all backends are children of. */
      postmaster: () => Number(readFileSync(join(dataDirectory, "postmaster.pid"), "utf8").split("\n")[0]),
      /** Runs queries on a separate connection, past the proxy. */
      read,
      /** Makes everything due that is not done. Not while work is under way that is still to be timed. */
      async hurry(): Promise<void> {
        if (!options.hurries) return;
        await read(async (sql) => {
          await sql`
            update messages set next_attempt_at = now() where status in ('received', 'queued', 'sending')`;
          await sql`update deliveries set next_attempt_at = now() where status = 'pending'`;
        });
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
