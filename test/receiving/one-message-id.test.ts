// Very many mails with one Message-ID, which anybody can send to a mailbox: what names that id reads one of them.
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { recordPlans } from "#test/support/plans.ts";
import { startTestService } from "#test/support/service.ts";

const COPIES = 3_000;
const READ_MAX = 50;
const SAME = "same@stranger.example";

type Message = { id: string; subject: string; thread_id: string };

const database = await createTestDatabase();
const record = await recordPlans(database.url);
const service = await startTestService({}, { database: { ...database, url: record.url } });
const client = api(service);
const { agentKey: key } = await service.newOrganization();
const stranger = await service.newOrganization();
const desk = await client.createInbox(key);
const filled = await client.createInbox(stranger.agentKey);
afterAll(async () => {
  await client.close();
  await service.stop();
  await record.close();
  await database.drop();
});

/** The message of the mailbox with this subject, when it is there. */
const found = (subject: string) =>
  eventually(async () => {
    const { body } = await client.get<Page<Message>>(inboxPath(desk.address, "/messages?limit=5"), { key });
    const message = body.data.find((each) => each.subject === subject);
    if (!message) throw new Error("not there yet");
    return message;
  });

/** The most rows that one step of the look-ups since then read. */
const mostRead = () => {
  const lookUps = record.executed.filter(({ statement }) => /rfc_message_id"? is not null/.test(statement));
  return Math.max(...lookUps.flatMap(({ steps }) => steps.map(({ read }) => read)));
};

let first: Message;

beforeAll(async () => {
  const headers = { "Message-ID": `<${SAME}>` };
  await service.mail({ from: "ann@stranger.example", to: [desk.address, filled.address], subject: "first", headers });
  first = await found("first");
  const { sql } = service.system;
  // Of the same millisecond, and behind it.
  await sql`
    insert into messages select b.* from messages m, generate_series(1, ${COPIES}::int) n,
      jsonb_populate_record(m, jsonb_build_object('id', left(m.id::text, 13) || '-7fff-bfff-' || lpad(n::text, 10, '0') ||
        case when m.inbox_id = ${decodeId("inb", desk.id) ?? ""}::uuid then '01' else '02' end,
        'duplicate_key', null, 'thread_id', gen_random_uuid(), 'subject', 'copy', 'status', 'parsed')) b
    where m.rfc_message_id = ${SAME}`;
  await sql`analyze messages`;
});

test("mail that answers it is in the thread of the first", async () => {
  record.executed.length = 0;
  const headers = { "In-Reply-To": `<${SAME}>`, References: `<unknown@stranger.example> <${SAME}>` };
  await service.mail({ from: "bob@stranger.example", to: desk.address, subject: "Re: answer", headers });
  expect((await found("Re: answer")).thread_id).toBe(first.thread_id);
  expect(mostRead()).toBeGreaterThan(0);
  expect(mostRead()).toBeLessThan(READ_MAX);
});

test("an import that answers it, too", async () => {
  record.executed.length = 0;
  const raw = `From: bob@stranger.example\r\nSubject: Re: import\r\nReferences: <${SAME}>\r\n\r\nHello\r\n`;
  const { status } = await client.exchange("POST", inboxPath(desk.address, "/import"), {
    key,
    body: raw,
    headers: { "Content-Type": "message/rfc822" },
  });
  expect(status).toBe(200);
  expect((await found("Re: import")).thread_id).toBe(first.thread_id);
  expect(mostRead()).toBeGreaterThan(0);
  expect(mostRead()).toBeLessThan(READ_MAX);
});

test("a send that answers it, too", async () => {
  record.executed.length = 0;
  const json = { to: "ann@stranger.example", subject: "Re: first", text: "Hello", in_reply_to: `<${SAME}>` };
  const { body, status } = await client.post<Sent>(inboxPath(desk.address, "/send"), json, { key });
  expect([status, body.thread_id]).toEqual([202, first.thread_id]);
  expect(mostRead()).toBeGreaterThan(0);
  expect(mostRead()).toBeLessThan(READ_MAX);
});
