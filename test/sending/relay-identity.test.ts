// Mail through a relay that writes Message-ID and Date itself, as Amazon SES does, and the answers to it.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { mailer } from "#test/support/inbound.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";

const sink = await startSmtpSink();
const service = await startTestService({
  OUTBOUND: "smtp",
  OUTBOUND_SMTP_URL: sink.url,
  SES_TOPIC_ARNS: "arn:aws:sns:eu-west-1:123456789012:mail",
});
const client = api(service);
const outside = mailer(service.smtpPort);
afterAll(async () => {
  outside.close();
  await client.close();
  await service.stop();
  await sink.close();
});

type Message = { id: string; thread_id: string; status: string; rfc_message_id: string; references: string[] };

const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);
const get = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;

/** The message, and the References and the Message-ID with which its recipients get it. */
async function left(id: string) {
  await eventually(async () => expect((await get(id)).status).toBe("sent"));
  const raw = sink.received.findLast((mail) => mail.raw.includes(`Message-ID: <${id}.`))?.raw.toString("latin1") ?? "";
  const [, line = ""] = /^References: (.*(?:\r\n[ \t].*)*)/im.exec(raw) ?? [];
  return {
    message: await get(id),
    references: line.split(/\s+/),
    messageId: `<0102019-${id}-000000@eu-west-1.amazonses.com>`,
  };
}

async function answered(to: Awaited<ReturnType<typeof left>>, from: string, references = to.references) {
  const { response } = await outside.sendMail({
    ...{ from, to: address, subject: "Re: Lamp", text: "On Thursday." },
    inReplyTo: to.messageId,
    references: [...references, to.messageId],
  });
  return get(/msg_\w+/.exec(response)?.[0] ?? "");
}

async function send(path: string, body: object) {
  const sent = await client.post<{ id: string }>(path, { text: "Who can come?", ...body }, { key });
  expect(sent.status).toBe(202);
  return left(sent.body.id);
}

test("an answer joins the thread, and so does the answer to the next message", async () => {
  const first = await send(inboxPath(address, "/send"), {
    to: ["ann@shop.example", "bob@shop.example"],
    subject: "Lamp",
  });
  const answer = await answered(first, "ann@shop.example");
  expect(answer.thread_id).toBe(first.message.thread_id);

  const second = await send(`/v1/messages/${answer.id}/reply`, {});
  expect(second.references.at(-1)).toBe(`<${second.message.rfc_message_id}>`);
  // A program that keeps no more than the end of References.
  const last = await answered(second, "ann@shop.example", second.references.slice(-1));
  expect(last.thread_id).toBe(first.message.thread_id);
});

test("the references of the message are those that its author sees", async () => {
  const { message } = await send(inboxPath(address, "/send"), { to: "cy@shop.example", subject: "Lamp" });
  expect(message.references).toEqual([]);
});
