// A database of an earlier schema, with data in it, brought to today's: nothing is lost.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connect } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import journal from "#db/migrations/meta/_journal.json" with { type: "json" };
import { newId } from "#server/base/ids.ts";
import { createEmptyDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";

const FOLDER = join(import.meta.dirname, "../../db/migrations");
/** The first migration makes what 47 earlier ones made. These are the times of the first of them, the 20th and the 46th. */
const EARLIER = { first: 1_795_214_705_575, twentieth: 1_795_383_939_263, fortySixth: 1_795_749_331_962 };
const [INITIAL] = journal.entries;

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

/** As a version with the 47 migrations left it, if `applied` are their times. */
async function migratedEarlier(applied: number[]): Promise<void> {
  await migrate({ url: database.url, upTo: INITIAL?.when ?? 0 });
  await sql`delete from drizzle.__drizzle_migrations`;
  for (const when of applied) {
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('of an earlier file', ${when})`;
  }
}

const appliedTimes = async () =>
  (await sql`select created_at from drizzle.__drizzle_migrations order by created_at`).map((row) =>
    Number(row.created_at),
  );

describe("a database with the 47 earlier migrations", () => {
  test("gets the later ones and keeps its rows", async () => {
    const { first, twentieth, fortySixth } = EARLIER;
    await migratedEarlier([first, twentieth, fortySixth, INITIAL?.when ?? 0]);
    const [organization, inbox, message] = [newId(), newId(), newId()];
    await sql`insert into organizations (id, name, created_at) values (${organization}, 'Acme', now())`;
    await sql`insert into messages (id, organization_id, inbox_id, thread_id, direction, status, from_address, to_addresses,
        cc_addresses, bcc_addresses, reply_to, subject, references_ids, text, attachments, size, created_at, sent_at)
      values (${message}, ${organization}, ${inbox}, ${newId()}, 'outbound', 'sent', 'a@b.example', '{x@y.example}', '{}', '{}',
        '{}', 'Subject', '{}', 'body', '[]', 1, now(), now())`;
    await migrate({ url: database.url });
    expect(await appliedTimes()).toEqual([first, twentieth, fortySixth, ...journal.entries.map(({ when }) => when)]);
    expect([...(await sql`select id, name from organizations`)]).toEqual([{ id: organization, name: "Acme" }]);
    expect([...(await sql`select id, text from messages`)]).toEqual([{ id: message, text: "body" }]);
    // Again, without effect.
    await migrate({ url: database.url });
    expect(await appliedTimes()).toHaveLength(3 + journal.entries.length);
  });

  test.each([
    ["1 of them", [EARLIER.first]],
    ["20 of them", [EARLIER.first, EARLIER.twentieth]],
    ["46 of them", [EARLIER.first, EARLIER.twentieth, EARLIER.fortySixth]],
  ])("is refused with what to do when it has only %s, and nothing is changed", async (_count, applied) => {
    await migratedEarlier(applied);
    await expect(migrate({ url: database.url })).rejects.toThrow(
      "The database has an early schema, of before 0.1.0. Start Mailberth at the commit 139d2da, which brings it up to date, and then start this version.",
    );
    expect(await appliedTimes()).toEqual(applied);
    expect(await sql`select from pg_class where relname = 'send_totals'`).toHaveLength(0);
  });
});

/** Applies the migrations before the one with that name. */
async function applyBefore(name: string) {
  const apply = async (entries: { tag: string }[]) => {
    for (const { tag } of entries) await sql.unsafe(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  };
  const at = journal.entries.findIndex(({ tag }) => tag.endsWith(name));
  expect(at).toBeGreaterThan(0);
  await apply(journal.entries.slice(0, at));
  return { applyRest: () => apply(journal.entries.slice(at)) };
}

test("confirms an address for notices whose link decided on a message, and no other one", async () => {
  const before = await applyBefore("_limit_letters");
  const [acme, other] = [newId(), newId()];
  const listed = ["boss@people.example", "stranger@people.example"];
  await sql`insert into organizations (id, name, owner_emails, created_at)
    values (${acme}, 'Acme', ${listed}, now()), (${other}, 'Other', ${listed}, now())`;
  for (const by of ["boss@people.example (by the link in the mail)", "stranger@people.example", null]) {
    await sql`insert into reviews (message_id, organization_id, inbox_id, status, revision, hash, decided_by, expires_at, created_at)
      values (${newId()}, ${acme}, ${newId()}, 'approved', 1, '', ${by}, now(), now())`;
  }
  await before.applyRest();
  const known = await sql`select organization_id, address, confirmed_at is not null as confirmed from notice_addresses`;
  expect([...known]).toEqual([{ organization_id: acme, address: "boss@people.example", confirmed: true }]);
});

test("counts list entries and suppressions of earlier versions as a member's, except what the service added", async () => {
  const before = await applyBefore("_who_set_and_whose_keys");
  const ids = [newId(), newId()] as const;
  await sql`
    insert into list_entries (id, organization_id, inbox_id, direction, list, entry, created_at)
    values (${newId()}, ${ids[0]}, ${ids[1]}, 'send', 'block', 'shop.example', now())`;
  await sql`
    insert into suppressions (id, organization_id, inbox_id, address, reason, message_id, created_at) values
      (${newId()}, ${ids[0]}, ${ids[1]}, 'a@b.example', 'asked by phone', null, now()),
      (${newId()}, ${ids[0]}, ${ids[1]}, 'b@b.example', 'bounced', ${newId()}, now()),
      (${newId()}, ${ids[0]}, ${ids[1]}, 'c@b.example', 'unsubscribed', null, now())`;
  await before.applyRest();
  expect([...(await sql`select set_by, set_by_key from list_entries`)]).toEqual([
    { set_by: "member", set_by_key: null },
  ]);
  const rows = await sql`select set_by from suppressions order by address`;
  expect(rows.map(({ set_by }) => set_by)).toEqual(["member", "service", "service"]);
});
