// Events of relays that come together, or more than once with other contents.
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";

const MAILGUN_KEY = "key-of-mailgun-0123456789abcdef";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const sink = await startSmtpSink();
const service = await startTestService({
  ROLES: "web,worker",
  OUTBOUND: "smtp",
  OUTBOUND_SMTP_URL: sink.url,
  MAILGUN_SIGNING_KEY: MAILGUN_KEY,
  SENDGRID_PUBLIC_KEY: publicKey.export({ format: "der", type: "spki" }).toString("base64"),
});
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await sink.close();
});

const nowSeconds = () => Math.floor(Date.now() / 1_000);

async function postSendgrid(events: object[]) {
  const [body, timestamp] = [JSON.stringify(events), String(nowSeconds())];
  const signature = sign("sha256", Buffer.from(timestamp + body), privateKey).toString("base64");
  const headers = {
    "X-Twilio-Email-Event-Webhook-Signature": signature,
    "X-Twilio-Email-Event-Webhook-Timestamp": timestamp,
  };
  return post("sendgrid", body, headers);
}

function postMailgun(token: string, data: object) {
  const timestamp = String(nowSeconds());
  const signature = createHmac("sha256", MAILGUN_KEY)
    .update(timestamp + token)
    .digest("hex");
  return post("mailgun", JSON.stringify({ signature: { timestamp, token, signature }, "event-data": data }));
}

async function post(name: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${service.url}/v1/providers/${name}/events`, { method: "POST", body, headers });
  return [answer.status, ((await answer.json()) as { results: object }).results];
}

type Message = { status: string; recipients: { address: string; status: string }[] };

async function send(to: string[]) {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const { body } = await client.post<{ id: string }>(inboxPath(address, "/send"), { to, text: "x" }, { key });
  const read = async () => (await client.get<Message>(`/v1/messages/${body.id}`, { key })).body;
  await eventually(async () => expect((await read()).status).toBe("sent"));
  const mail = sink.received.find(({ raw }) => raw.includes(body.id))?.raw.toString("latin1") ?? "";
  const logged = async () => (await client.get<Page<{ event: string }>>("/v1/events", { key })).body.data;
  return { read, logged, messageId: /^Message-ID: <(.*)>/im.exec(mail)?.[1] };
}

test("2,000 events in one body reach each recipient once", async () => {
  const to = Array.from({ length: 20 }, (_, n) => `ann-${n}@elsewhere.example`);
  const { read, logged, messageId } = await send(to);
  const events = Array.from({ length: 2_000 }, (_, n) => ({
    event: "delivered",
    email: n < 40 ? to[n % 20] : `other-${n}@elsewhere.example`,
    timestamp: nowSeconds(),
    "smtp-id": `<${messageId}>`,
    // The first twenty are there twice.
    sg_event_id: `event-${n < 40 ? n % 20 : n}`,
  }));
  expect(await postSendgrid(events)).toEqual([200, { recorded: 20, repeated: 20, unknown: 1_960 }]);
  expect((await read()).recipients.map(({ status }) => status)).toEqual(Array(20).fill("delivered"));
  expect(await logged()).toHaveLength(20);
});

test("events of one body about one recipient count in their order, and unreadable ones stop nothing", async () => {
  const { read, messageId } = await send(["ann@elsewhere.example"]);
  const own = { email: "ann@elsewhere.example", "smtp-id": `<${messageId}>` };
  const events = [
    { ...own, event: "delivered", timestamp: nowSeconds() - 60, sg_event_id: "one" },
    { ...own, event: "bounce", timestamp: "never", sg_event_id: "two" },
    { ...own, event: "spamreport", timestamp: nowSeconds() - 30, sg_event_id: "three" },
    { ...own, event: "open", timestamp: nowSeconds(), sg_event_id: "four" },
  ];
  expect(await postSendgrid(events)).toEqual([200, { recorded: 2, malformed: 1, ignored: 1 }]);
  expect((await read()).status).toBe("complained");
});

test("a token of Mailgun counts once, whatever event it came with", async () => {
  const { read, messageId } = await send(["ann@elsewhere.example"]);
  const message = { headers: { "message-id": messageId } };
  const own = { recipient: "ann@elsewhere.example", timestamp: nowSeconds(), message };
  const [opened, stranger, bounced] = [
    { ...own, event: "opened" },
    { ...own, event: "failed", severity: "permanent", recipient: "bob@elsewhere.example" },
    { ...own, event: "failed", severity: "permanent" },
  ];
  for (const first of [opened, stranger]) {
    const token = `${first.event}-token-`.padEnd(50, "0");
    expect(await postMailgun(token, first)).toEqual([200, first === opened ? { ignored: 1 } : { unknown: 1 }]);
    expect(await postMailgun(token, bounced)).toEqual([200, { repeated: 1 }]);
  }
  expect((await read()).status).toBe("sent");
});
