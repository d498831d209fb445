// A database of the first schema, with mail in it, brought to today's: nothing is lost, and events are numbered.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { v7 } from "uuid";
import { expect, it } from "vitest";
import { connect } from "#db/client.ts";
import journal from "#db/migrations/meta/_journal.json" with { type: "json" };
import { newId } from "#server/base/ids.ts";
import { createEmptyDatabase } from "#test/support/database.ts";

const FOLDER = join(import.meta.dirname, "../../db/migrations");
const FIRST = 2;

it("keeps mail, threads and events, and has mail that was read before read once more", async () => {
  const database = await createEmptyDatabase();
  const sql = connect(database.url, { max: 1 });
  const apply = async (entries: { tag: string }[]) => {
    for (const { tag } of entries) await sql.unsafe(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  };
  await apply(journal.entries.slice(0, FIRST));
  const [organization, other, inbox, thread, empty] = [newId(), newId(), newId(), newId(), newId()];
  const ids = [newId(), newId(), newId()] as const;
  await sql`insert into threads (id, organization_id, inbox_id, subject, created_at)
    values (${thread}, ${organization}, ${inbox}, 'x', now()), (${empty}, ${organization}, ${inbox}, 'x', now())`;
  for (const [i, id] of ids.entries()) {
    const inbound = i < 2;
    await sql`insert into messages (id, organization_id, inbox_id, thread_id, direction, status, from_address, to_addresses,
        cc_addresses, bcc_addresses, reply_to, subject, references_ids, text, attachments, size, created_at)
      values (${id}, ${organization}, ${inbox}, ${thread}, ${inbound ? "inbound" : "outbound"}, ${inbound ? "parsed" : "sent"},
        'a@b.example', '{}', '{}', '{}', '{}', 'Subject', '{}', 'body words', '[]', 1, now())`;
    const owner = i === 1 ? other : organization;
    await sql`insert into events (id, organization_id, inbox_id, message_id, kind, body, created_at)
      values (${newId()}, ${owner}, ${inbox}, ${id}, 'message.received', '{}', now())`;
  }

  await apply(journal.entries.slice(FIRST));
  const rows = await sql`select id, status, read, search @@ 'words'::tsquery as found from messages order by id`;
  expect(rows.map(({ status, read, found }) => [status, read, found])).toEqual([
    ["received", false, null],
    ["received", false, null],
    ["sent", true, true],
  ]);
  expect([...(await sql`select id, last_message_id from threads`)]).toEqual([{ id: thread, last_message_id: ids[2] }]);
  const events = await sql`select organization_id, position, message_id from events order by organization_id, position`;
  expect(events.map((event) => [event.organization_id, Number(event.position), event.message_id])).toEqual([
    [organization, 1, ids[0]],
    [organization, 2, ids[2]],
    [other, 1, ids[1]],
  ]);
  const positions = await sql`select organization_id, last from event_positions order by organization_id`;
  expect(positions.map(({ last }) => Number(last))).toEqual([2, 1]);
  const usage = await sql`select inbox_id, bytes from storage_usage order by inbox_id`;
  expect(usage.map((row) => [row.inbox_id, Number(row.bytes)])).toEqual([
    ["00000000-0000-0000-0000-000000000000", 3 * 4_096],
    [inbox, 3 * 4_096],
  ]);
  await sql.end();
  await database.drop();
});

it("turns domains of live keys into grants, except where two organizations overlap", async () => {
  const database = await createEmptyDatabase();
  const sql = connect(database.url, { max: 1 });
  const apply = async (entries: { tag: string }[]) => {
    for (const { tag } of entries) await sql.unsafe(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  };
  const grants = journal.entries.findIndex(({ tag }) => tag.endsWith("_grant_domains"));
  await apply(journal.entries.slice(0, grants));
  const [acme, other] = [newId(), newId()];
  await sql`insert into organizations (id, name, created_at) values (${acme}, 'Acme', now()), (${other}, 'Other', now())`;
  const key = async (organization: string, allowed: string[], ended: { revoked_at?: Date; expires_at?: Date } = {}) => {
    const row = {
      id: newId(),
      organization_id: organization,
      name: "k",
      secret_hash: Buffer.alloc(32),
      created_at: new Date(),
    };
    await sql`insert into enrollment_keys ${sql({ ...row, allowed_domains: allowed, scopes: [], max_mailboxes: 1, ...ended })}`;
    return row.id;
  };
  const past = new Date(Date.now() - 1_000);
  const live = await key(acme, ["shared.example", "acme.example", "*.bots.example", "*.com", "both.example"]);
  await key(other, ["shared.example", "a.both.example"]);
  await key(other, ["acme.example"], { revoked_at: past });
  await key(other, ["x.bots.example"], { expires_at: past });
  await apply(journal.entries.slice(grants));
  const rows = await sql`select domain, organization_id, enrollment_key_id from domain_grants order by domain`;
  expect([...rows]).toEqual(
    ["acme.example", "bots.example"].map((domain) => ({ domain, organization_id: acme, enrollment_key_id: live })),
  );
  await sql.end();
  await database.drop();
});

it("keeps attempts of deliveries in the first partition, except ids of a wrong clock", async () => {
  const database = await createEmptyDatabase();
  const sql = connect(database.url, { max: 1 });
  const apply = async (entries: { tag: string }[]) => {
    for (const { tag } of entries) await sql.unsafe(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  };
  const partitions = journal.entries.findIndex(({ tag }) => tag.endsWith("_partition_attempts"));
  await apply(journal.entries.slice(0, partitions));
  const at = (days: number) => v7({ msecs: Date.now() + days * 86_400_000 });
  const ids = [at(-400), at(-1), at(0), at(3)];
  // As the version before wrote them, and as it goes on to during a rolling upgrade.
  const insert = (id: string, number: number) => sql`
    insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
    select ${id}, ${id}, ${id}, ${id}, ${number}, now(), 1, '[["a", "b"]]'::jsonb on conflict (id) do nothing`;
  for (const [i, id] of ids.entries()) await insert(id, i);
  await apply(journal.entries.slice(partitions));
  expect((await insert(ids[1] ?? "", 9)).count).toBe(0);
  expect((await insert(at(0), 4)).count).toBe(1);
  const rows = await sql`
    select number, tableoid::regclass::text as partition, request_headers->0->>0 as header from delivery_attempts order by number`;
  expect(rows.map(({ number, partition, header }) => [number, partition, header])).toEqual([
    [0, "delivery_attempts_before", "a"],
    [1, "delivery_attempts_before", "a"],
    [2, "delivery_attempts_before", "a"],
    [3, "delivery_attempts_default", "a"],
    [4, "delivery_attempts_before", "a"],
  ]);
  // The version before prunes so.
  const { count } = await sql`
    delete from delivery_attempts where id = any(array(
      select id from delivery_attempts where started_at < now() + interval '1 day' order by started_at limit 2))`;
  expect(count).toBe(2);
  await sql.end();
  await database.drop();
});

it("copies each recipient of a sent mail with what was known of it", async () => {
  const database = await createEmptyDatabase();
  const sql = connect(database.url, { max: 1 });
  const apply = async (entries: { tag: string }[]) => {
    for (const { tag } of entries) await sql.unsafe(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  };
  const outcomes = journal.entries.findIndex(({ tag }) => tag.endsWith("_outcomes"));
  await apply(journal.entries.slice(0, outcomes));
  const [organization, inbox] = [newId(), newId()];
  const [created, sent] = [new Date("2026-01-01T00:00:00Z"), new Date("2026-01-01T00:01:00Z")];
  const add = async (status: string, recipients: string[][], results: object[] | null = null) => {
    const id = newId();
    const [to = [], cc = [], bcc = []] = recipients;
    const isSent = status === "sent";
    await sql`insert into messages (id, organization_id, inbox_id, thread_id, direction, status, from_address, to_addresses,
        cc_addresses, bcc_addresses, reply_to, subject, references_ids, attachments, size, created_at, sent_at, recipient_results)
      values (${id}, ${organization}, ${inbox}, ${newId()}, ${status === "received" ? "inbound" : "outbound"}, ${status},
        'a@b.example', ${to}, ${cc}, ${bcc}, '{}', 'x', '{}', '[]', 1, ${created}, ${isSent ? sent : null},
        ${results && sql.json(results as never)})`;
    return id;
  };
  const result = (address: string, outcome: string, detail?: string) => ({
    address,
    outcome,
    ...(detail && { detail }),
  });
  const names = new Map([
    [await add("queued", [["z@x.example", "a@x.example"], ["z@x.example"], ["hidden@x.example"]]), "queued"],
    [await add("sending", [["a@x.example"]]), "sending"],
    [await add("failed", [["a@x.example"]]), "failed"],
    [await add("sent", [["a@x.example"]]), "without results"],
    [
      await add(
        "sent",
        [["a@x.example", "b@x.example"], ["c@x.example"], ["d@x.example"]],
        [
          result("d@x.example", "captured"),
          result("c@x.example", "accepted", "250 2.0.0 Ok: queued"),
          result("b@x.example", "refused", "550-5.1.1 No such user"),
          result("a@x.example", "delivered", "stored"),
        ],
      ),
      "mixed",
    ],
    [
      await add(
        "sent",
        [["a@x.example", "b@x.example"]],
        [result("a@x.example", "delivered"), result("b@x.example", "delivered")],
      ),
      "delivered",
    ],
    [
      await add("sent", [["a@x.example", "b@x.example"]], [result("a@x.example", "delivered")]),
      "delivered to one of two",
    ],
    [await add("received", [["a@x.example"]]), "inbound"],
  ]);
  await apply(journal.entries.slice(outcomes));

  const rows = await sql<
    {
      message_id: string;
      address: string;
      status: string;
      smtp_code: number;
      enhanced_code: string;
      reason: string;
      at: Date;
    }[]
  >`select * from message_recipients where organization_id = ${organization} and inbox_id = ${inbox} order by message_id, index`;
  const copied = rows.map(({ message_id, address, ...row }) => [
    `${names.get(message_id)}: ${address.split("@")[0]}`,
    ...[row.status, row.smtp_code, row.enhanced_code, row.reason, row.at],
  ]);
  expect(copied).toEqual([
    ["queued: z", "queued", null, null, null, null],
    ["queued: a", "queued", null, null, null, null],
    ["queued: hidden", "queued", null, null, null, null],
    ["sending: a", "queued", null, null, null, null],
    ["failed: a", "failed", null, null, null, created],
    ["without results: a", "sent", null, null, null, sent],
    ["mixed: a", "delivered", null, null, "stored", sent],
    ["mixed: b", "bounced", 550, "5.1.1", "550-5.1.1 No such user", sent],
    ["mixed: c", "sent", 250, "2.0.0", "250 2.0.0 Ok: queued", sent],
    ["mixed: d", "sent", null, null, null, sent],
    ["delivered: a", "delivered", null, null, null, sent],
    ["delivered: b", "delivered", null, null, null, sent],
    ["delivered to one of two: a", "delivered", null, null, null, sent],
    ["delivered to one of two: b", "sent", null, null, null, sent],
  ]);
  const indexes = await sql<{ index: number }[]>`
    select index from message_recipients order by message_id, index limit 4`;
  expect(indexes.map(({ index }) => index)).toEqual([0, 1, 2, 0]);
  const messages = await sql<{ id: string; status: string }[]>`select id, status from messages order by id`;
  expect(messages.map(({ id, status }) => [names.get(id), status])).toEqual([
    ["queued", "queued"],
    ["sending", "sending"],
    ["failed", "failed"],
    ["without results", "sent"],
    ["mixed", "bounced"],
    ["delivered", "delivered"],
    ["delivered to one of two", "sent"],
    ["inbound", "received"],
  ]);
  await sql.end();
  await database.drop();
});

it("confirms an address for notices whose link decided on a message, and no other one", async () => {
  const database = await createEmptyDatabase();
  const sql = connect(database.url, { max: 1 });
  const apply = async (entries: { tag: string }[]) => {
    for (const { tag } of entries) await sql.unsafe(readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  };
  const letters = journal.entries.findIndex(({ tag }) => tag.endsWith("_limit_letters"));
  await apply(journal.entries.slice(0, letters));
  const [acme, other] = [newId(), newId()];
  const listed = ["boss@people.example", "stranger@people.example"];
  await sql`insert into organizations (id, name, owner_emails, created_at)
    values (${acme}, 'Acme', ${listed}, now()), (${other}, 'Other', ${listed}, now())`;
  for (const by of ["boss@people.example (by the link in the mail)", "stranger@people.example", null]) {
    await sql`insert into reviews (message_id, organization_id, inbox_id, status, revision, hash, decided_by, expires_at, created_at)
      values (${newId()}, ${acme}, ${newId()}, 'approved', 1, '', ${by}, now(), now())`;
  }
  await apply(journal.entries.slice(letters));
  const known = await sql`select organization_id, address, confirmed_at is not null as confirmed from notice_addresses`;
  expect([...known]).toEqual([{ organization_id: acme, address: "boss@people.example", confirmed: true }]);
  await sql.end();
  await database.drop();
});

it("counts list entries and suppressions of earlier versions as a member's, except those that the service added", async () => {
  const database = await createEmptyDatabase();
  const sql = connect(database.url, { max: 1 });
  const files = journal.entries.map(({ tag }) => readFileSync(join(FOLDER, `${tag}.sql`), "utf8"));
  const added = files.findIndex((text) => text.includes('ALTER TABLE "suppressions" ADD COLUMN "set_by"'));
  for (const text of files.slice(0, added)) await sql.unsafe(text);
  const ids = [newId(), newId()] as const;
  await sql`
    insert into list_entries (id, organization_id, inbox_id, direction, list, entry, created_at)
    values (${newId()}, ${ids[0]}, ${ids[1]}, 'send', 'block', 'shop.example', now())`;
  await sql`
    insert into suppressions (id, organization_id, inbox_id, address, reason, message_id, created_at) values
      (${newId()}, ${ids[0]}, ${ids[1]}, 'a@b.example', 'asked by phone', null, now()),
      (${newId()}, ${ids[0]}, ${ids[1]}, 'b@b.example', 'bounced', ${newId()}, now()),
      (${newId()}, ${ids[0]}, ${ids[1]}, 'c@b.example', 'unsubscribed', null, now())`;
  for (const text of files.slice(added)) await sql.unsafe(text);
  expect([...(await sql`select set_by, set_by_key from list_entries`)]).toEqual([
    { set_by: "member", set_by_key: null },
  ]);
  const rows = await sql`select set_by from suppressions order by address`;
  expect(rows.map(({ set_by }) => set_by)).toEqual(["member", "service", "service"]);
  await sql.end();
  await database.drop();
});
