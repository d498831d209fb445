// Names of people over the drop-in APIs, in messages and in deliveries, and names of fields in their errors, with the packages as npm has them.
import { AgentMailClient, AgentMailError } from "agentmail";
import { Resend } from "resend";
import { afterAll, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startReceiver } from "../../webhooks/delivery/receiver.ts";

const service = await startTestService({
  COMPAT_APIS: "agentmail,resend",
  WEBHOOK_TARGETS: "any",
  SEND_CAP_RAMP: "1000",
});
const rest = api(service);
afterAll(async () => {
  await rest.close();
  await service.stop();
});

const { agentKey: key } = await service.newOrganization();
const mail = new AgentMailClient({ apiKey: key, baseUrl: `${service.url}/compat/agentmail`, maxRetries: 0 });
const resend = new Resend(key, { baseUrl: `${service.url}/compat/resend` });
const { inboxId: inbox } = await mail.inboxes.create({ username: "stage", displayName: "Stage" });

/** The mail names its people in Cyrillic letters, in a group, and without a name. */
const RAW = [
  "From: Vera Lund <vera@opera.example>",
  `To: =?UTF-8?B?${Buffer.from("Сцена").toString("base64")}?= <${inbox}>, "Moss, Cleo" <Cleo@opera.example>`,
  "Cc: Crew: Ivo <ivo@opera.example>, bare@opera.example;",
  "Reply-To: Box office <box@opera.example>",
  "Subject: Rehearsal",
  "",
  "At eight.",
].join("\r\n");
const TO = [`Сцена <${inbox}>`, '"Moss, Cleo" <Cleo@opera.example>'];
const CC = ["Ivo <ivo@opera.example>", "bare@opera.example"];

test("A received message has the names of its headers.", async () => {
  await service.mail({ from: "vera@opera.example", to: inbox, raw: RAW });
  const id = await eventually(async () => {
    const { messages } = await mail.inboxes.messages.list(inbox, { subject: ["Rehearsal"] });
    expect(messages).toHaveLength(1);
    return messages[0]?.messageId ?? "";
  });
  const reply = ["Box office <box@opera.example>"];
  expect(await mail.inboxes.messages.get(inbox, id)).toMatchObject({ to: TO, cc: CC, replyTo: reply });
  const { data } = await resend.emails.receiving.get(id);
  expect([data?.to, data?.cc, data?.reply_to]).toEqual([TO, CC, reply]);
  const row = (await resend.emails.receiving.list()).data?.data.find((each) => each.id === id);
  expect([row?.to, row?.cc, row?.reply_to]).toEqual([TO, CC, reply]);
});

test("The names in the beginning of a long header are shown, and all of its addresses.", async () => {
  const q = (name: string) => `=?iso-8859-5?Q?${name}?=`;
  const person = (n: number) => `${q("=B0=DD=DD=D0")}\r\n ${q(String(n))} <guest#${n}@opera.example>`;
  const crowd = Array.from({ length: 400 }, (_, i) => person(i + 1_000));
  const raw = (subject: string) =>
    [
      `To: Usher <${inbox}>,`,
      ` ${crowd.join(",\r\n ")}`,
      "From: vera@opera.example",
      `Subject: ${subject}`,
      "",
      "x",
    ].join("\r\n");
  await service.mail({ from: "vera@opera.example", to: inbox, raw: raw("Crowd") });
  const { messageId, threadId } = await eventually(async () => {
    const { messages } = await mail.inboxes.messages.list(inbox, { subject: ["Crowd"] });
    expect(messages).toHaveLength(1);
    return messages[0] ?? { messageId: "", threadId: "" };
  });
  const item = await mail.inboxes.messages.get(inbox, messageId);
  const [inThread] = (await mail.inboxes.threads.get(inbox, threadId)).messages;
  const received = (await resend.emails.receiving.list({ limit: 100 })).data?.data.find(({ id }) => id === messageId);
  for (const to of [item.to, inThread?.to, received?.to]) {
    expect(to).toHaveLength(401);
    expect(to?.slice(0, 2)).toEqual([`Usher <${inbox}>`, "Анна1000 <guest#1000@opera.example>"]);
    expect(to?.at(-1)).toBe("guest#1399@opera.example");
    expect(to?.filter((each) => each.includes("<")).join(", ").length).toBeLessThan(4_096);
  }
});

test("Deliveries say who the mail names, also when they are read later.", async () => {
  const receiver = await startReceiver();
  try {
    const theirs = await mail.webhooks.create({ url: receiver.url, eventTypes: ["message.received"] });
    const own = await resend.webhooks.create({ endpoint: receiver.url, events: ["email.received", "email.sent"] });
    await service.mail({ from: "vera@opera.example", to: inbox, raw: RAW.replace("Rehearsal", "Premiere") });
    const of = (name: string) => {
      const found = receiver.received
        .map(({ body }) => JSON.parse(body))
        .find((each) => JSON.stringify(each).includes(name));
      expect(found).toBeDefined();
      return found;
    };
    const [to, cc] = [
      [inbox, "Cleo@opera.example"],
      ["ivo@opera.example", "bare@opera.example"],
    ];
    const from = "Vera Lund <vera@opera.example>";
    const { message, thread } = await eventually(() => of("message.received"));
    expect(message).toMatchObject({ from, to, cc });
    expect(thread).toMatchObject({ senders: [from], recipients: [...to, ...cc] });
    const { data } = await eventually(() => of("email.received"));
    expect(data).toMatchObject({ from, to, cc, bcc: [], received_for: [inbox] });

    const email = { from: inbox, to: "ivo@opera.example", cc: "bare@opera.example", bcc: "dora@opera.example" };
    await resend.emails.send({ ...email, subject: "Curtain", text: "x" });
    const sent = await eventually(() => of("email.sent"));
    expect(sent.data).toMatchObject({ to: ["ivo@opera.example"], from: `Stage <${inbox}>` });
    const { data: events } = (
      await rest.get<{ data: { id: string }[] }>(`/v1/webhooks/${own.data?.id}/deliveries`, { key })
    ).body;
    const bodies = await Promise.all(
      events.map(({ id }) => rest.get<{ body: string }>(`/v1/webhooks/${own.data?.id}/deliveries/${id}`, { key })),
    );
    const received = receiver.received.map(({ body }) => body);
    for (const { body } of bodies) expect(received).toContain(body.body);
    await mail.webhooks.delete(theirs.webhookId);
    await resend.webhooks.remove(own.data?.id ?? "");
  } finally {
    await receiver.close();
  }
});

type Said = { message: string; fix: string; name: string; errors?: { path: string }[] };

async function saidBy(asked: PromiseLike<unknown>): Promise<Said> {
  const error = await Promise.resolve(asked).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AgentMailError);
  return (error as AgentMailError).body as Said;
}

test("Errors of AgentMail's API name its fields.", async () => {
  const send = (more: object) => saidBy(mail.inboxes.messages.send(inbox, { to: inbox, text: "x", ...more }));
  const encoded = await send({ attachments: [{ filename: "a", content: "not base64!" }] });
  expect(encoded).toMatchObject({
    message: expect.stringMatching(/^attachments\.0\.content:/),
    fix: expect.stringMatching(/`errors`/),
  });
  expect(encoded.errors).toMatchObject([{ path: "attachments.0.content" }]);
  expect((await send({ attachments: [{ filename: "a" }] })).message).toMatch(
    /^attachments\.0: takes `content` or `url`/,
  );
  const answers = await send({ headers: { "In-Reply-To": "<a@shop.example>" } });
  expect(answers.message).not.toMatch(/in_reply_to/);
  expect((await send({ labels: ["held"] })).fix).toBe("Leave the label out.");
  const label = await saidBy(mail.inboxes.messages.list(inbox, { labels: ["UNREAD"] }));
  expect(label.message).toMatch(/^labels: .*`unread`/);
  const labelled = await fetch(`${service.url}/compat/agentmail/v0/inboxes/${inbox}/messages?label=due`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  expect(await labelled.json()).toMatchObject({ errors: [{ path: "label" }] });
  const large = await send({ attachments: [{ filename: "a", content: "A".repeat(40_000_000) }] });
  expect(large.name).toBe("PayloadTooLargeError");
});

test("Errors of Resend's API name its fields, and lists that they have.", async () => {
  const email = { from: inbox, to: inbox, subject: "x", text: "x" };
  const refused = async (more: object) => (await resend.emails.send({ ...email, ...more })).error as unknown as Said;
  expect((await refused({ scheduledAt: "2001-02-03T04:05:06Z" })).message).toMatch(/^scheduled_at: /);
  expect((await refused({ attachments: [{ filename: "a" }] })).message).toMatch(/`content` or `path`/);
  expect((await refused({ attachments: [{ path: "http://127.0.0.1:9/a.pdf" }] })).message).toMatch(
    /^attachments\.0\.path: /,
  );
  expect((await refused({ to: "nobody" })).fix).not.toMatch(/issues/);
  expect((await resend.domains.create({ name: "no domain" })).error?.message).toMatch(/^name: /);
  expect((await resend.emails.list({ after: "nothing" })).error?.message).toMatch(/^after: /);
  expect((await resend.emails.list({ before: "nothing" })).error?.message).toMatch(/^before: /);
  const far = `https://hooks.opera.example/${"x".repeat(2_100)}`;
  const hook = { endpoint: far, events: ["email.sent" as const] };
  expect((await resend.webhooks.create(hook)).error?.message).toMatch(/^endpoint: /);
  const kept = (await resend.webhooks.create({ ...hook, endpoint: "https://hooks.opera.example/" })).data?.id ?? "";
  expect((await resend.webhooks.update(kept, { endpoint: far })).error?.message).toMatch(/^endpoint: /);
  const post = (path: string, body: object, more = {}) =>
    fetch(`${service.url}/compat/resend${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", ...more },
      body: JSON.stringify(body),
    }).then((answer) => answer.json());
  // What the other API does not have keeps the name that the caller wrote.
  const foreign = { ...email, attachments: [{ filename: "a", url: "https://opera.example/a" }] };
  expect(await post("/emails", foreign)).toMatchObject({ message: expect.stringMatching(/^attachments\.0\.url: /) });
  expect(await post("/emails", { ...email, send_at: "now" })).toMatchObject({
    message: expect.stringMatching(/^send_at: /),
  });
  const late = { ...email, scheduled_at: "2001-02-03T04:05:06Z" };
  expect(await post("/emails/batch", [late, email], { "x-batch-validation": "permissive" })).toMatchObject({
    errors: [{ index: 0, message: expect.stringMatching(/^scheduled_at: /) }],
  });
  await resend.suppressions.add({ email: "gone@opera.example" });
  const suppressed = await refused({ to: [inbox, "gone@opera.example"] });
  expect([suppressed.message, suppressed.fix]).toEqual([
    expect.stringMatching(/gone@opera\.example/),
    expect.not.stringMatching(/`addresses`/),
  ]);
});
