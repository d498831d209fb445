// A database of the first schema, with mail in it, brought to today's: nothing is lost, and events are numbered.
import { readFileSync } from "node:fs";
import { join } from "node:path";
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
