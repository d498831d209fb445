// The story of an agent with BLOBS=s3: a mailbox, mail, a wait for a code, a webhook, attachments both ways, a thread, and a member
// at the dashboard.
import { afterAll, beforeAll, expect, it } from "vitest";
import { inboxPath, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { type S3, startS3 } from "#test/support/s3/start.ts";
import { newOwner } from "#test/support/team.ts";
import { startRig, verify } from "#test/webhooks/rig.ts";
import { ATTACHMENT, FILE, untilAccepted } from "./rig.ts";

const attachments = [{ filename: "in.txt", content: Buffer.from("in the mail"), contentType: "text/plain" }];

type Message = { id: string; status: string; thread_id: string; attachments: { id: string }[] };
type Thread = { id: string; messages: Message[] };
type Waited = { message: Message; extracted: { otp: string } };

let s3: S3;
let rig: Awaited<ReturnType<typeof startRig>>;
beforeAll(async () => {
  s3 = await startS3();
  rig = await startRig("web,smtp,worker", {}, s3.settings);
});
afterAll(async () => {
  await rig?.close();
  await s3?.stop();
});

it("has a wait, a verified webhook, attachments both ways, a thread, and the dashboard", async () => {
  const { service, client } = rig;
  const { key, organizationId, inbox, receiver, webhook } = await rig.furnished();
  const person = (await client.createInbox(key)).address;
  const since = { after: new Date(Date.now() - 60_000).toISOString(), timeout_seconds: 60 };
  const waiting = client.post<Waited>(inboxPath(inbox.address, "/wait"), since, { key });
  const text = "Your verification code is 482915.";
  await untilAccepted(service, { from: person, to: inbox.address, subject: "Code", text, attachments });
  const { message, extracted } = (await waiting).body;
  expect(extracted.otp).toBe("482915");

  const delivery = await eventually(() => receiver.received[0] ?? Promise.reject(new Error("no delivery")));
  expect(verify(delivery, webhook.secret)).toMatchObject({ event: "message.received", message: { id: message.id } });

  const answer = { text: "Here is the file.", attachments: [ATTACHMENT] };
  const reply = await client.post<Sent>(`/v1/messages/${message.id}/reply`, answer, { key });
  expect([reply.status, reply.body.thread_id]).toEqual([202, message.thread_id]);
  const thread = await eventually(async () => {
    const { body } = await client.get<Thread>(`/v1/threads/${message.thread_id}`, { key });
    expect(body.messages.map(({ status }) => status)).toEqual(["parsed", "delivered"]);
    return body;
  });
  const files = thread.messages.flatMap(({ id, attachments: own }) => own.map((file) => ({ id, file: file.id })));
  await eventually(async () => {
    const texts = files.map(({ id, file }) => client.get(`/v1/messages/${id}/attachments/${file}`, { key }));
    expect((await Promise.all(texts)).map((file) => file.text)).toEqual(["in the mail", FILE]);
  });

  const owner = await newOwner(service, organizationId);
  const source = await owner.trpc.messages.raw.query({ id: message.id });
  expect(Buffer.from(source.content_base64, "base64").toString()).toContain(text);
  const [, sent] = files;
  const saved = await owner.trpc.messages.attachment.query({ id: sent?.id ?? "", attachment_id: sent?.file ?? "" });
  expect(saved.content_base64).toBe(ATTACHMENT.content_base64);

  // Two mails and the file of the reply, and nothing of them in PostgreSQL.
  expect(await s3.objects()).toHaveLength(3);
  const [rows] = await service.system.sql`
    select count(bytes)::int as count from (select bytes from raw_messages union all select bytes from attachments) as a`;
  expect(rows).toEqual({ count: 0 });
});
