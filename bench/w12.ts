// W12: what it costs mail to remove a day of delivery attempts out of 30 million: dropping its partition, as the worker does, and
// deleting its rows from a table without partitions in batches, with the vacuum that this needs.
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { connect } from "#db/client.ts";
import { firstIdAt, readPartitions } from "#db/partitions.ts";
import { readSettings } from "#server/base/env.ts";
import { createAttemptPartitions } from "#server/webhooks/delivery/attempts.ts";
import { BOXES, startIntake } from "./support/intake.ts";
import { loadText } from "./support/machine.ts";
import { addMailboxes } from "./support/mail-server.ts";
import { type Logged, type MailRig, mailContender } from "./support/mail-while.ts";
import type { Options } from "./support/options.ts";
import { median, race, warmUp } from "./support/rounds.ts";
import { log, ROOT, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";
import { serverOf } from "./w2-servers.ts";

const DAYS = 30;
const ROWS_PER_DAY = 1_000_000;
const DAY_MS = 86_400_000;
/** More than the days that are made, so that the service itself drops none of them. */
const RETENTION_DAYS = DAYS + 1;
/** Tables are filled by so many connections. */
const LANES = 2;
/** As the worker deletes (server/webhooks/deliveries.ts). */
const ROWS_PER_STEP = 1_000;
const SECONDS = { besideDrop: 5, besideDeletes: 20 };
/** A drop that a lock kept from its partition is tried again. */
const AGAIN_MS = 200;
const PLAIN = "attempts_without_partitions";

type Bench = MailRig & { site: Site; pairs: number; note: (text: string) => void };
type Seen = { seconds: number[]; beside: Logged[]; alone: Logged[]; sizes: number[] };

const nameOf = (day: number) => `delivery_attempts_${new Date(day).toISOString().slice(0, 10).replaceAll("-", "")}`;

/** UUIDv7 of the n-th attempt of a day, or of its delivery. */
const idOf = (sql: Sql, day: number, from: number) => sql`
  (lpad(to_hex(${day}::bigint + n * 86), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
    || substr(md5(n::text), ${from}::int, 15))::uuid`;

/** A partition with the attempts of a day, each like one that the service wrote. */
async function makeDay(sql: Sql, day: number): Promise<void> {
  const name = nameOf(day);
  await sql`create table ${sql(name)} (like delivery_attempts including defaults)`;
  await sql`
    insert into ${sql(name)} (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, status,
      request_headers, response_body)
    select ${idOf(sql, day, 1)}, organization_id, webhook_id, ${idOf(sql, day, 17)}, 1, to_timestamp(${day / 1000}::float8),
      duration_ms, status, request_headers, response_body
    from bench_attempt cross join generate_series(0, ${ROWS_PER_DAY - 1}::bigint) n`;
  await sql`alter table ${sql(name)} add primary key (id)`;
  await sql`create index on ${sql(name)} (delivery_id, id)`;
  const bounds = `from ('${firstIdAt(day)}') to ('${firstIdAt(day + DAY_MS)}')`;
  await sql`alter table delivery_attempts attach partition ${sql(name)} for values ${sql.unsafe(bounds)}`;
}

/** The worker's job, so many days from now. */
const prune = (sql: Sql, days: number) =>
  createAttemptPartitions({
    sql,
    log,
    now: () => new Date(Date.now() + days * DAY_MS),
    settings: readSettings({ RETENTION_DAYS_ATTEMPTS: `${RETENTION_DAYS}` }),
  })();

/** The days before today, instead of the partition that a new installation has for all of the past. */
async function makeDays(sql: Sql): Promise<void> {
  await sql`create table bench_attempt as select * from delivery_attempts where status = 200 limit 1`;
  await sql`drop table delivery_attempts_before`;
  await prune(sql, 0);
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const days = Array.from({ length: DAYS }, (_, n) => today - (DAYS - n) * DAY_MS);
  const lane = async () => {
    for (let day = days.shift(); day !== undefined; day = days.shift()) await makeDay(sql, day);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await sql`vacuum (analyze) delivery_attempts`;
  await sql`checkpoint`;
}

/** The same rows in one table. Each day leaves its partition, so that the disk has each only once. */
async function gather(sql: Sql): Promise<void> {
  await sql`create table ${sql(PLAIN)} (like delivery_attempts including defaults)`;
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  for (const { name, from } of await readPartitions(sql, "delivery_attempts")) {
    if (from >= today) continue;
    await sql`insert into ${sql(PLAIN)} select * from ${sql(name)}`;
    await sql`drop table ${sql(name)}`;
  }
  await sql`alter table ${sql(PLAIN)} add primary key (id)`;
  await sql`create index on ${sql(PLAIN)} (delivery_id, id)`;
  await sql`vacuum (analyze) ${sql(PLAIN)}`;
  await sql`checkpoint`;
}

async function sizeMb(sql: Sql, table: string): Promise<number> {
  // The tree of a table without partitions has no rows.
  const [row] = await sql<[{ mb: number }]>`
    select coalesce(sum(pg_total_relation_size(relid)), pg_total_relation_size(${table}::regclass))::float8 / 1e6 as mb
    from pg_partition_tree(${table}::regclass)`;
  return row.mb;
}

async function dropOneDay(sql: Sql, days: number): Promise<void> {
  const count = async () => (await readPartitions(sql, "delivery_attempts")).filter(({ to }) => to < Date.now()).length;
  const before = await count();
  await prune(sql, days);
  while ((await count()) === before) {
    await delay(AGAIN_MS);
    await prune(sql, days);
  }
}

async function deleteOneDay(sql: Sql): Promise<number> {
  const started = performance.now();
  for (let left = ROWS_PER_DAY; left > 0; ) {
    const { count } = await sql`
      delete from ${sql(PLAIN)} where id = any(array(select id from ${sql(PLAIN)} order by id limit ${ROWS_PER_STEP}::int))`;
    if (count === 0) throw new Error("no rows are left");
    left -= count;
  }
  const seconds = (performance.now() - started) / 1000;
  await sql`vacuum ${sql(PLAIN)}`;
  return seconds;
}

const list = (all: number[], digits: number) => all.map((each) => each.toFixed(digits)).join(", ");

function tell({ note }: Bench, says: string, { seconds, beside, alone, sizes }: Seen): void {
  const perSecond = (all: Logged[]) => median(all.map((each) => each.mb / each.seconds)).toFixed(1);
  const perMail = median(alone.map(({ mb, mails }) => mb / mails));
  const own = beside.map(({ mb, mails }) => mb - mails * perMail);
  note(`${says}: ${list(seconds, 2)} s`);
  note(`${says}: PostgreSQL's log ${perSecond(beside)} MB a second beside mail, mail alone ${perSecond(alone)}`);
  note(
    `${says}: PostgreSQL's log beyond that of the mails ${list(own, 0)} MB; ${(perMail * 1000).toFixed(1)} kB a mail`,
  );
  note(`${says}: the table is ${list(sizes, 0)} MB, before and after each; ${loadText()}`);
}

type Way = { says: string; table: string; seconds: number; remove: () => Promise<void> };

/** Mail beside the removal of a day, and alone. */
async function compare(bench: Bench, { says, table, seconds, remove }: Way): Promise<Comparison[]> {
  const { sql, site, pairs } = bench;
  const seen: Seen = { seconds: [], beside: [], alone: [], sizes: [await sizeMb(sql, table)] };
  const work = async () => {
    const started = performance.now();
    await remove();
    seen.seconds.push((performance.now() - started) / 1000);
    seen.sizes.push(await sizeMb(sql, table));
  };
  const beside = mailContender(bench, "Mailberth", { seconds, work, logged: seen.beside });
  const alone = mailContender(bench, "mail alone", { seconds, logged: seen.alone });
  const title = { workload: "W12", case: `mail beside ${says}`, pairs };
  const rows = await race(title, beside, [{ contender: alone }], [process.pid, site.postmasterPid]);
  tell(bench, says, seen);
  return rows;
}

async function measure(bench: Bench): Promise<Comparison[]> {
  const { sql, note } = bench;
  const says = { drop: "the drop of a day", deletes: "deletes of a day, and a vacuum" };
  let days = 1;
  const dropped = await compare(bench, {
    says: says.drop,
    table: "delivery_attempts",
    seconds: SECONDS.besideDrop,
    async remove() {
      days += 1;
      await dropOneDay(sql, days);
    },
  });
  await gather(sql);
  const [rows] = await sql<[{ count: number }]>`select count(*)::int from ${sql(PLAIN)}`;
  note(`the table without partitions has ${rows.count.toLocaleString("en")} rows`);
  const deletes: number[] = [];
  const deleted = await compare(bench, {
    says: says.deletes,
    table: PLAIN,
    seconds: SECONDS.besideDeletes,
    async remove() {
      deletes.push(await deleteOneDay(sql));
    },
  });
  note(`${says.deletes}: of it deleting ${list(deletes, 1)} s`);
  return [...dropped, ...deleted];
}

export async function w12(site: Site, note: (text: string) => void, { pairs }: Options): Promise<Comparison[]> {
  const intake = await startIntake();
  const settings = { RETENTION_DAYS_ATTEMPTS: `${RETENTION_DAYS}` };
  const mailberth = await startMailberth(site, "w12", ["web,smtp,worker"], settings, { root: ROOT, pages: false });
  const server = serverOf(site, mailberth, "Mailberth", await addMailboxes(mailberth, intake.hookUrl, BOXES));
  const sql = connect(mailberth.databaseUrl, { max: LANES, fetch_types: false, onnotice: () => {} });
  try {
    const bench: Bench = { site, intake, server, sql, pairs, note };
    await warmUp(mailContender(bench, "warm-up", { seconds: 0, logged: [] }));
    const started = performance.now();
    await makeDays(sql);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    note(`${DAYS} partitions of ${ROWS_PER_DAY.toLocaleString("en")} rows were made in ${seconds} s; ${loadText()}`);
    return await measure(bench);
  } finally {
    await sql.end();
    await server.stop();
  }
}
