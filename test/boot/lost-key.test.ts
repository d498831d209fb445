// A service whose ENCRYPTION_KEY was lost: mail goes on, the start says what does not, and rotated secrets work again.
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ATTACHMENT, type InS3, startInS3, untilAccepted } from "#test/blobs/rig.ts";
import { api, inboxPath, type Page, type Sent, type Webhook } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { type Receiver, startReceiver } from "#test/webhooks/delivery/receiver.ts";
import { verify } from "#test/webhooks/rig.ts";

const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");
const UNLIMITED = "1000000";
type Message = { id: string; subject: string; status: string };

let rig: InS3;
let hook: Receiver;
let webhook: Webhook;
let service: ServiceProcess;
let client: ReturnType<typeof api>;
beforeAll(async () => {
  rig = await startInS3({ ROLES: "web,smtp" });
  hook = await startReceiver();
  const events = ["message.received"];
  webhook = (await rig.client.post<Webhook>("/v1/webhooks", { url: hook.url, events }, { key: rig.key })).body;
  await untilAccepted(rig.service, {
    from: "a@far.example",
    to: rig.address,
    subject: "before",
    text: "before the loss",
  });
  await eventually(async () => {
    const [message] = (await rig.client.get<Page<Message>>(inboxPath(rig.address, "/messages"), { key: rig.key })).body
      .data;
    // Who reads a message waits until it is parsed.
    expect((await rig.client.get(`/v1/messages/${message?.id}`, { key: rig.key })).status).toBe(200);
  });
  service = await startProcess({
    DATABASE_URL: rig.service.database.url,
    DATA_DIR: rig.service.settings.DATA_DIR,
    DEFAULT_DOMAIN: rig.service.settings.DEFAULT_DOMAIN,
    ENCRYPTION_KEY: OTHER_KEY,
    LOG_LEVEL: "warn",
    RATE_LIMIT_PER_SECOND: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
    ...rig.s3.settings,
  });
  client = api(service);
});
afterAll(async () => {
  await client?.close();
  await service?.end("SIGTERM");
  await hook?.close();
  await rig?.stop();
});

async function mail(subject: string, text: string): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, ignoreTLS: true });
  await eventually(() => transport.sendMail({ from: "a@far.example", to: rig.address, subject, text }));
  transport.close();
}

test("the start says what does not work, what still works, and what to do", () => {
  const lines = service.output().split("\n");
  const secrets = lines.find((line) => line.includes("encrypted_with_another_key"));
  expect(secrets).toContain('["webhook secrets"]');
  expect(secrets).toContain("mail is received, read and waited for");
  expect(secrets).toContain("rotate the secret of each webhook");
  const objects = lines.find((line) => line.includes("the mail in S3 was encrypted"));
  expect(objects).toContain("Everything in PostgreSQL works");
  expect(objects).toContain("delete the object mailberth-check from the bucket");
});

test("mail is received, waited for, read, answered with an attachment, and its source downloaded", async () => {
  const { key, address } = rig;
  const since = { after: new Date(Date.now() - 60_000).toISOString(), subject: "after", timeout_seconds: 60 };
  const waiting = client.post<{ message: Message; extracted: { otp: string } }>(inboxPath(address, "/wait"), since, {
    key,
  });
  await mail("after", "Your code is 482915.");
  const { message, extracted } = (await waiting).body;
  expect(extracted.otp).toBe("482915");
  const raw = await client.get(`/v1/messages/${message.id}/raw`, { key });
  expect(raw.text).toContain("Your code is 482915.");
  const reply = await client.post<Sent>(
    `/v1/messages/${message.id}/reply`,
    { text: "x", attachments: [ATTACHMENT] },
    { key },
  );
  expect(reply.status).toBe(202);
  const { data } = (await client.get<Page<Message>>(inboxPath(address, "/messages"), { key })).body;
  const before = data.find(({ subject }) => subject === "before");
  expect((await client.get(`/v1/messages/${before?.id}`, { key })).status).toBe(200);
  const lost = await client.get<{ error: { code: string } }>(`/v1/messages/${before?.id}/raw`, { key });
  expect([lost.status, lost.body.error.code]).toEqual([500, "content_unreadable"]);
});

test("a webhook is delivered again when its secret was rotated", async () => {
  const { key } = rig;
  expect(hook.received).toEqual([]);
  const rotated = await client.post<{ secret: string }>(`/v1/webhooks/${webhook.id}/rotate-secret`, {}, { key });
  expect(rotated.status).toBe(200);
  const test = await client.post(`/v1/webhooks/${webhook.id}/test`, {}, { key });
  expect(test.status).toBe(200);
  await mail("rotated", "x");
  const got = await eventually(
    () => hook.received.find(({ body }) => body.includes("rotated")) ?? Promise.reject("none"),
  );
  expect(verify(got, rotated.body.secret)).toMatchObject({ event: "message.received" });
});
