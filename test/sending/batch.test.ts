// Sends that arrive together share a transaction, and each gets the answer that it would get alone.

import { afterAll, describe, expect, test } from "vitest";
import { connect } from "#db/client.ts";
import { EVERY_INBOX } from "#db/conditions.ts";
import { type Answer, api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const CAP = 30;
const AT_ONCE = 60;
const QUOTA_BYTES = 40 * 4_096;
const service = await startTestService({
  ROLES: "web,smtp",
  SEND_CAP_RAMP: `${CAP}`,
  STORAGE_QUOTA_PER_INBOX: `${QUOTA_BYTES}`,
});
const client = api(service);
const sql = connect(service.database.url, { max: 1 });
afterAll(async () => {
  await sql.end();
  await client.close();
  await service.stop();
});

type Sending = Answer<Sent & Failure>;

async function newOrganization() {
  const { agentKey: key } = await service.newOrganization();
  const newBox = async () => {
    const { address } = await client.createInbox(key);
    const send = (json: object = {}) =>
      client.post<Sent & Failure>(inboxPath(address, "/send"), { to: "a@else.example", text: "x", ...json }, { key });
    const stored = async () =>
      (await client.get<Page<object>>(inboxPath(address, "/messages?limit=100"), { key })).body.data.length;
    const used = async () => (await client.get<{ used: number }>(inboxPath(address, "/send-limit"), { key })).body.used;
    return { address, send, stored, used };
  };
  // The first message of an organization on a day is queued alone.
  expect((await (await newBox()).send()).status).toBe(202);
  return { key, newBox };
}

const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
const outcomeOf = ({ status, body }: Sending) => [status, body.error?.code].filter(Boolean).join(" ");

describe("sends that arrive together", () => {
  test("share transactions, over mailboxes and organizations", async () => {
    const organizations = await Promise.all(many(3, newOrganization));
    const boxes = await Promise.all(organizations.flatMap(({ newBox }) => [newBox(), newBox()]));
    const answers = await Promise.all(many(AT_ONCE, (n) => boxes[n % boxes.length]?.send({ subject: `${n}` })));
    expect(new Set(answers.map((answer) => answer?.status))).toEqual(new Set([202]));
    const [row] = await sql<[{ transactions: number }]>`
      select count(distinct xmin::text)::int as transactions from messages
      where direction = 'outbound' and subject <> ''`;
    expect(row.transactions).toBeLessThan(AT_ONCE);
    for (const { stored, used } of boxes) {
      expect([await stored(), await used()]).toEqual([AT_ONCE / boxes.length, AT_ONCE / boxes.length]);
    }
    const counted = await sql<{ messages: number; boxes: number }[]>`
      select whole.bytes::int / 4096 as messages, count(*)::int as boxes
      from storage_usage whole join inboxes i using (organization_id) join storage_usage one on one.inbox_id = i.id
      where whole.inbox_id = ${EVERY_INBOX} and one.bytes * 2 + 4096 = whole.bytes group by whole.organization_id, whole.bytes`;
    const ofEach = { messages: AT_ONCE / organizations.length + 1, boxes: 2 };
    expect(counted).toEqual(organizations.map(() => ofEach));
  });

  test("a refused one has its own error, and the others are queued", async () => {
    const { key, newBox } = await newOrganization();
    await client.post("/v1/suppressions", { address: "gone@else.example" }, { key });
    const boxes = await Promise.all(many(4, newBox));
    const recipients = ["a@else.example", "gone@else.example", "b@else.example"];
    const answers = await Promise.all(
      many(
        AT_ONCE,
        (n) => boxes[n % boxes.length]?.send({ to: recipients[n % recipients.length] }) as Promise<Sending>,
      ),
    );
    const expected = many(AT_ONCE, (n) => (n % recipients.length === 1 ? "422 recipient_suppressed" : "202"));
    expect(answers.map(outcomeOf)).toEqual(expected);
    const used = await Promise.all(boxes.map((box) => box.used()));
    expect(used.reduce((sum, each) => sum + each)).toBe(expected.filter((each) => each === "202").length);
  });

  test("a mailbox at its cap, or full, refuses its own only", async () => {
    const { newBox } = await newOrganization();
    const [full, capped, free] = await Promise.all([newBox(), newBox(), newBox()]);
    const large = { text: "x".repeat(QUOTA_BYTES / 4) };
    const answers = await Promise.all(
      many(
        CAP,
        () => [full?.send(large), capped?.send({ cc: "b@else.example" }), free?.send()] as Promise<Sending>[],
      ).flat(),
    );
    const tally = (place: number, outcome: string) =>
      answers.filter((answer, n) => n % 3 === place && outcomeOf(answer) === outcome).length;
    expect([tally(0, "202"), tally(0, "409 storage_quota_exceeded")]).toEqual([4, CAP - 4]);
    expect([tally(1, "202"), tally(1, "429 daily_send_cap_exceeded")]).toEqual([CAP / 2, CAP / 2]);
    expect(tally(2, "202")).toBe(CAP);
    expect([await full?.used(), await capped?.used(), await free?.used()]).toEqual([4, CAP, CAP]);
  });

  test("one idempotency key is one message beside others", async () => {
    const { newBox } = await newOrganization();
    const box = await newBox();
    const answers = await Promise.all(
      many(AT_ONCE, (n) =>
        box.send(n % 2 === 0 ? { idempotency_key: "k" } : { idempotency_key: `${n % 20}`, subject: `${n % 20}` }),
      ),
    );
    const ids = new Set(answers.flatMap(({ status, body }) => (status === 202 ? [body.id] : [])));
    expect(ids.size).toBe(11);
    expect([await box.stored(), await box.used()]).toEqual([11, 11]);
  });

  test("what members must approve waits, and the rest leaves", async () => {
    const { key, newBox } = await newOrganization();
    const [held, open] = [await newBox(), await newBox()];
    await sql`
      insert into review_policies (organization_id, inbox_id, review)
      select organization_id, id, 'all' from inboxes where address = ${held.address}`;
    const answers = await Promise.all(many(20, (n) => (n % 2 === 0 ? held : open).send()));
    expect(answers.map(({ body }) => body.status)).toEqual(many(20, (n) => (n % 2 === 0 ? "held" : "queued")));
    expect(key).not.toBe("");
  });
});
