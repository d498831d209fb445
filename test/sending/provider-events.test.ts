// What Resend reports about sent mail: who may report it, and what follows for the recipient.
import { afterAll, describe, expect, test } from "vitest";
import { encodeId } from "#server/base/ids.ts";
import { pruneProviderEvents } from "#server/receiving/provider/event-ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually, reportedOf } from "#test/support/events.ts";
import { startResendDouble } from "#test/support/resend-double.ts";
import { EVENTS_PATH, type Posted, postEvent, WEBHOOK_SECRET } from "#test/support/resend-events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

const ADA = "ada@elsewhere.example";
const BOB = "bob@elsewhere.example";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const HARD = { type: "Permanent", subType: "General", message: "smtp; 550 5.1.1 user unknown" };

const double = await startResendDouble(["mail.example"]);
const clock = adjustableClock();
const settings = {
  ROLES: "web,worker",
  OUTBOUND: "resend",
  RESEND_API_KEY: double.apiKey,
  RESEND_BASE_URL: double.url,
  RESEND_WEBHOOK_SECRET: WEBHOOK_SECRET,
};
const service = await startTestService(settings, { now: clock.now });
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await double.close();
});

type Recipient = { address: string; status: string; smtp_code: number | null; reason: string | null };
type Message = { id: string; status: string; recipients: Recipient[] };
type Logged = { event: string; message: { id: string; recipient: string; status: string } };
type Draft = { to: string | string[]; cc?: string[] };

async function sent(draft: Draft = { to: ADA }) {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const { body } = await client.post<{ id: string }>(inboxPath(address, "/send"), { ...draft, text: "x" }, { key });
  const read = async () => (await client.get<Message>(`/v1/messages/${body.id}`, { key })).body;
  await eventually(async () => expect((await read()).status).toBe("sent"));
  const email = double.account.emails.find(({ idempotencyKey }) => idempotencyKey === body.id);
  if (!email) throw new Error("the double has no such email");
  const logged = async () => reportedOf((await client.get<Page<Logged>>("/v1/events", { key })).body.data);
  const report = (type: string, more: object = {}, how: Posted & { created_at?: Date } = {}) =>
    postEvent(service.url, { ...eventOf(type, email, more), created_at: how.created_at ?? clock.now() }, how);
  return { key, address, id: body.id, email, read, logged, report };
}

function eventOf(type: string, email: { id: string; to: string[] }, more: object = {}) {
  const { id, to } = email;
  return { type, created_at: clock.now(), data: { email_id: id, to, subject: "x", from: "x@mail.example", ...more } };
}

describe("a report", () => {
  test("of a bounce reaches the recipient, the log, a webhook and the suppressions", async () => {
    const { key, address, id, read, logged, report } = await sent();
    const hook = await startReceiver();
    await client.post("/v1/webhooks", { url: hook.url, events: ["message.bounced"] }, { key });
    expect(await report("email.bounced", { bounce: HARD })).toMatchObject({ status: 200, result: "recorded" });
    const outcome = { status: "bounced", smtp_code: 550, enhanced_code: "5.1.1", reason: HARD.message };
    expect(await read()).toMatchObject({ status: "bounced", recipients: [{ address: ADA, ...outcome }] });
    expect(await logged()).toMatchObject([
      { event: "message.bounced", inbox: address, message: { id, recipient: ADA, ...outcome } },
    ]);
    await eventually(() => expect(hook.received).toHaveLength(1));
    await hook.close();
    expect(await suppressedBy(id)).toEqual([ADA]);
  });

  test.each([
    ["email.delivered", {}, { status: "delivered" }, "message.delivered"],
    ["email.complained", {}, { status: "complained" }, "message.complained"],
    ["email.failed", { failed: { reason: "reached_daily_quota" } }, { status: "failed" }, "message.failed"],
  ])("%s is recorded", async (type, more, outcome, kind) => {
    const { read, logged, report } = await sent();
    expect((await report(type, more)).result).toBe("recorded");
    expect(await read()).toMatchObject({ ...outcome, recipients: [outcome] });
    expect((await logged()).map(({ event }) => event)).toEqual([kind]);
  });

  test("of a delay changes only the reason", async () => {
    const { read, logged, report } = await sent();
    await report("email.delivery_delayed");
    expect(await read()).toMatchObject({
      status: "sent",
      recipients: [{ status: "sent", reason: expect.stringMatching(/^delayed/) }],
    });
    expect(await logged()).toEqual([]);
  });

  test("of a temporary bounce does not suppress the address", async () => {
    const { id, read, report } = await sent();
    await report("email.bounced", { bounce: { type: "Transient", subType: "MailboxFull", message: "552 5.2.2 full" } });
    expect((await read()).status).toBe("bounced");
    expect(await suppressedBy(id)).toEqual([]);
  });

  test("of a permanent bounce without a code suppresses the address", async () => {
    const { id, report } = await sent();
    await report("email.bounced", { bounce: { type: "Permanent", subType: "NoEmail", message: "no such address" } });
    expect(await suppressedBy(id)).toEqual([ADA]);
  });

  test("out of order changes nothing wrong", async () => {
    const { read, logged, report } = await sent();
    const later = new Date(clock.now().getTime() - MINUTE_MS);
    const earlier = new Date(later.getTime() - MINUTE_MS);
    await report("email.complained", {}, { created_at: later });
    await report("email.delivered", {}, { created_at: earlier });
    await report("email.delivery_delayed", {}, { created_at: earlier });
    expect((await read()).status).toBe("complained");
    expect((await logged()).map(({ event }) => event)).toEqual(["message.complained"]);
  });

  test("an event that arrives 100 times concurrently is recorded once", async () => {
    const { logged, report, email } = await sent();
    const id = `msg_copies_${email.id}`;
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => report("email.bounced", { bounce: HARD }, { id })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(answers.filter(({ result }) => result === "recorded")).toHaveLength(1);
    expect(await logged()).toHaveLength(1);
  });

  test("may come before the provider's id is stored: the tag names the message", async () => {
    const { id, email, report, read } = await sent();
    expect(email.tags).toEqual([{ name: "message", value: id }]);
    await service.system.sql`update messages set provider_message_id = null where provider_message_id = ${email.id}`;
    expect((await report("email.delivered")).result).toBe("unknown");
    expect((await report("email.delivered", { tags: { message: id } })).result).toBe("recorded");
    expect((await read()).status).toBe("delivered");
  });

  test("about a deleted message suppresses the address that it bounced at", async () => {
    const { key, id, report, logged } = await sent();
    expect((await client.call("DELETE", `/v1/messages/${id}`, { key })).status).toBe(200);
    expect((await report("email.bounced", { tags: { message: id }, bounce: HARD })).result).toBe("recorded");
    expect(await suppressedBy(id)).toEqual([ADA]);
    expect(await logged()).toEqual([]);
  });

  test("whose tag names a message of another id changes nothing", async () => {
    const [one, other] = [await sent(), await sent()];
    const tags = { message: one.id };
    expect((await other.report("email.bounced", { tags, email_id: "e-unknown", bounce: HARD })).result).toBe("unknown");
    expect((await other.report("email.delivered", { tags })).result).toBe("recorded");
    expect([(await one.read()).status, (await other.read()).status]).toEqual(["sent", "delivered"]);
  });
});

async function suppressedBy(id: string): Promise<string[]> {
  const rows = await service.system.sql<{ address: string; message_id: string }[]>`
    select address, message_id from suppressions`;
  return rows.filter(({ message_id }) => encodeId("msg", message_id) === id).map(({ address }) => address);
}

describe("a message with several recipients", () => {
  test("whose event names one of them", async () => {
    const { read, report } = await sent({ to: [ADA, BOB] });
    await report("email.bounced", { to: [BOB], bounce: { type: "Permanent", message: "550 5.1.1 unknown" } });
    expect((await read()).recipients.map(({ status }) => status)).toEqual(["sent", "bounced"]);
  });

  test("whose event names one only in the server's words", async () => {
    const { read, report } = await sent({ to: [ADA], cc: [BOB] });
    await report("email.bounced", { bounce: { type: "Permanent", message: `550 5.1.1 <${BOB}>: unknown` } });
    expect((await read()).recipients.map(({ status }) => status)).toEqual(["sent", "bounced"]);
  });

  test("whose event does not say which: nobody is suppressed for another's bounce", async () => {
    const { read, report } = await sent({ to: [ADA, BOB] });
    expect(await report("email.bounced", { bounce: HARD })).toMatchObject({ status: 200, result: "ambiguous" });
    expect((await read()).recipients.map(({ status }) => status)).toEqual(["sent", "sent"]);
  });
});

describe("the endpoint", () => {
  const OTHER_SECRET = `whsec_${Buffer.alloc(24, 6).toString("base64")}`;

  test.each<[string, Posted, number]>([
    ["another secret", { secret: OTHER_SECRET }, 401],
    ["another body", { sent: "{}" }, 401],
    ["a timestamp of 10 minutes ago", { at: new Date(Date.now() - 10 * MINUTE_MS) }, 401],
    ["a timestamp of tomorrow", { at: new Date(Date.now() + DAY_MS) }, 401],
    ["no signature", { headers: { "svix-signature": "" } }, 401],
    ["an unknown version of it", { headers: { "svix-signature": "v2,x" } }, 401],
    ["another id", { headers: { "svix-id": "msg_other" } }, 401],
  ])("refuses %s", async (_, how, status) => {
    const { read, report } = await sent();
    expect(await report("email.bounced", { bounce: HARD }, how)).toEqual({ status, code: "unauthorized" });
    expect((await read()).status).toBe("sent");
  });

  test("refuses a body that is too large before it reads it", async () => {
    expect(await postEvent(service.url, "x".repeat(300_000))).toMatchObject({ status: 413 });
  });

  test.each(["email.suppressed", "email.opened", "contact.created", "something.new"])("ignores %s", async (type) => {
    const { report } = await sent();
    expect(await report(type, { suppressed: { message: "x", type: "y" } })).toMatchObject({
      status: 200,
      result: "ignored",
    });
  });

  test("answers 200 to an unknown message, and stores nothing", async () => {
    const email = { id: "e-of-another-service", to: [ADA] };
    const how = { id: "msg_unknown_message" };
    expect(await postEvent(service.url, eventOf("email.bounced", email, { bounce: HARD }), how)).toMatchObject({
      status: 200,
      result: "unknown",
    });
    expect(await service.system.sql`select 1 from provider_events where id = ${how.id}`).toHaveLength(0);
  });

  test.each([["[]"], ["not json"], ['{"type":"email.bounced","created_at":"x","data":{}}']])(
    "refuses signed nonsense: %s",
    async (body) => {
      expect((await postEvent(service.url, body)).status).toBeGreaterThanOrEqual(400);
    },
  );

  test("takes only POST", async () => {
    const answer = await fetch(service.url + EVENTS_PATH);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("does not exist without RESEND_WEBHOOK_SECRET", async () => {
    const other = await startTestService({ ROLES: "web" });
    expect(await postEvent(other.url, {})).toMatchObject({ status: 404, code: "not_found" });
    await other.stop();
  });

  test("limits forgeries, and still takes what Resend signed", async () => {
    const limits = { RATE_LIMIT_ANONYMOUS_PER_SECOND: "1", RATE_LIMIT_ANONYMOUS_BURST: "2" };
    const other = await startTestService({ ...settings, ...limits, ROLES: "web" });
    const forge = () => postEvent(other.url, {}, { secret: OTHER_SECRET });
    expect([(await forge()).status, (await forge()).status]).toEqual([401, 401]);
    expect((await forge()).status).toBe(429);
    expect(await postEvent(other.url, eventOf("email.opened", { id: "e", to: [] }))).toMatchObject({ status: 200 });
    await other.stop();
  });

  test("forgets ids after 30 days", async () => {
    const { report } = await sent();
    await report("email.delivered", {}, { id: "msg_to_forget" });
    const known = () => service.system.sql`select 1 from provider_events where id = 'msg_to_forget'`;
    await pruneProviderEvents(service.system);
    expect(await known()).toHaveLength(1);
    clock.advance(31 * DAY_MS);
    expect(await pruneProviderEvents(service.system)).toBeGreaterThan(0);
    expect(await known()).toHaveLength(0);
  });
});
