// The storage quota: a stranger who sends mail, or an agent that does, fills neither the disk nor another mailbox.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, type Failure, type Inbox, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { speak } from "#test/support/inbound.ts";
import { PRELOAD } from "#test/support/process.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const PER_INBOX = 100_000;
const PER_ORGANIZATION = 250_000;
const SETTINGS = {
  STORAGE_QUOTA_PER_INBOX: String(PER_INBOX),
  STORAGE_QUOTA_PER_ORGANIZATION: String(PER_ORGANIZATION),
};
/** What a short message counts for. */
const SHORT = 4_096;

const service = await startTestService(SETTINGS);
const second = await startTestService({ ...SETTINGS, ROLES: "web,smtp" }, { database: service.database });
const client = api(service);
afterAll(async () => {
  await client.close();
  await second.stop();
  await service.stop();
});

type Stored = { used_bytes: number; limit_bytes: number | null };

async function organization() {
  const { agentKey: key, organizationId } = await service.newOrganization();
  const newInbox = async () => (await client.post<Inbox>("/v1/inboxes", {}, { key })).body.address;
  const storage = async (address: string) => (await client.get<Stored>(inboxPath(address, "/storage"), { key })).body;
  const messages = async (address: string) =>
    (await client.get<Page<{ id: string; thread_id: string }>>(`${inboxPath(address)}/messages?limit=100`, { key }))
      .body.data;
  const send = (address: string, text: string, to = "someone@example.org") =>
    client.post<Sent & Failure>(`${inboxPath(address)}/send`, { to, subject: "x", text }, { key });
  return { key, organizationId, newInbox, storage, messages, send };
}

let mails = 0;

/** Hands over one mail of about so many bytes. @returns the replies to each RCPT and to DATA */
async function mail(to: string | string[], bytes: number, options: { at?: TestService; size?: boolean } = {}) {
  const smtp = await speak((options.at ?? service).smtpPort);
  await smtp.read();
  await smtp.ask("EHLO x");
  await smtp.ask(`MAIL FROM:<a@example.org>${options.size ? ` SIZE=${bytes}` : ""}`);
  const replies: string[] = [];
  for (const address of [to].flat()) replies.push(await smtp.ask(`RCPT TO:<${address}>`));
  if (replies.some((reply) => reply.startsWith("250"))) {
    await smtp.ask("DATA");
    mails += 1;
    const line = `${"x".repeat(78)}\r\n`;
    smtp.write(`Subject: ${mails}\r\n\r\n${line.repeat(Math.ceil(bytes / line.length))}`);
    replies.push(await smtp.ask("."));
  }
  smtp.socket.destroy();
  return replies.map((reply) => reply.slice(0, 9).trim());
}

async function sumOfSizes(address: string): Promise<number> {
  const [row] = await service.system.sql<[{ bytes: number }]>`
    select coalesce(sum(greatest(m.size, ${SHORT})), 0)::float8 as bytes from messages m join inboxes i on i.id = m.inbox_id
    where i.address = ${address}`;
  return row.bytes;
}

describe("mail over SMTP", () => {
  test("over the quota of a mailbox is 452 4.2.2: before DATA when that is known, else after it", async () => {
    const { newInbox, storage } = await organization();
    const [full, other] = [await newInbox(), await newInbox()];
    expect(await mail(full, 90_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await mail(full, 20_000)).toEqual(["250 2.1.5", "452 4.2.2"]);
    expect(await mail(full, 20_000, { size: true })).toEqual(["452 4.2.2"]);
    // All or none while it is not known; then the others get their mail.
    expect(await mail([full, other], 20_000)).toEqual(["250 2.1.5", "250 2.1.5", "452 4.2.2"]);
    expect(await mail([full, other], 20_000, { size: true })).toEqual(["452 4.2.2", "250 2.1.5", "250 2.6.0"]);
    expect(await mail(full, 5_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await mail(full, 1)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await mail(full, 1)).toEqual(["452 4.2.2"]);
    expect(await storage(full)).toEqual({ used_bytes: await sumOfSizes(full), limit_bytes: PER_INBOX });
  });

  test("over the quota of an organization is refused for each of its mailboxes, and no others", async () => {
    const { newInbox } = await organization();
    const boxes = [await newInbox(), await newInbox(), await newInbox()] as const;
    for (const box of boxes.slice(0, 2)) expect(await mail(box, 95_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await mail([boxes[2], await newInbox()], 40_000)).toEqual(["250 2.1.5", "250 2.1.5", "452 4.2.2"]);
    expect(await mail(boxes[2], 58_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await mail(boxes[2], 1)).toEqual(["452 4.2.2"]);
    const neighbour = await organization();
    expect(await mail(await neighbour.newInbox(), 1)).toEqual(["250 2.1.5", "250 2.6.0"]);
  });

  test("that is handed over twice counts once", async () => {
    const { newInbox, storage } = await organization();
    const to = await newInbox();
    const raw = "Message-ID: <same@example.org>\r\nSubject: same\r\n\r\nHello\r\n";
    for (let n = 0; n < 3; n += 1) await service.mail({ from: "a@example.org", to, raw });
    expect((await storage(to)).used_bytes).toBe(SHORT);
  });
});

describe("the trash gives way", () => {
  const subjectsIn = async (key: string, path: string) =>
    (await client.get<Page<{ id: string; subject: string; size: number }>>(`${path}?limit=100`, { key })).body.data;

  test("to mail for a full mailbox: the oldest first, and no more than needed", async () => {
    const { key, newInbox, messages, storage } = await organization();
    const address = await newInbox();
    for (const bytes of [30_000, 30_000, 30_000]) await mail(address, bytes);
    const [third, second, first] = await messages(address);
    for (const one of [first, second]) await client.delete(`/v1/messages/${one?.id}`, { key });
    const left = async () => (await subjectsIn(key, "/v1/trash")).map(({ id }) => id);
    expect(await mail(address, 30_000, { size: true })).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await left()).toEqual([second?.id]);
    expect(await mail(address, 30_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await left()).toEqual([]);
    // Live mail does not give way.
    expect(await mail(address, 30_000)).toEqual(["250 2.1.5", "452 4.2.2"]);
    expect(await mail(address, 30_000, { size: true })).toEqual(["452 4.2.2"]);
    expect((await messages(address)).map(({ id }) => id)).toContain(third?.id);
    expect(await messages(address)).toHaveLength(3);
    expect((await storage(address)).used_bytes).toBe(await sumOfSizes(address));
  });

  test("not when all of it is not enough, and not for a mail that is only announced", async () => {
    const { key, newInbox, messages } = await organization();
    const address = await newInbox();
    for (const bytes of [20_000, 70_000]) await mail(address, bytes);
    const [, small] = await messages(address);
    await client.delete(`/v1/messages/${small?.id}`, { key });
    expect(await mail(address, 60_000)).toEqual(["250 2.1.5", "452 4.2.2"]);
    expect(await mail(address, 60_000, { size: true })).toEqual(["452 4.2.2"]);
    const smtp = await speak(service.smtpPort);
    await smtp.read();
    await smtp.ask("EHLO x");
    await smtp.ask("MAIL FROM:<a@example.org> SIZE=25000");
    expect(await smtp.ask(`RCPT TO:<${address}>`)).toMatch(/^250/);
    smtp.socket.destroy();
    expect((await subjectsIn(key, "/v1/trash")).map(({ id }) => id)).toEqual([small?.id]);
  });

  test("of the organization, when that is full, and of no other one", async () => {
    const [one, neighbour] = [await organization(), await organization()];
    const boxes = [await one.newInbox(), await one.newInbox(), await one.newInbox()] as const;
    const others = await neighbour.newInbox();
    await mail(others, 90_000);
    const [kept] = await neighbour.messages(others);
    await client.delete(`/v1/messages/${kept?.id}`, { key: neighbour.key });
    for (const box of boxes.slice(0, 2)) await mail(box, 95_000);
    await mail(boxes[2], 50_000);
    expect(await mail(boxes[2], 40_000)).toEqual(["250 2.1.5", "452 4.2.2"]);
    const [old] = await one.messages(boxes[0]);
    await client.delete(`/v1/messages/${old?.id}`, { key: one.key });
    expect(await mail(boxes[2], 40_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect(await subjectsIn(one.key, "/v1/trash")).toEqual([]);
    expect(await subjectsIn(neighbour.key, "/v1/trash")).toHaveLength(1);
  });

  test("to sent mail too", async () => {
    const { key, newInbox, messages, send } = await organization();
    const address = await newInbox();
    await mail(address, 95_000);
    const [old] = await messages(address);
    expect((await send(address, "x".repeat(20_000))).status).toBe(409);
    await client.delete(`/v1/messages/${old?.id}`, { key });
    const results = await Promise.all([1, 2].map((n) => send(address, `${n}`.repeat(20_000))));
    expect(results.map(({ status }) => status)).toEqual([202, 202]);
    expect(await subjectsIn(key, "/v1/trash")).toEqual([]);
  });

  test("to mails that arrive at the same time in two processes: all of them fit", async () => {
    const { key, newInbox, messages, storage } = await organization();
    const address = await newInbox();
    for (let n = 0; n < 9; n += 1) await mail(address, 10_000);
    const all = await messages(address);
    for (const { id } of all) await client.delete(`/v1/messages/${id}`, { key });
    const arriving = Array.from({ length: 6 }, (_, n) => mail(address, 10_000, { at: n % 2 ? second : service }));
    expect(await Promise.all(arriving)).toEqual(arriving.map(() => ["250 2.1.5", "250 2.6.0"]));
    expect(await messages(address)).toHaveLength(6);
    const trash = await subjectsIn(key, "/v1/trash");
    const kept = trash.reduce((sum, { size }) => sum + Math.max(size, SHORT), 0);
    expect((await storage(address)).used_bytes).toBe((await sumOfSizes(address)) + kept);
    expect(trash.length).toBeGreaterThan(0);
  });

  test("when it has many small messages, call by call", async () => {
    const { key, newInbox, storage, organizationId } = await organization();
    const address = await newInbox();
    await mail(address, 50_000);
    const { data } = (await client.get<Page<{ id: string }>>(`${inboxPath(address)}/messages`, { key })).body;
    await client.delete(`/v1/messages/${data[0]?.id}`, { key });
    const { sql } = service.system;
    const id = decodeId("org", organizationId) ?? "";
    // Rows as they are after thousands of short mails, in place of one.
    await sql`update trashed_messages set size = 1 where organization_id = ${id}`;
    const names = (
      await sql<{ column_name: string }[]>`select column_name from information_schema.columns
      where table_name = 'trashed_messages' and column_name not in ('id', 'trash_id')`
    ).map((row) => row.column_name);
    const columns = names.map((name) => `"${name}"`).join(", ");
    await sql.unsafe(
      `insert into trashed_messages (id, trash_id, ${columns})
        select gen_random_uuid(), gen_random_uuid(), ${columns} from trashed_messages, generate_series(1, 450)
        where organization_id = $1`,
      [id],
    );
    await sql`update storage_usage set bytes = 90000 where organization_id = ${id}`;
    expect(await mail(address, 60_000, { size: true })).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect((await storage(address)).used_bytes).toBeLessThan(PER_INBOX);
  });
});

describe("mail out", () => {
  test("over the quota is 409 storage_quota_exceeded, and nothing is queued", async () => {
    const { newInbox, send, messages, storage } = await organization();
    const from = await newInbox();
    expect((await send(from, "x".repeat(90_000))).status).toBe(202);
    const refused = await send(from, "x".repeat(20_000));
    expect([refused.status, refused.body.error.code]).toEqual([409, "storage_quota_exceeded"]);
    expect(await messages(from)).toHaveLength(1);
    expect((await storage(from)).used_bytes).toBe(90_000);
  });

  test("to a full mailbox of this service is refused there", async () => {
    const { newInbox, send, messages, key } = await organization();
    const [from, to] = [await newInbox(), await newInbox()];
    await mail(to, 97_000);
    const { body } = await send(from, "Hello", to);
    await eventually(async () => {
      const answer = await client.get<{ status: string; error: string }>(`/v1/messages/${body.id}`, { key });
      expect(answer.body).toMatchObject({ status: "bounced", error: expect.stringContaining("552 5.2.2") });
    });
    expect(await messages(to)).toHaveLength(1);
  });
});

describe("what was stored is given back", () => {
  test("by deleting messages and threads", async () => {
    const { key, newInbox, messages, storage } = await organization();
    const address = await newInbox();
    for (const bytes of [50_000, 40_000]) await mail(address, bytes);
    expect(await mail(address, 30_000)).toEqual(["250 2.1.5", "452 4.2.2"]);
    const [newest, oldest] = await messages(address);
    expect((await client.delete(`/v1/messages/${newest?.id}?permanent=true`, { key })).status).toBe(200);
    expect(await mail(address, 30_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
    expect((await client.delete(`/v1/threads/${oldest?.thread_id}?permanent=true`, { key })).status).toBe(200);
    expect((await storage(address)).used_bytes).toBe(await sumOfSizes(address));
    expect(await mail(address, 60_000)).toEqual(["250 2.1.5", "250 2.6.0"]);
  });

  test("by deleting a mailbox, once its mail is erased", async () => {
    const { key, newInbox } = await organization();
    const boxes = [await newInbox(), await newInbox(), await newInbox()] as const;
    for (const box of boxes.slice(0, 2)) await mail(box, 95_000);
    expect(await mail(boxes[2], 95_000)).toEqual(["250 2.1.5", "452 4.2.2"]);
    await client.delete(inboxPath(boxes[0]), { key });
    await eventually(async () => expect((await mail(boxes[2], 95_000)).at(-1)).toBe("250 2.6.0"));
  });
});

describe("at once", () => {
  test("two processes stay within the quota, and the count is exact", async () => {
    const { newInbox, storage, send, messages } = await organization();
    const address = await newInbox();
    const at = [service, second];
    const replies = await Promise.all(
      Array.from({ length: 40 }, async (_, n) => (await mail(address, 9_000, { at: at[n % 2] as TestService })).at(-1)),
    );
    expect(new Set(replies)).toEqual(new Set(["250 2.6.0", "452 4.2.2"]));
    const { used_bytes } = await storage(address);
    expect(used_bytes).toBeLessThanOrEqual(PER_INBOX);
    expect(used_bytes).toBeGreaterThan(PER_INBOX - 10_000);
    expect(used_bytes).toBe(await sumOfSizes(address));
    expect(replies.filter((reply) => reply === "250 2.6.0")).toHaveLength((await messages(address)).length);
    expect((await send(address, "x".repeat(10_000))).status).toBe(409);
  });

  test("mail in, mail out and deletes do not block each other", async () => {
    const { key, newInbox, storage, send, messages } = await organization();
    const boxes = [await newInbox(), await newInbox(), await newInbox()];
    for (const box of boxes) for (let n = 0; n < 4; n += 1) await mail(box, 1_000);
    const listed = (await Promise.all(boxes.map(messages))).flat();
    const statuses = await Promise.all([
      ...listed.map(async ({ id }) => (await client.delete(`/v1/messages/${id}?permanent=true`, { key })).status),
      ...boxes.map(async (box) => (await send(box, "Hello", "a@example.org")).status),
      ...Array.from({ length: 12 }, async (_, n) => {
        const to = n % 2 ? boxes : boxes.toReversed();
        return (await mail(to, 500, { at: n % 2 ? service : second })).at(-1);
      }),
    ]);
    expect(new Set(statuses)).toEqual(new Set([200, 202, "250 2.6.0"]));
    for (const box of boxes) expect((await storage(box)).used_bytes).toBe(await sumOfSizes(box));
  });
});

describe("operators and members", () => {
  test("storage recount sets counters right", async () => {
    const { newInbox, storage, organizationId } = await organization();
    const address = await newInbox();
    await mail(address, 30_000);
    const before = await storage(address);
    const organization_id = decodeId("org", organizationId) ?? "";
    await service.system.sql`update storage_usage set bytes = 99_999 where organization_id = ${organization_id}`;
    const env = { ...process.env, DATABASE_URL: service.database.url, DATA_DIR: service.settings.DATA_DIR };
    const child = spawn(process.execPath, [...PRELOAD, "server/admin.ts", "storage", "recount", "--json"], { env });
    const [output] = await once(child.stdout, "data");
    await once(child, "close");
    expect(JSON.parse(String(output))).toEqual({ mailboxes: expect.any(Number), bytes: expect.any(Number) });
    expect(await storage(address)).toEqual(before);
    const rows = await service.system.sql<{ bytes: string }[]>`
      select bytes from storage_usage where organization_id = ${organization_id}`;
    expect(rows.map(({ bytes }) => Number(bytes))).toEqual([before.used_bytes, before.used_bytes]);
  });

  test("a mailbox over 90% is a problem in the overview and in the table of mailboxes, and a grave one when nothing can give way", async () => {
    const { newInbox, organizationId } = await organization();
    const address = await newInbox();
    await mail(address, 92_000);
    const { trpc } = await newOwner(service, organizationId);
    expect((await trpc.overview.get.query()).problems).toEqual([
      expect.objectContaining({
        severity: "warning",
        text: expect.stringMatching(`^${address} uses 92% of its storage quota`),
        where: { kind: "storage", id: address },
      }),
    ]);
    const state = async () => (await trpc.inboxes.summaries.query({ addr: address })).data[0]?.storage;
    expect(await state()).toBe("nearly");
    await mail(address, 5_000);
    expect((await trpc.overview.get.query()).problems).toEqual([
      expect.objectContaining({ severity: "critical", text: expect.stringMatching(`^${address} is full`) }),
    ]);
    expect(await state()).toBe("full");
    // Deleted mail gives way to new mail, so that the mailbox takes some again.
    const { data } = await trpc.messages.list.query({ addr: address });
    await trpc.messages.remove.mutate({ id: data[0]?.id ?? "" });
    expect((await trpc.overview.get.query()).problems).toEqual([expect.objectContaining({ severity: "warning" })]);
    expect(await state()).toBe("nearly");
  });
});
