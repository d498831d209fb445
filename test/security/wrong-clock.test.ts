// A clock that was a month ahead and was corrected: mail accepted before is delivered, sent and parsed, and lists,
// waits and cursors continue.
import { afterAll, beforeAll, expect, test } from "vitest";
import { newId } from "#server/base/ids.ts";
import { type Api, api, type Inbox, type Page, type Sent } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { adjustableClock, startTestService, type TestService } from "#test/support/service.ts";
import { type Receiver, startReceiver } from "#test/webhooks/delivery/receiver.ts";

const MONTH_MS = 30 * 86_400_000;
const POLL = { interval: 50 };

const clock = adjustableClock();
let front: TestService;
let worker: TestService | undefined;
let receiver: Receiver;
let client: Api;
beforeAll(async () => {
  receiver = await startReceiver();
  // Accepts, and has no worker: that one starts when the clock is right.
  front = await startTestService({ ROLES: "web,smtp" }, { now: clock.now });
  client = api(front);
});
afterAll(async () => {
  await client?.close();
  await worker?.stop();
  await front?.stop();
  await receiver?.close();
});

type Event = { id: string; event: string; message: { id: string; subject: string } };

test("what was scheduled in the far future is found again", async () => {
  const { sql } = front.system;
  const { agentKey: key } = await front.newOrganization();
  const { address } = (await client.post<Inbox>("/v1/inboxes", { inbound_webhook_url: receiver.url }, { key })).body;
  clock.advance(MONTH_MS);
  await front.mail({ from: "a@sender.example", to: address, subject: "from the future", text: "Code 123456" });
  const { id } = (await client.post<Sent>(`/v1/inboxes/${address}/send`, { to: "x@else.example", text: "x" }, { key }))
    .body;
  const row = { id: newId(), organization_id: newId(), to_address: "o@else.example", subject: "s", text: "t" };
  await sql`insert into notices ${sql({ ...row, next_attempt_at: clock.now(), created_at: clock.now() })}`;
  await sql`update inboxes set identity_status = 'opening', identity_next_attempt_at = ${clock.now()}`;
  clock.advance(-MONTH_MS);

  worker = await startTestService({ ROLES: "worker" }, { database: front.database, now: clock.now });
  await expect.poll(() => receiver.received.length, POLL).toBe(1);
  const message = async () => (await client.get<{ status: string }>(`/v1/messages/${id}`, { key })).body.status;
  await expect.poll(message, POLL).toBe("captured");
  const states = async () =>
    (
      await sql`
        select (select status from deliveries) as delivery,
          (select status from messages where direction = 'inbound') as mail,
          (select sent_at is not null from notices) as notice, (select identity_status from inboxes) as identity`
    )[0];
  await expect.poll(states, POLL).toEqual({ delivery: "succeeded", mail: "parsed", notice: true, identity: "open" });

  // Positions order events, not times: a wait and a cursor after the future event see what comes now.
  const log = () => client.get<Page<Event>>("/v1/events", { key });
  const [future] = reportedOf((await log()).body.data);
  await front.mail({ from: "a@sender.example", to: address, subject: "from now" });
  const waited = await client.post<{ message: { subject: string } }>(
    `/v1/inboxes/${address}/wait`,
    { after: future?.message.id, timeout_seconds: 20 },
    { key },
  );
  expect([waited.status, waited.body.message?.subject]).toEqual([200, "from now"]);
  const { data } = (await log()).body;
  expect(data.map((each) => each.message.subject).sort()).toEqual(["from now", "from the future"]);
  await expect.poll(() => receiver.received.length, POLL).toBe(2);
  // Each mail is on one page.
  type Listed = Page<{ subject: string }>;
  const first = (await client.get<Listed>(`/v1/inboxes/${address}/messages?limit=1&direction=inbound`, { key })).body;
  const rest = await client.get<Listed>(
    `/v1/inboxes/${address}/messages?limit=5&direction=inbound&cursor=${first.next_cursor}`,
    { key },
  );
  expect([...first.data, ...rest.body.data].map(({ subject }) => subject).sort()).toEqual([
    "from now",
    "from the future",
  ]);
});
