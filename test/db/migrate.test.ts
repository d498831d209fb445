// Migrations: concurrently, once; again, without effect; and the schema they create is the one in db/schema.
import { readdirSync } from "node:fs";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { PgTable } from "drizzle-orm/pg-core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import journal from "#db/migrations/meta/_journal.json" with { type: "json" };
import * as activity from "#db/schema/activity.ts";
import * as calls from "#db/schema/calls.ts";
import * as content from "#db/schema/content.ts";
import * as domains from "#db/schema/domains.ts";
import * as enrollment from "#db/schema/enrollment.ts";
import * as events from "#db/schema/events.ts";
import * as idempotency from "#db/schema/idempotency.ts";
import * as lists from "#db/schema/lists.ts";
import * as mail from "#db/schema/mail.ts";
import * as oauth from "#db/schema/oauth.ts";
import * as outbox from "#db/schema/outbox.ts";
import * as payments from "#db/schema/payments.ts";
import * as reviews from "#db/schema/reviews.ts";
import * as sending from "#db/schema/sending.ts";
import * as signIn from "#db/schema/sign-in.ts";
import * as team from "#db/schema/team.ts";
import * as verifications from "#db/schema/verifications.ts";
import * as waits from "#db/schema/waits.ts";
import { createEmptyDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";

const MIGRATIONS = journal.entries.length;
const timeOf = (migration: string) => journal.entries.find(({ tag }) => tag === migration)?.when;

let database: TestDatabase;
let sql: ReturnType<typeof connect>;

beforeEach(async () => {
  database = await createEmptyDatabase();
  sql = connect(database.url, { max: 1 });
});

afterEach(async () => {
  await sql.end();
  await database.drop();
});

it("keeps only the newest snapshot, which is all that the next migration is generated from", () => {
  const newest = journal.entries.at(-1)?.tag.slice(0, 4);
  expect(readdirSync("db/migrations/meta").toSorted()).toEqual([`${newest}_snapshot.json`, "_journal.json"]);
});

describe("migrate", () => {
  it("applies each migration once when several processes start together", async () => {
    await Promise.all([migrate(database), migrate(database), migrate(database)]);
    const [row] =
      await sql`select count(*)::int, count(distinct hash)::int as different from drizzle.__drizzle_migrations`;
    expect(row).toEqual({ count: MIGRATIONS, different: MIGRATIONS });
  });

  it("gives way to requests that need the tables in another order, and goes on when they have ended", async () => {
    await migrate({ ...database, upTo: timeOf("0005_pause_sending") });
    const request = await sql.reserve();
    try {
      await request`begin`;
      await request`select 1 from enrollment_keys`;
      const migrated = migrate({ ...database, upTo: timeOf("0006_keys_within_one_organization") });
      const waits = async () => (await request`select 1 from pg_locks where not granted`).length;
      await expect.poll(waits).toBe(1);
      await request`select 1 from agent_keys`;
      await request`commit`;
      await migrated;
    } finally {
      request.release();
    }
  });

  it("keeps rows and leaves no lock when there is nothing to do", async () => {
    await migrate(database);
    await sql`insert into organizations (id, name, created_at) values (gen_random_uuid(), 'Acme', now())`;
    await migrate(database);
    const [row] = await sql`select (select count(*)::int from organizations) as rows,
      (select count(*)::int from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())) as locks`;
    expect(row).toEqual({ rows: 1, locks: 0 });
  });

  it("makes every table and column of the schema", async () => {
    await migrate(database);
    const made =
      await sql`select relname || '.' || attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped`;
    const declared = Object.values({
      ...activity,
      ...calls,
      ...content,
      ...domains,
      ...enrollment,
      ...lists,
      ...mail,
      ...oauth,
      ...outbox,
      ...events,
      ...payments,
      ...sending,
      ...reviews,
      ...team,
      ...verifications,
      ...waits,
      ...idempotency,
      ...signIn,
    })
      .filter((value) => is(value, PgTable))
      .flatMap((table) =>
        Object.values(getTableColumns(table)).map((column) => `${getTableName(table)}.${column.name}`),
      );
    expect(made.map(({ name }) => name).sort()).toEqual(declared.sort());
  });

  it("lays out hot tables and raw mail as the storage migration says", async () => {
    await migrate(database);
    const options = await sql`
      select relname, reloptions from pg_class where reloptions is not null and relnamespace = 'public'::regnamespace order by 1`;
    expect(options.map(({ relname, reloptions }) => [relname, ...reloptions])).toEqual([
      ["deliveries", "fillfactor=70"],
      ["enrollment_keys", "fillfactor=50"],
      ["event_positions", "fillfactor=50"],
      ["messages", "fillfactor=80"],
    ]);
    const columns = await sql`
      select attrelid::regclass || '.' || attname as name from pg_attribute where attstorage = 'e' and (attrelid, attname) in (
        ('raw_messages'::regclass, 'bytes'), ('messages'::regclass, 'search')) order by 1`;
    expect(columns.map(({ name }) => name)).toEqual(["messages.search", "raw_messages.bytes"]);
  });
});
