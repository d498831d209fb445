// Mail taken in: what is stored of it, in whose mailbox, in which thread, once or again, and what it owes to webhooks.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import {
  addMailbox,
  addWebhook,
  emptyTables,
  type Inbound,
  mailOf,
  openInbound,
  receive,
  stored,
} from "../support/inbound.ts";

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

describe("a mail", () => {
  test("is stored with its envelope, its summary and its exact bytes", async () => {
    const { address } = await addMailbox(inbound);
    const raw = mailOf(
      [
        "From: =?utf-8?q?J=C3=BCrgen?= <j@example.org>",
        `To: "Bot" <${address}>`,
        "Subject: =?utf-8?b?SGVsbG8gd8O2cmxk?=",
        "Message-ID: <one@example.org>",
      ],
      "Héllo \u0001 \r\n",
    );
    const outcome = await receive(inbound, { recipients: [address.replace("@", "+tag@").toUpperCase()], raw });
    const [row] = await stored(inbound);
    expect(outcome).toMatchObject({ outcome: "stored", ids: [row?.id] });
    expect(row).toMatchObject({
      status: "received",
      from_address: "j@example.org",
      from_name: "Jürgen",
      to_addresses: [address],
      subject: "Hello wörld",
      rfc_message_id: "one@example.org",
      size: Buffer.byteLength(raw),
      envelope_from: "sender@example.org",
      envelope_to: address.replace("@", "+tag@").toUpperCase(),
      remote_ip: "192.0.2.1",
      helo: "mx.example.org",
      created_at: clock,
    });
    expect(row?.bytes.equals(Buffer.from(raw))).toBe(true);
  });

  test.each([
    ["plain ASCII", Buffer.from(mailOf(["Subject: a"], "line\r\n".repeat(2_000)))],
    [
      "every octet there is",
      Buffer.concat([Buffer.from("Subject: b\r\n\r\n"), Buffer.from(Array.from(Array(256).keys()))]),
    ],
    ["NUL alone", Buffer.from("Subject: c\0d\r\nFrom: a\0b@example.org\r\n\r\nx\0y")],
    ["half surrogates in UTF-8", Buffer.from("Subject: \xed\xa0\x80\r\n\r\n", "latin1")],
    ["nothing", Buffer.alloc(0)],
    ["no header block", Buffer.from("\r\njust text\r\n")],
    ["no body", Buffer.from("Subject: x")],
    [
      "a long Message-ID",
      Buffer.from(`Message-ID: <${"x".repeat(5_000)}@example.org>\r\nFrom: ${"f".repeat(5_000)}@x.org\r\n\r\n`),
    ],
    ["backslashes and quotes", Buffer.from('Subject: \\x41 "\'{},\r\n\r\n\\\\x\\0\\"\r\n')],
  ])("comes back octet by octet: %s", async (_name, raw) => {
    const { address } = await addMailbox(inbound);
    await receive(inbound, { recipients: [address], raw });
    const [row] = await stored(inbound);
    expect(row?.bytes.equals(raw)).toBe(true);
  });

  test("without a From is from its envelope sender, and has no sender if that is null", async () => {
    const { address } = await addMailbox(inbound);
    const from = async (headers: string[], envelopeFrom: string) => {
      await receive(inbound, { recipients: [address], raw: mailOf(headers), envelopeFrom });
      return (await stored(inbound)).at(-1)?.from_address;
    };
    expect(await from(["Subject: x"], "bounce@example.org")).toBe("bounce@example.org");
    expect(await from(["From: nobody at all"], "bounce@example.org")).toBe("bounce@example.org");
    expect(await from(["Subject: x"], "")).toBe("");
    expect(await from(["From: a@example.org, b@example.org", "From: c@example.org"], "x@y.z")).toBe("a@example.org");
  });

  test("for two plus-tags of one mailbox is one message, for two mailboxes two", async () => {
    const a = await addMailbox(inbound);
    const b = await addMailbox(inbound);
    const recipients = [a.address.replace("@", "+1@"), b.address, a.address.replace("@", "+2@")];
    await receive(inbound, { recipients, raw: mailOf(["Subject: x"]) });
    expect((await stored(inbound)).map((row) => [row.inbox_id, row.envelope_to])).toEqual([
      [a.id, recipients[0]],
      [b.id, recipients[1]],
    ]);
  });

  test("for a mailbox that does not exist is not stored", async () => {
    const { address } = await addMailbox(inbound);
    for (const unknown of ["gone@mail.localhost", "not an address", "@"]) {
      const outcome = await receive(inbound, { recipients: [address, unknown], raw: mailOf(["Subject: x"]) });
      expect(outcome).toEqual({ outcome: "unknown_recipient", address: unknown });
    }
    expect(await stored(inbound)).toEqual([]);
    expect(await inbound.ctx.sql`select * from events`).toHaveLength(0);
  });

  test("that was handed on more than fifty times is a loop", async () => {
    const { address } = await addMailbox(inbound);
    const hops = (count: number) => mailOf(Array.from({ length: count }, (_, i) => `Received: from hop${i}`));
    expect(await receive(inbound, { recipients: [address], raw: hops(51) })).toEqual({ outcome: "looping" });
    expect(await receive(inbound, { recipients: [address], raw: hops(50) })).toMatchObject({ outcome: "stored" });
  });
});

describe("the event and its deliveries", () => {
  test("are rows of the same transaction, in the exact form of the specification", async () => {
    const { id, address } = await addMailbox(inbound);
    const other = await addMailbox(inbound);
    const hooks = [await addWebhook(inbound, id), await addWebhook(inbound, null)];
    await addWebhook(inbound, other.id);
    await addWebhook(inbound, id, false);
    await receive(inbound, { recipients: [address], raw: mailOf(["From: a@example.org", 'Subject: "quoted" ü']) });
    const [row] = await stored(inbound);
    const events = await inbound.ctx.sql`select * from events`;
    const deliveries = await inbound.ctx.sql`select * from deliveries order by webhook_id`;
    expect(events).toMatchObject([{ kind: "message.received", inbox_id: id, message_id: row?.id }]);
    expect(events[0]?.body).toBe(
      `{"event":"message.received","inbox":"${address}","message":{"id":"${encodeId("msg", row?.id ?? "")}",` +
        `"thread_id":"${encodeId("thr", row?.thread_id ?? "")}","from":"a@example.org","subject":"\\"quoted\\" ü",` +
        `"received_at":"2026-11-20T09:30:00.123Z"}}`,
    );
    expect(deliveries.map((each) => each.webhook_id)).toEqual(hooks.sort());
    expect(deliveries).toMatchObject(hooks.map(() => ({ status: "pending", attempts: 0, event_id: events[0]?.id })));
    // This process has no worker, so any other may lease them immediately.
    expect(deliveries.every((each) => each.next_attempt_at.getTime() === clock.getTime())).toBe(true);
  });

  test("are leased to this process as far as its dispatcher has room", async () => {
    const { id, address } = await addMailbox(inbound);
    await addWebhook(inbound, id);
    await addWebhook(inbound, null);
    const taken: { id: string; body: string; secret: Buffer; webhook_id: string }[] = [];
    const { dispatcher } = inbound.ctx;
    const [room, take] = [dispatcher.room, dispatcher.take];
    dispatcher.room = () => 1;
    dispatcher.take = (deliveries) => void taken.push(...deliveries);
    try {
      await receive(inbound, { recipients: [address], raw: mailOf(["Subject: x"]) });
    } finally {
      Object.assign(dispatcher, { room, take });
    }
    const deliveries = await inbound.ctx.sql`select * from deliveries order by next_attempt_at`;
    const [event] = await inbound.ctx.sql`select * from events`;
    expect(deliveries.map((each) => each.next_attempt_at.getTime() - clock.getTime())).toEqual([0, 60_000]);
    expect(taken).toMatchObject([{ id: deliveries[1]?.id, body: event?.body, attempts: 0 }]);
    expect(inbound.ctx.secrets.open(taken[0]?.secret as Buffer, taken[0]?.webhook_id as string)).toBe("whsec_test");
  });
});

describe("a thread", () => {
  const headers = (id: string, more: string[] = []) => mailOf([`Message-ID: <${id}>`, `Subject: ${id}`, ...more]);
  const threadOf = async (address: string, raw: string) => {
    const outcome = await receive(inbound, { recipients: [address], raw });
    const ids = outcome.outcome === "stored" ? outcome.ids : [];
    return (await stored(inbound)).find((row) => row.id === ids[0])?.thread_id;
  };

  test("is joined through References or In-Reply-To; the latest that is known wins", async () => {
    const { address } = await addMailbox(inbound);
    const a = await threadOf(address, headers("a@x"));
    const b = await threadOf(address, headers("b@x"));
    expect(a).not.toBe(b);
    expect(await threadOf(address, headers("c@x", ["References: <a@x> <b@x>\r\n\t<unknown@x>"]))).toBe(b);
    expect(await threadOf(address, headers("d@x", ["In-Reply-To: <a@x>"]))).toBe(a);
    expect(await threadOf(address, headers("e@x", ["In-Reply-To: <b@x>", "References: <a@x>"]))).toBe(b);
    expect(await threadOf(address, headers("f@x", ["References: <d@x>"]))).toBe(a);
    expect(await inbound.ctx.sql`select * from threads`).toHaveLength(2);
  });

  test("is of one mailbox", async () => {
    const one = await addMailbox(inbound);
    const two = await addMailbox(inbound);
    const a = await threadOf(one.address, headers("a@x"));
    expect(await threadOf(two.address, headers("b@x", ["In-Reply-To: <a@x>"]))).not.toBe(a);
  });

  test("is joined by mails of one batch too", async () => {
    const { address } = await addMailbox(inbound);
    const replies = Array.from({ length: 5 }, (_, i) =>
      headers(`r${i}@x`, [`In-Reply-To: <${i ? `r${i - 1}` : "a"}@x>`]),
    );
    await Promise.all([headers("a@x"), ...replies].map((raw) => receive(inbound, { recipients: [address], raw })));
    expect(new Set((await stored(inbound)).map((row) => row.thread_id)).size).toBe(1);
  });

  test("that a sent message began is joined by the answer", async () => {
    const { id, address } = await addMailbox(inbound);
    const thread = await threadOf(address, headers("a@x"));
    await inbound.ctx.sql`update messages set direction = 'outbound', rfc_message_id = 'sent@x' where inbox_id = ${id}`;
    expect(await threadOf(address, headers("b@x", ["In-Reply-To: <sent@x>"]))).toBe(thread);
  });
});
