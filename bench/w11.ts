// W11: a backup of a million mails while mail arrives: what it costs the mail, its time, size and memory; and whether what is restored
// from it is what the database had.
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Sql, TransactionSql } from "postgres";
import { connect } from "#db/client.ts";
import { type Ended, runToEnd } from "./support/children.ts";
import { BOXES, startIntake } from "./support/intake.ts";
import { loadText } from "./support/machine.ts";
import { makeMail } from "./support/mail-data.ts";
import { addMailboxes } from "./support/mail-server.ts";
import { type MailRig, mailContender } from "./support/mail-while.ts";
import type { Options } from "./support/options.ts";
import { addRawMail } from "./support/raw-mail.ts";
import { race, warmUp } from "./support/rounds.ts";
import { ROOT, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";
import { serverOf } from "./w2-servers.ts";

const MAILS = 1_000_000;
const ALONE_SECONDS = 20;
const LOOK_EVERY_MS = 20;
const NAME = "w11";
const CHECK_INSTALL = ["-r", "./server/boot/check-install.cjs"];

type Bench = MailRig & { site: Site; pairs: number; databaseUrl: string; note: (text: string) => void };
type Content = Map<string, string>;

/** What `npm run -s admin -- …` runs, with the encryption key of the service. */
function admin({ site }: Bench, databaseUrl: string, ...args: string[]): Promise<Ended> {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(site.folder, NAME), LOG_LEVEL: "warn" };
  const command: [string, ...string[]] = [process.execPath, ...CHECK_INSTALL, "server/admin.ts", ...args];
  return runToEnd(command, { cwd: ROOT, env });
}

/** The number of rows of each table, and a hash of all of them. */
async function contentOf(sql: Sql | TransactionSql): Promise<Content> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;
  const content: Content = new Map();
  for (const { name } of tables) {
    const [row] = await sql<[{ rows: string; hash: string }]>`
      select count(*) as rows, md5(coalesce(string_agg(h, '' order by h), '')) as hash from (select md5(t::text) as h from ${sql(name)} t) t`;
    content.set(name, `${row.rows} rows ${row.hash}`);
  }
  return content;
}

async function untilCopying(sql: Sql): Promise<void> {
  const copying = () => sql`
    select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and query like 'copy (select%'`;
  while ((await copying()).length === 0) await delay(LOOK_EVERY_MS);
}

/**
 * A backup whose moment is known: it starts while nothing is written, and mail arrives as soon as it reads.
 * @returns what the database had at this moment
 */
async function backUpKnown(bench: Bench, file: string): Promise<Content> {
  const own = connect(bench.databaseUrl, { max: 1, fetch_types: false });
  try {
    return await own.begin("isolation level repeatable read read only", async (tx) => {
      await tx`select 1 from organizations limit 1`;
      const backup = admin(bench, bench.databaseUrl, "backup", file);
      await Promise.race([backup, untilCopying(bench.sql)]);
      const work = async () => void (await backup);
      const { operations } = await mailContender(bench, "mail", { seconds: 0, work, logged: [] }).run();
      bench.note(`${operations} mails arrived during the backup that is compared`);
      return await contentOf(tx);
    });
  } finally {
    await own.end();
  }
}

async function restoreAndCompare(bench: Bench, file: string, expected: Content): Promise<void> {
  const { site, note } = bench;
  const url = await site.databaseUrl(`${NAME}_restored`);
  const { seconds, peakMb } = await admin(bench, url, "restore", file);
  note(`restore into an empty database: ${seconds.toFixed(0)} s, at most ${peakMb.toFixed(0)} MB; ${loadText()}`);
  const sql = connect(url, { max: 1, fetch_types: false });
  try {
    const restored = await contentOf(sql);
    const all = new Set([...expected.keys(), ...restored.keys()]);
    const different = [...all].filter((name) => expected.get(name) !== restored.get(name));
    for (const name of different) note(`${name}: ${expected.get(name)} in the service, ${restored.get(name)} restored`);
    if (different.length > 0) throw new Error(`the restored tables differ: ${different.join(", ")}`);
    note(
      `counts and hashes of ${all.size} tables are equal; messages: ${restored.get("messages")?.split(" ", 1)[0]} rows`,
    );
  } finally {
    await sql.end();
  }
}

async function compare(bench: Bench): Promise<Comparison[]> {
  const { site, pairs, note, databaseUrl } = bench;
  const file = join(site.folder, "beside.backup");
  const work = async () => {
    const { seconds, peakMb } = await admin(bench, databaseUrl, "backup", file);
    const mb = (await stat(file)).size / 1e6;
    await rm(file);
    note(
      `backup: ${seconds.toFixed(0)} s, ${mb.toFixed(0)} MB, at most ${peakMb.toFixed(0)} MB of memory; ${loadText()}`,
    );
  };
  const beside = mailContender(bench, "Mailberth", { seconds: 0, work, logged: [] });
  const alone = mailContender(bench, "mail alone", { seconds: ALONE_SECONDS, logged: [] });
  const title = { workload: "W11", case: "mail beside a backup", pairs };
  return race(title, beside, [{ contender: alone }], [process.pid, site.postmasterPid]);
}

export async function w11(site: Site, note: (text: string) => void, { pairs }: Options): Promise<Comparison[]> {
  const intake = await startIntake();
  const mailberth = await startMailberth(site, NAME, ["web,smtp,worker"], {}, { root: ROOT, pages: false });
  const { databaseUrl } = mailberth;
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  const started: { stop(): Promise<void> }[] = [mailberth];
  try {
    await mailberth.agentKey();
    const began = performance.now();
    await makeMail(databaseUrl, MAILS);
    await addRawMail(databaseUrl);
    const [size] = await sql<[{ mb: number }]>`select pg_database_size(current_database())::float8 / 1e6 as mb`;
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    note(`${MAILS.toLocaleString("en")} mails, ${size.mb.toFixed(0)} MB, made in ${seconds} s; ${loadText()}`);
    const server = serverOf(site, mailberth, "Mailberth", await addMailboxes(mailberth, intake.hookUrl, BOXES));
    started[0] = server;
    const bench: Bench = { site, intake, server, sql, pairs, databaseUrl, note };
    await warmUp(mailContender(bench, "warm-up", { seconds: 0, logged: [] }));
    const rows = await compare(bench);
    const file = join(site.folder, "known.backup");
    await restoreAndCompare(bench, file, await backUpKnown(bench, file));
    return rows;
  } finally {
    await sql.end();
    for (const each of started) await each.stop();
  }
}
