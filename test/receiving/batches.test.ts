// Batches: many concurrent mails, duplicates, and mail for a mailbox that is being deleted.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { checkRecipient } from "#server/receiving/recipients.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { eventually } from "../support/events.ts";
import { addMailbox, emptyTables, type Inbound, mailOf, openInbound, receive, stored } from "../support/inbound.ts";

const HOUR_MS = 3_600_000;
let inbound: Inbound;
let clock = new Date("2026-11-20T09:30:00.123Z");

beforeAll(async () => {
  inbound = await openInbound({ now: () => clock });
});
beforeEach(async () => {
  clock = new Date("2026-11-20T09:30:00.123Z");
  await emptyTables(inbound, "messages", "raw_messages", "events", "deliveries", "threads", "webhooks", "inboxes");
});
afterAll(() => inbound.close());

describe("the same mail again", () => {
  const raw = (id: string | undefined, body = "Hello\r\n") =>
    mailOf([`Received: by hop ${Math.random()}`, "Subject: x", ...(id ? [`Message-ID: <${id}>`] : [])], body);

  test("is stored once per mailbox, and answered with the same id", async () => {
    const a = await addMailbox(inbound);
    const b = await addMailbox(inbound);
    const first = await receive(inbound, { recipients: [a.address], raw: raw("same@x") });
    expect(await receive(inbound, { recipients: [a.address], raw: raw("same@x") })).toEqual(first);
    await receive(inbound, { recipients: [a.address, b.address], raw: raw("same@x") });
    expect((await stored(inbound)).map((row) => row.inbox_id)).toEqual([a.id, b.id]);
    expect(await inbound.ctx.sql`select * from events`).toHaveLength(2);
  });

  test("at the same moment too", async () => {
    const { address } = await addMailbox(inbound);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => receive(inbound, { recipients: [address], raw: raw("same@x") })),
    );
    const rows = await stored(inbound);
    expect(rows).toHaveLength(1);
    expect(outcomes).toMatchObject(outcomes.map(() => ({ outcome: "stored", ids: [rows[0]?.id] })));
  });

  test("another sender, body or Message-ID, or no Message-ID, makes it another mail", async () => {
    const { address } = await addMailbox(inbound);
    const recipients = [address];
    await receive(inbound, { recipients, raw: raw("same@x") });
    await receive(inbound, { recipients, raw: raw("same@x"), envelopeFrom: "else@example.org" });
    await receive(inbound, { recipients, raw: raw("same@x", "Bye\r\n") });
    await receive(inbound, { recipients, raw: raw("other@x") });
    await receive(inbound, { recipients, raw: raw(undefined) });
    await receive(inbound, { recipients, raw: raw(undefined) });
    expect(await stored(inbound)).toHaveLength(6);
  });

  test("after 72 hours is a new mail, and known again from then on", async () => {
    const { address } = await addMailbox(inbound);
    const send = () => receive(inbound, { recipients: [address], raw: raw("same@x", "x".repeat(400_000)) });
    await send();
    clock = new Date(clock.getTime() + 72 * HOUR_MS - 1);
    await send();
    expect(await stored(inbound)).toHaveLength(1);
    clock = new Date(clock.getTime() + 1);
    await send();
    clock = new Date(clock.getTime() + 71 * HOUR_MS);
    await send();
    expect(await stored(inbound)).toHaveLength(2);
  });
});

describe("many concurrent mails", () => {
  test("share transactions", async () => {
    const boxes = await Promise.all(Array.from({ length: 10 }, () => addMailbox(inbound)));
    await inbound.ctx.sql`select pg_stat_clear_snapshot()`;
    const mails = Array.from({ length: 200 }, (_, i) =>
      mailOf([`Message-ID: <${i}@x>`, `Subject: ${i}`], `Body ${i}\r\n`),
    );
    await Promise.all(mails.map((raw, i) => receive(inbound, { recipients: [boxes[i % 10]?.address as string], raw })));
    const rows = await inbound.ctx.sql`
      select count(*)::int as mails, count(distinct xmin::text)::int as transactions from messages`;
    expect(rows).toEqual([{ mails: 200, transactions: 4 }]);
    for (const row of await stored(inbound)) expect(row.bytes.toString()).toBe(mails[Number(row.subject)]);
  });

  test("join the threads of their own mailbox only, in one batch as one after the other", async () => {
    const [a, b] = [await addMailbox(inbound), await addMailbox(inbound)];
    const send = (address: string, id: string, more: string[] = []) =>
      receive(inbound, { recipients: [address], raw: mailOf([`Subject: ${id}`, `Message-ID: <${id}@x>`, ...more]) });
    const answer = ["References: <first@x>", "In-Reply-To: <first@x>"];
    const threads = async () =>
      Object.fromEntries((await stored(inbound)).map((row) => [`${row.subject} ${row.inbox_id}`, row.thread_id]));
    await Promise.all([send(a.address, "first"), send(b.address, "stray", answer), send(a.address, "second", answer)]);
    const [batch] = await inbound.ctx.sql`select count(distinct xmin::text)::int as transactions from messages`;
    expect(batch).toEqual({ transactions: 1 });
    await send(b.address, "later", answer);
    const rows = await threads();
    expect(rows[`second ${a.id}`]).toBe(rows[`first ${a.id}`]);
    expect(rows[`stray ${b.id}`]).not.toBe(rows[`first ${a.id}`]);
    expect(rows[`later ${b.id}`]).not.toBe(rows[`first ${a.id}`]);
  });

  test("one that cannot be stored leaves the others alone", async () => {
    const good = await addMailbox(inbound);
    const bad = await addMailbox(inbound);
    await inbound.ctx.sql.unsafe(`create function refuse() returns trigger language plpgsql as
      $$ begin if new.subject = 'poison' then raise exception 'no' using errcode = '22000'; end if; return new; end $$`);
    await inbound.ctx.sql`create trigger refuse before insert on messages for each row execute function refuse()`;
    const send = (address: string, subject: string) =>
      receive(inbound, { recipients: [address], raw: mailOf([`Subject: ${subject}`]) });
    const outcomes = await Promise.allSettled([
      send(good.address, "1"),
      send(bad.address, "poison"),
      send(good.address, "2"),
    ]);
    await inbound.ctx.sql`drop trigger refuse on messages`;
    expect(outcomes.map((each) => each.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect((await stored(inbound)).map((row) => row.subject)).toEqual(["1", "2"]);
  });
});

describe("a mailbox that is being deleted", () => {
  test("gets no mail once its deletion has committed, and mail before that waits for it", async () => {
    const { id, address } = await addMailbox(inbound);
    expect(await checkRecipient(inbound.ctx, address, 0)).toBe("ready");
    const outcome = await inbound.ctx.sql.begin(async (tx) => {
      await tx`update inboxes set status = 'deleted' where id = ${id}`;
      const waiting = receive(inbound, { recipients: [address], raw: mailOf(["Subject: late"]) });
      // It waits for the lock that the deletion holds.
      await eventually(async () => expect(await waitingForLocks(inbound.ctx.sql)).toBe(1));
      return { waiting };
    });
    expect(await outcome.waiting).toEqual({ outcome: "unknown_recipient", address });
    expect(await stored(inbound)).toEqual([]);
    expect(await checkRecipient(inbound.ctx, address, 0)).toBe("unknown");
  });

  test("that was just created is found immediately, after an earlier lookup failed", async () => {
    const address = "soon@mail.localhost";
    expect(await checkRecipient(inbound.ctx, address, 0)).toBe("unknown");
    await addMailbox(inbound, address);
    expect(await checkRecipient(inbound.ctx, "SOON+x@MAIL.localhost", 0)).toBe("ready");
  });
});

test("mails to many mailboxes share no transaction: no batch has more than 128 mailboxes", async () => {
  const boxes: string[] = [];
  for (let n = 0; n < 60; n += 1) boxes.push((await addMailbox(inbound)).address);
  const send = (n: number, recipients: string[]) =>
    receive(inbound, { recipients, raw: mailOf([`Subject: ${n}`, `Message-ID: <${n}@many>`]) });
  const outcomes = await Promise.all([
    ...Array.from({ length: 6 }, (_, n) => send(n, boxes)),
    ...boxes.map((address, n) => send(100 + n, [address])),
  ]);
  expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(66).fill("stored"));
  const sizes = await inbound.ctx.sql<
    { rows: number }[]
  >`select count(*)::int as rows from messages group by xmin::text`;
  expect(Math.max(...sizes.map(({ rows }) => rows))).toBeLessThanOrEqual(128);
  expect(Math.max(...sizes.map(({ rows }) => rows))).toBeGreaterThan(60);
});
