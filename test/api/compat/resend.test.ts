// Resend's own client, as npm has it, against /compat/resend: what it sends must work, or be refused in its words.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Resend } from "resend";
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startReceiver } from "../../webhooks/delivery/receiver.ts";

/** A host of files. */
const files = createServer((_, res) => res.writeHead(200, { "content-type": "application/pdf" }).end("%PDF-1.4"));
await new Promise<void>((resolve) => files.listen(0, "127.0.0.1", resolve));
const filesHost = `127.0.0.1:${(files.address() as AddressInfo).port}`;
const service = await startTestService({
  COMPAT_APIS: "resend",
  SEND_CAP_RAMP: "1000",
  ATTACHMENT_ALLOWED_HOSTS: filesHost,
});
const rest = api(service);
afterAll(async () => {
  files.close();
  await rest.close();
  await service.stop();
});

const clientOf = (key: string, url = service.url) => new Resend(key, { baseUrl: `${url}/compat/resend` });

const ours = await service.newOrganization();
const theirs = await service.newOrganization();
const client = clientOf(ours.agentKey);
const stranger = clientOf(theirs.agentKey);
const inbox = await rest.createInbox(ours.agentKey, { username: "shop", display_name: "Acme Shop" });
const foreign = await rest.createInbox(theirs.agentKey, { username: "foreign" });

const FROM = "Acme Shop <shop@mail.example>";
const EMAIL = { from: FROM, to: "ann@else.example", subject: "Hello", text: "Hi Ann" };
const UNKNOWN = "msg_01jd3m9v5sf0b8j3mgz7qk2x4c";

type Answer<Data> = { data: Data | null; error: { name: string; statusCode: number | null; message: string } | null };

async function dataOf<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  const { data, error } = await asked;
  expect(error).toBeNull();
  return data as Data;
}

async function expectRefusal(asked: Promise<Answer<unknown>>, statusCode: number, name: string, words?: RegExp) {
  const { data, error } = await asked;
  expect([data, error]).toEqual([null, expect.objectContaining({ statusCode, name })]);
  expect(error?.message).toMatch(words ?? /./);
}

const send = async (email: Partial<Parameters<typeof client.emails.send>[0]> = {}) =>
  (await dataOf(client.emails.send({ ...EMAIL, ...email } as typeof EMAIL))).id;

/** The id of a mail that has arrived and was read. */
async function arrive(mail: Partial<Parameters<typeof service.mail>[0]> & { subject: string }): Promise<string> {
  await service.mail({ from: "Ann <ann@else.example>", to: inbox.address, ...mail });
  return eventually(async () => {
    const found = await rest.get<{ data: { id: string; status: string }[] }>(
      `/v1/messages?direction=inbound&subject=${encodeURIComponent(mail.subject)}`,
      { key: ours.agentKey },
    );
    expect(found.body.data.map(({ status }) => status)).toEqual(["parsed"]);
    return found.body.data[0]?.id ?? "";
  });
}

describe("emails", () => {
  test("An email is sent and found.", async () => {
    const id = await send();
    const email = await dataOf(client.emails.get(id));
    expect(email).toMatchObject({
      object: "email",
      id,
      from: FROM,
      to: ["ann@else.example"],
      subject: "Hello",
      text: "Hi Ann",
      html: null,
    });
    expect(email.message_id).toMatch(/^<.+@mail\.example>$/);
    expect(Date.parse(email.created_at)).toBeGreaterThan(0);
  });

  test("An email ends as sent or delivered.", async () => {
    const id = await send();
    await eventually(async () =>
      expect(["sent", "delivered"]).toContain((await dataOf(client.emails.get(id))).last_event),
    );
  });

  test("HTML, copies and a Reply-To are kept.", async () => {
    const id = await send({
      html: "<p>Hi</p>",
      cc: ["cc@else.example"],
      bcc: "bcc@else.example",
      replyTo: "answers@else.example",
    });
    expect(await dataOf(client.emails.get(id))).toMatchObject({
      html: "<p>Hi</p>",
      cc: ["cc@else.example"],
      bcc: ["bcc@else.example"],
      reply_to: ["answers@else.example"],
    });
  });

  test("Answers go to several addresses.", async () => {
    const replyTo = ["Sales <sales@else.example>", "help@else.example"];
    const id = await send({ subject: "Many answers", replyTo });
    const kept = ["sales@else.example", "help@else.example"];
    expect((await dataOf(client.emails.get(id))).reply_to).toEqual(kept);
    const batch = await dataOf(client.batch.send([{ ...EMAIL, replyTo }]));
    expect((await dataOf(client.emails.get(batch.data[0]?.id ?? ""))).reply_to).toEqual(kept);
    expect((await dataOf(client.emails.get(await send({ replyTo: [] })))).reply_to).toBeNull();
  });

  test("Several recipients are one email.", async () => {
    const id = await send({ to: ["a@else.example", "B <b@else.example>"] });
    expect((await dataOf(client.emails.get(id))).to).toEqual(["a@else.example", "B <b@else.example>"]);
  });

  test("The address alone is a sender too.", async () => {
    const id = await send({ from: "shop@mail.example" });
    expect((await dataOf(client.emails.get(id))).from).toBe(FROM);
  });

  test("The name in from is that of the sender.", async () => {
    const id = await send({ from: '"Zoë, Sales" <shop@mail.example>', to: inbox.address, subject: "Named" });
    expect((await dataOf(client.emails.get(id))).from).toBe('"Zoë, Sales" <shop@mail.example>');
    const arrived = await eventually(async () => {
      const { data } = await dataOf(client.emails.receiving.list());
      return data.find(({ subject }) => subject === "Named") ?? expect.fail();
    });
    expect(arrived.from).toBe('"Zoë, Sales" <shop@mail.example>');
  });

  test("An answer names its message by headers, and joins the thread.", async () => {
    const asked = await dataOf(client.emails.receiving.get(await arrive({ subject: "Question" })));
    const headers = { "In-Reply-To": asked.message_id, References: `<old@else.example> ${asked.message_id}` };
    const id = await send({ subject: "Re: Question", headers });
    const [question, answer] = await Promise.all(
      [asked.id, id].map((each) => rest.get<{ thread_id: string }>(`/v1/messages/${each}`, { key: ours.agentKey })),
    );
    expect(answer?.body.thread_id).toBe(question?.body.thread_id);
    await expectRefusal(
      client.emails.send({ ...EMAIL, headers: { References: "x" } }),
      422,
      "validation_error",
      /Message-ID/,
    );
  });

  test("Other headers leave with the email, also in a batch and beside those of an answer.", async () => {
    const asked = await dataOf(client.emails.receiving.get(await arrive({ subject: "Asked with headers" })));
    const headers = { "X-Entity-Ref-ID": "1042", "List-Unsubscribe": "<https://shop.example/u>" };
    const { data } = await dataOf(client.batch.send([{ ...EMAIL, headers }, EMAIL]));
    const answer = await send({ subject: "Answered", headers: { ...headers, "in-reply-to": asked.message_id } });
    const shown = await Promise.all(
      [data[0]?.id, data[1]?.id, answer].map(async (id) => {
        const path = `/v1/messages/${id}`;
        return (await rest.get<{ headers: object[]; thread_id: string }>(path, { key: ours.agentKey })).body;
      }),
    );
    const lines = Object.entries(headers).map(([name, value]) => ({ name, value }));
    expect(shown.map((each) => each.headers)).toEqual([lines, [], lines]);
    const question = await rest.get<{ thread_id: string }>(`/v1/messages/${asked.id}`, { key: ours.agentKey });
    expect(shown[2]?.thread_id).toBe(question.body.thread_id);
    await expectRefusal(
      client.batch.send([EMAIL, { ...EMAIL, headers: { Bcc: "a@b.example" } }]),
      422,
      "validation_error",
      /emails\.1: headers\.Bcc: cannot be set/,
    );
  });

  test("An address that is no mailbox is no sender.", async () => {
    await expectRefusal(
      client.emails.send({ ...EMAIL, from: "nobody@mail.example" }),
      403,
      "validation_error",
      /no mailbox/,
    );
    await expectRefusal(client.emails.send({ ...EMAIL, from: foreign.address }), 403, "validation_error", /no mailbox/);
    await expectRefusal(client.emails.send({ ...EMAIL, from: "no address" }), 422, "invalid_from_address");
  });

  test("Tags are kept.", async () => {
    const tags = [
      { name: "category", value: "welcome" },
      { name: "plan", value: "pro_2" },
    ];
    const id = await send({ tags });
    expect((await dataOf(client.emails.get(id))).tags).toEqual(tags);
    await expectRefusal(
      client.emails.send({ ...EMAIL, tags: [{ name: "a b", value: "c" }] }),
      422,
      "validation_error",
      /tags/,
    );
  });

  test("Attachments are sent, listed and downloaded.", async () => {
    const id = await send({
      attachments: [
        { filename: "a.pdf", content: Buffer.from("octets") },
        { filename: "b.txt", content: Buffer.from("b").toString("base64") },
        { filename: "c.constructor", content: Buffer.from("c").toString("base64") },
      ],
    });
    const { data } = await dataOf(client.emails.attachments.list({ emailId: id }));
    expect(data.map(({ filename, content_type }) => [filename, content_type])).toEqual([
      ["a.pdf", "application/pdf"],
      ["b.txt", "text/plain"],
      ["c.constructor", "application/octet-stream"],
    ]);
    const file = await dataOf(client.emails.attachments.get({ emailId: id, id: data[0]?.id ?? "" }));
    expect(await (await fetch(file.download_url)).text()).toBe("octets");
    await expectRefusal(
      client.emails.attachments.get({ emailId: id, id: "att_01jd3m9v5sf0b8j3mgz7qk2x4c" }),
      404,
      "not_found",
    );
  });

  test("A file may be a Buffer as JSON writes it, and have no name.", async () => {
    const post = (attachment: object) =>
      fetch(`${service.url}/compat/resend/emails`, {
        method: "POST",
        headers: { Authorization: `Bearer ${ours.agentKey}`, "Content-Type": "application/json" },
        body: JSON.stringify({ ...EMAIL, attachments: [attachment] }),
      });
    const sent = await post({ filename: false, content: Buffer.from("päper") });
    const { id } = (await sent.json()) as { id: string };
    const { data } = await dataOf(client.emails.attachments.list({ emailId: id }));
    expect(await (await fetch(data[0]?.download_url ?? "")).text()).toBe("päper");
    for (const content of [{ data: [256] }, { data: "cGFwZXI=" }, { type: "Buffer" }, [1], 5]) {
      const { status } = await post({ filename: "a.txt", content });
      expect([content, status]).toEqual([content, 422]);
    }
  });

  test("A Buffer as JSON that is too long is refused by its file, and says what to send.", async () => {
    const post = async (path: string, body: unknown) => {
      const answer = await fetch(`${service.url}/compat/resend/emails${path}`, {
        method: "POST",
        headers: { Authorization: `Bearer ${ours.agentKey}`, "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
      return { status: answer.status, body: (await answer.json()) as { name: string; message: string } };
    };
    const file = (octets: number) => ({ filename: 'a "b", [c].bin', content: Buffer.alloc(octets, 7) });
    const words =
      "content: is too long as a list of octets. Send the file as base64 in `content`, or its URL in `path`.";
    const refused = (where: string) => ({ status: 422, body: { name: "validation_error", message: where + words } });
    const whole = { ...EMAIL, attachments: [file(30_000)] };
    expect(await post("", whole)).toMatchObject(refused("attachments.0."));
    const second = { ...EMAIL, attachments: [file(3), { ...file(25_000), content_id: "c" }] };
    expect(await post("", second)).toMatchObject(refused("attachments.1."));
    expect(await post("/batch", [EMAIL, whole])).toMatchObject(refused("1.attachments.0."));
    const { body } = await post("", { ...EMAIL, tags: Array(30_000).fill(1) });
    expect(body.message).toMatch(/more than 20000 members and elements, the last of them in tags/);
  });

  test("Fields without a counterpart are refused, not ignored.", async () => {
    const refused = (more: object, words: RegExp, name = "validation_error") =>
      expectRefusal(client.emails.send({ ...EMAIL, ...more }), 422, name, words);
    await refused({ headers: { "X-Resend-Id": "1" } }, /headers\.X-Resend-Id: cannot be set/);
    await refused({ topicId: "t" }, /topics/);
    await refused({ attachments: [{ filename: "a.png" }] }, /one of them is needed/, "invalid_attachment");
    await refused({ attachments: [{ path: "http://127.0.0.1:1/a.pdf" }] }, /./);
    await refused({ replyTo: ["a@b.example", "c"] }, /reply_to/);
    await expectRefusal(
      client.emails.send({ from: FROM, to: "a@b.example", template: { id: "t" } } as never),
      422,
      "validation_error",
      /templates/,
    );
  });

  test("Wrong recipients and empty emails are refused.", async () => {
    await expectRefusal(client.emails.send({ ...EMAIL, to: "nobody" }), 422, "validation_error", /to\.0/);
    await expectRefusal(client.emails.send({ ...EMAIL, text: undefined } as never), 422, "validation_error");
    await expectRefusal(
      client.emails.send({ ...EMAIL, to: Array.from({ length: 51 }, (_, i) => `a${i}@b.example`) }),
      422,
      "validation_error",
    );
    for (const field of ["from", "to", "subject"]) {
      const email = { ...EMAIL, [field]: undefined };
      await expectRefusal(client.emails.send(email), 422, "missing_required_field", new RegExp(field));
    }
    await expectRefusal(client.emails.send({ ...EMAIL, subject: "a\r\nBcc: x@b.example" }), 422, "validation_error");
  });

  test("A repeated idempotency key sends once, and conflicts with another body.", async () => {
    const first = await dataOf(client.emails.send(EMAIL, { idempotencyKey: "key-1" }));
    expect(await dataOf(client.emails.send(EMAIL, { idempotencyKey: "key-1" }))).toEqual(first);
    await expectRefusal(
      client.emails.send({ ...EMAIL, text: "Other" }, { idempotencyKey: "key-1" }),
      409,
      "invalid_idempotent_request",
    );
  });

  test("An idempotency key has up to 256 characters, of a batch too.", async () => {
    const idempotencyKey = "k".repeat(256);
    const asked = () => client.emails.send(EMAIL, { idempotencyKey });
    expect(await dataOf(asked())).toEqual(await dataOf(asked()));
    const longer = client.emails.send(EMAIL, { idempotencyKey: `${idempotencyKey}k` });
    await expectRefusal(longer, 400, "invalid_idempotency_key");
    const batch = () => client.batch.send([EMAIL, EMAIL], { idempotencyKey: "b".repeat(256) });
    const first = await dataOf(batch());
    expect(new Set(first.data.map(({ id }) => id)).size).toBe(2);
    expect(await dataOf(batch())).toEqual(first);
    const other = client.batch.send([EMAIL, { ...EMAIL, text: "Other" }], { idempotencyKey: "b".repeat(256) });
    await expectRefusal(other, 409, "invalid_idempotent_request");
  });

  test("Concurrent repetitions send once.", async () => {
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => dataOf(client.emails.send(EMAIL, { idempotencyKey: "key-2" }))),
    );
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  });

  test("An email is scheduled and cancelled.", async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const id = await send({ scheduledAt });
    expect(await dataOf(client.emails.get(id))).toMatchObject({ last_event: "scheduled", scheduled_at: scheduledAt });
    const later = new Date(Date.now() + 7_200_000).toISOString();
    expect(await dataOf(client.emails.update({ id, scheduledAt: later }))).toEqual({ object: "email", id });
    expect(await dataOf(client.emails.get(id))).toMatchObject({ scheduled_at: later });
    await expectRefusal(stranger.emails.update({ id, scheduledAt }), 404, "not_found");
    expect(await dataOf(client.emails.cancel(id))).toEqual({ object: "email", id });
    expect(await dataOf(client.emails.get(id))).toMatchObject({ last_event: "canceled" });
    await expectRefusal(client.emails.update({ id, scheduledAt: later }), 409, "validation_error", /cancelled/);
  });

  test("A file comes from a URL, and a picture is named in the HTML.", async () => {
    const id = await send({
      html: '<img src="cid:logo">',
      attachments: [
        { path: `http://${filesHost}/invoice.pdf` },
        { filename: "logo.png", content: "YQ==", contentId: "logo" },
      ],
    });
    const { data } = await dataOf(client.emails.attachments.list({ emailId: id }));
    expect(data.map(({ filename, content_type }) => [filename, content_type])).toEqual([
      ["invoice.pdf", "application/pdf"],
      ["logo.png", "image/png"],
    ]);
  });

  test("A wrong time is refused, and what has left cannot be cancelled.", async () => {
    for (const scheduledAt of ["tomorrow at 9am", "in 1 year", "in 99999 min", "2026-11-21"]) {
      await expectRefusal(client.emails.send({ ...EMAIL, scheduledAt }), 422, "validation_error", /ISO 8601|days/);
    }
    await expectRefusal(
      client.emails.send({ ...EMAIL, scheduledAt: "in 1 hour" }, { idempotencyKey: "relative" }),
      422,
      "validation_error",
      /idempotency key/,
    );
    await expectRefusal(
      client.emails.send({ ...EMAIL, scheduledAt: "2020-01-01T00:00:00Z" }),
      422,
      "validation_error",
      /past/,
    );
    const left = await send();
    await eventually(async () => expect((await dataOf(client.emails.get(left))).last_event).toBe("sent"));
    await expectRefusal(client.emails.cancel(left), 409, "validation_error");
    await expectRefusal(client.emails.cancel(UNKNOWN), 404, "not_found");
  });

  test("Pages lead to every email once.", async () => {
    const made = [await send(), await send(), await send()];
    const seen: string[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await dataOf(client.emails.list({ limit: 2, ...(after && { after }) }));
      expect(page.object).toBe("list");
      seen.push(...page.data.map(({ id }) => id));
      if (!page.has_more) break;
      after = seen.at(-1);
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(made));
  });

  test("Pages lead backwards, from an email to newer ones.", async () => {
    const [oldest, middle, next, newest] = [await send(), await send(), await send(), await send()];
    const idsOf = async (page: { limit: number; before: string }) => {
      const { data, has_more } = await dataOf(client.emails.list(page));
      return [data.map(({ id }) => id), has_more];
    };
    expect(await idsOf({ limit: 2, before: oldest })).toEqual([[next, middle], true]);
    expect(await idsOf({ limit: 3, before: oldest })).toEqual([[newest, next, middle], false]);
    expect(await idsOf({ limit: 3, before: newest })).toEqual([[], false]);
  });

  test("Too large pages and wrong cursors are refused.", async () => {
    await expectRefusal(client.emails.list({ limit: 101 }), 422, "validation_error");
    await expectRefusal(client.emails.list({ limit: 0 }), 422, "validation_error");
    await expectRefusal(client.emails.list({ after: "nonsense" }), 422, "validation_error");
    await expectRefusal(client.emails.list({ limit: 101, before: UNKNOWN }), 422, "validation_error", /limit/);
    await expectRefusal(client.emails.list({ before: "nonsense" }), 422, "validation_error");
  });

  test("Emails of another organization are as unknown ones.", async () => {
    const id = await send();
    const [foreignAnswer, unknownAnswer] = [await stranger.emails.get(id), await stranger.emails.get(UNKNOWN)];
    expect(foreignAnswer.error).toEqual(unknownAnswer.error);
    await expectRefusal(stranger.emails.cancel(id), 404, "not_found");
    expect((await dataOf(stranger.emails.list())).data).toEqual([]);
  });

  test("A suppressed recipient, and a blocked one, are refused.", async () => {
    await dataOf(client.suppressions.add({ email: "gone@else.example" }));
    await expectRefusal(
      client.emails.send({ ...EMAIL, to: "gone@else.example" }),
      422,
      "validation_error",
      /gone@else\.example/,
    );
  });
});

describe("batches", () => {
  test("A batch has an id for each email, in order.", async () => {
    const { data } = await dataOf(client.batch.send([EMAIL, { ...EMAIL, subject: "Second" }]));
    const subjects = await Promise.all(data.map(async ({ id }) => (await dataOf(client.emails.get(id))).subject));
    expect(subjects).toEqual(["Hello", "Second"]);
  });

  test("A wrong email in a batch sends none of it.", async () => {
    const before = (await dataOf(client.emails.list({ limit: 1 }))).data[0]?.id;
    await expectRefusal(client.batch.send([EMAIL, { ...EMAIL, to: "nobody" }]), 422, "validation_error", /emails\.1/);
    await expectRefusal(
      client.batch.send([EMAIL, { ...EMAIL, from: "nobody@mail.example" }]),
      403,
      "validation_error",
      /emails\.1/,
    );
    await expectRefusal(
      client.batch.send([EMAIL, { ...EMAIL, to: "gone@else.example" }]),
      422,
      "validation_error",
      /emails\.1/,
    );
    expect((await dataOf(client.emails.list({ limit: 1 }))).data[0]?.id).toBe(before);
  });

  test("A repeated batch with a key sends once.", async () => {
    const asked = () => client.batch.send([EMAIL, { ...EMAIL, subject: "Second" }], { idempotencyKey: "batch-1" });
    const first = await dataOf(asked());
    expect(await dataOf(asked())).toEqual(first);
    expect(new Set(first.data.map(({ id }) => id)).size).toBe(2);
  });

  test("An empty batch, and one of more than 100, are refused.", async () => {
    await expectRefusal(client.batch.send([]), 422, "validation_error");
    await expectRefusal(client.batch.send(Array(101).fill(EMAIL)), 422, "validation_error");
  });

  test("A permissive batch sends what is right, and names the rest.", async () => {
    const wrong = { ...EMAIL, to: "no address" };
    const { subject: _subject, ...unnamed } = EMAIL;
    const emails = [wrong, EMAIL, { ...EMAIL, from: foreign.address }, { from: FROM, subject: "x" } as typeof EMAIL];
    emails.push({ ...EMAIL, headers: { Bcc: "a@b.example" } } as typeof EMAIL, unnamed as typeof EMAIL);
    const sent = await dataOf(client.batch.send(emails, { batchValidation: "permissive" }));
    expect(sent.data).toEqual([{ id: expect.stringMatching(/^msg_/) }]);
    expect(sent.errors).toEqual([
      { index: 0, message: expect.stringMatching(/to/) },
      { index: 2, message: expect.stringMatching(/no mailbox/) },
      { index: 3, message: expect.stringMatching(/to/) },
      { index: 4, message: expect.stringMatching(/headers\.Bcc/) },
      { index: 5, message: expect.stringMatching(/subject/) },
    ]);
  });

  test("A permissive batch is refused as a whole for the key.", async () => {
    const reader = clientOf((await service.newAgentKey(ours.enrollmentKeyId, { scopes: ["mailbox:read"] })).key);
    await expectRefusal(reader.batch.send([EMAIL], { batchValidation: "permissive" }), 401, "restricted_api_key");
  });
});

describe("received emails", () => {
  test("A received email is listed and read, with its raw mail.", async () => {
    const id = await arrive({ subject: "Incoming", text: "Text of it", html: "<p>Text of it</p>" });
    const email = await dataOf(client.emails.receiving.get(id));
    expect(email).toMatchObject({
      object: "email",
      id,
      from: "Ann <ann@else.example>",
      to: [inbox.address],
      received_for: [inbox.address],
      subject: "Incoming",
    });
    expect(email.html).toContain("<p>Text of it</p>");
    expect(email.headers?.subject).toBe("Incoming");
    expect(await (await fetch(email.raw?.download_url ?? "")).text()).toContain("Subject: Incoming");
    const { data } = await dataOf(client.emails.receiving.list({ limit: 1 }));
    expect(data.map((each) => each.id)).toEqual([id]);
  });

  test("Attachments of a received email are listed and downloaded.", async () => {
    const id = await arrive({
      subject: "With files",
      attachments: [
        { filename: "a.txt", content: Buffer.from("aa") },
        { filename: "b.txt", content: Buffer.from("b") },
      ],
    });
    expect((await dataOf(client.emails.receiving.get(id))).attachments.map(({ filename }) => filename)).toEqual([
      "a.txt",
      "b.txt",
    ]);
    const first = await dataOf(client.emails.receiving.attachments.list({ emailId: id, limit: 1 }));
    expect([first.has_more, first.data.map(({ filename }) => filename)]).toEqual([true, ["a.txt"]]);
    const file = await dataOf(client.emails.receiving.attachments.get({ emailId: id, id: first.data[0]?.id ?? "" }));
    expect(await (await fetch(file.download_url)).text()).toBe("aa");
  });

  test("A received picture has the content id by which the HTML names it.", async () => {
    const id = await arrive({
      subject: "With a picture",
      html: '<p>Look: <img src="cid:cat-1@home"></p>',
      attachments: [
        { filename: "cat.gif", content: Buffer.from("GIF89a"), contentType: "image/gif", cid: "cat-1@home" },
        { filename: "plain.txt", content: Buffer.from("x") },
      ],
    });
    const { attachments } = await dataOf(client.emails.receiving.get(id));
    expect(attachments.map(({ filename, content_id }) => [filename, content_id])).toEqual([
      ["cat.gif", "cat-1@home"],
      ["plain.txt", null],
    ]);
  });

  test("A received email is forwarded by the client.", async () => {
    const id = await arrive({ subject: "Pass me on", text: "Original" });
    const { id: sent } = await dataOf(
      client.emails.receiving.forward({ emailId: id, to: "bob@else.example", from: FROM }),
    );
    expect(await dataOf(client.emails.get(sent))).toMatchObject({ subject: "Pass me on", to: ["bob@else.example"] });
    const wrapped = await dataOf(
      client.emails.receiving.forward({
        emailId: id,
        to: "bob@else.example",
        from: FROM,
        passthrough: false,
        text: "See",
      }),
    );
    const { data } = await dataOf(client.emails.attachments.list({ emailId: wrapped.id }));
    expect(data.map(({ filename }) => filename)).toEqual(["forwarded_message.eml"]);
  });

  test("What was sent is not received, and what was received is not sent.", async () => {
    const id = await arrive({ subject: "Direction" });
    await expectRefusal(client.emails.get(id), 404, "not_found");
    await expectRefusal(client.emails.receiving.get(await send()), 404, "not_found");
    await expectRefusal(stranger.emails.receiving.get(id), 404, "not_found");
    expect((await dataOf(client.emails.receiving.get(id, { html_format: "cid" }))).id).toBe(id);
    await expectRefusal(client.emails.receiving.get(id, { html_format: "data_uri" }), 422, "validation_error", /cid/);
  });

  test("Pages of received emails continue after the last.", async () => {
    const [older, newer] = [await arrive({ subject: "Page one" }), await arrive({ subject: "Page two" })];
    expect((await dataOf(client.emails.receiving.list({ limit: 1 }))).data.map(({ id }) => id)).toEqual([newer]);
    expect((await dataOf(client.emails.receiving.list({ limit: 1, after: newer }))).data.map(({ id }) => id)).toEqual([
      older,
    ]);
  });
});

describe("domains", () => {
  test("A domain is added, listed, checked and removed.", async () => {
    const made = await dataOf(client.domains.create({ name: "of-ours.example" }));
    expect(made).toMatchObject({ name: "of-ours.example", status: "pending" });
    expect(made.records.length).toBeGreaterThan(0);
    expect(await dataOf(client.domains.get(made.id))).toMatchObject({ object: "domain", id: made.id });
    expect((await dataOf(client.domains.list())).data.map(({ id }) => id)).toEqual([made.id]);
    expect(await dataOf(client.domains.verify(made.id))).toEqual({ object: "domain", id: made.id });
    await expectRefusal(stranger.domains.get(made.id), 404, "not_found");
    expect(await dataOf(client.domains.remove(made.id))).toEqual({ object: "domain", id: made.id, deleted: true });
    await expectRefusal(client.domains.get(made.id), 404, "not_found");
  });

  test("Each record is of a kind that they know, the ownership record too.", async () => {
    const { id, records } = await dataOf(client.domains.create({ name: "kinds.example" }));
    const kinds = { SPF: ["MX", "TXT", "CNAME"], DKIM: ["TXT", "CNAME"], Receiving: ["MX"] } as Record<
      string,
      string[]
    >;
    for (const { record, type } of records) expect(kinds[record]).toContain(type);
    expect(records.map(({ name }) => name)).toContainEqual(expect.stringContaining("_mailberth"));
    await dataOf(client.domains.remove(id));
  });

  test("Options of domains that do not exist here are refused.", async () => {
    await expectRefusal(
      client.domains.create({ name: "x.example", region: "eu-west-1" }),
      422,
      "validation_error",
      /regions/,
    );
    await expectRefusal(
      client.domains.create({ name: "x.example", openTracking: true }),
      422,
      "validation_error",
      /opens/,
    );
    await expectRefusal(client.domains.create({ name: "no domain" }), 422, "validation_error");
    const made = await dataOf(client.domains.create({ name: "y.example", openTracking: false }));
    expect(await dataOf(client.domains.update({ id: made.id, clickTracking: false }))).toEqual({
      object: "domain",
      id: made.id,
    });
    await expectRefusal(client.domains.update({ id: made.id, clickTracking: true }), 422, "validation_error", /clicks/);
    await expectRefusal(client.domains.claims.create({ name: "z.example" }), 422, "validation_error", /ownership/);
  });

  test("Domains have pages.", async () => {
    for (const name of ["p1.example", "p2.example", "p3.example"]) await dataOf(client.domains.create({ name }));
    const first = await dataOf(client.domains.list({ limit: 2 }));
    const second = await dataOf(client.domains.list({ limit: 2, after: first.data.at(-1)?.id ?? "" }));
    expect(first.has_more).toBe(true);
    expect(new Set([...first.data, ...second.data].map(({ id }) => id)).size).toBe(
      first.data.length + second.data.length,
    );
    await expectRefusal(client.domains.list({ after: "dom_unknown" }), 422, "validation_error");
    await expectRefusal(client.domains.list({ limit: 101, after: "dom_unknown" }), 422, "validation_error");
  });
});

describe("webhooks", () => {
  test("A delivery has their form, and their client verifies it.", async () => {
    const receiver = await startReceiver();
    try {
      const made = await dataOf(client.webhooks.create({ endpoint: receiver.url, events: ["email.received"] }));
      const id = await arrive({ subject: "To the webhook" });
      const hit = await eventually(() => {
        const [first] = receiver.received;
        if (!first) throw new Error("nothing was delivered");
        return first;
      });
      const header = (name: string) => String(hit.headers[name]);
      const event = client.webhooks.verify({
        payload: hit.body,
        headers: { id: header("svix-id"), timestamp: header("svix-timestamp"), signature: header("svix-signature") },
        webhookSecret: made.signing_secret,
      });
      expect(event).toMatchObject({
        type: "email.received",
        data: { email_id: id, to: [inbox.address], received_for: [inbox.address], subject: "To the webhook" },
      });
      const list = await eventually(async () => {
        const { data } = await dataOf(client.webhooks.events.list({ webhookId: made.id }));
        expect(data.map(({ type, status }) => [type, status])).toEqual([["email.received", "success"]]);
        return data;
      });
      const one = { webhookId: made.id, eventId: list[0]?.id ?? "" };
      expect((await dataOf(client.webhooks.events.get(one))).payload).toEqual(event);
      expect((await dataOf(client.webhooks.events.attempts.list(one))).data[0]?.http_status_code).toBe(200);
      await dataOf(client.webhooks.events.replay(one));
      await eventually(() => expect(receiver.received).toHaveLength(2));
      await dataOf(client.webhooks.remove(made.id));
    } finally {
      await receiver.close();
    }
  });

  test("A received email has lists of what its event does not say.", async () => {
    const receiver = await startReceiver();
    try {
      const made = await dataOf(client.webhooks.create({ endpoint: receiver.url, events: ["email.received"] }));
      await arrive({ subject: "Lists of an event", headers: { Cc: "carl@else.example" } });
      const { data } = await eventually(() => JSON.parse(receiver.received[0]?.body ?? ""));
      expect(data).toMatchObject({ cc: ["carl@else.example"], bcc: [], attachments: [], to: [inbox.address] });
      await dataOf(client.webhooks.remove(made.id));
    } finally {
      await receiver.close();
    }
  });

  test("Webhooks of another form do not empty a page.", async () => {
    const endpoint = "https://hooks.example/first";
    const { id } = await dataOf(client.webhooks.create({ endpoint, events: ["email.sent"] }));
    const own = { key: ours.agentKey };
    for (const n of [1, 2]) {
      const url = `https://hooks.example/other-${n}`;
      await rest.post("/v1/webhooks", { url, events: ["message.sent"] }, own);
    }
    const page = await dataOf(client.webhooks.list({ limit: 1 }));
    expect([page.data.map((each) => each.id), page.has_more]).toEqual([[id], false]);
    await dataOf(client.webhooks.remove(id));
  });

  test("Outcomes carry the subject of the email.", async () => {
    const receiver = await startReceiver();
    try {
      const made = await dataOf(
        client.webhooks.create({ endpoint: receiver.url, events: ["email.sent", "email.delivered", "email.bounced"] }),
      );
      const id = await send({ to: inbox.address, subject: "Outcome of this" });
      const bounced = await send({ to: "bounce+7@simulator.invalid", subject: "Will not arrive" });
      await eventually(() => {
        const seen = receiver.received.map(({ body }) => JSON.parse(body)).map(({ type, data }) => [type, data]);
        expect(seen).toEqual(
          expect.arrayContaining([
            ["email.sent", expect.objectContaining({ email_id: id, subject: "Outcome of this" })],
            ["email.delivered", expect.objectContaining({ email_id: id, subject: "Outcome of this" })],
            ["email.bounced", expect.objectContaining({ email_id: bounced, subject: "Will not arrive" })],
          ]),
        );
      });
      await dataOf(client.suppressions.remove("bounce+7@simulator.invalid"));
      await dataOf(client.webhooks.remove(made.id));
    } finally {
      await receiver.close();
    }
  });

  test("Webhooks are listed, changed, rotated and removed; the secret is shown once.", async () => {
    const made = await dataOf(
      client.webhooks.create({ endpoint: "https://hooks.example/r", events: ["email.bounced", "email.failed"] }),
    );
    expect(made.signing_secret).toMatch(/^whsec_/);
    expect(await dataOf(client.webhooks.get(made.id))).toMatchObject({
      endpoint: "https://hooks.example/r",
      status: "enabled",
      events: ["email.bounced", "email.failed"],
    });
    await dataOf(
      client.webhooks.update(made.id, {
        endpoint: "https://hooks.example/s",
        events: ["email.complained"],
        status: "disabled",
      }),
    );
    expect((await dataOf(client.webhooks.list())).data).toMatchObject([
      { id: made.id, endpoint: "https://hooks.example/s", status: "disabled", events: ["email.complained"] },
    ]);
    expect((await dataOf(client.webhooks.rotateSigningSecret(made.id))).signing_secret).not.toBe(made.signing_secret);
    await expectRefusal(stranger.webhooks.get(made.id), 404, "not_found");
    expect(await dataOf(client.webhooks.remove(made.id))).toEqual({ object: "webhook", id: made.id, deleted: true });
    await expectRefusal(client.webhooks.remove(made.id), 404, "not_found");
  });

  test("Kinds of events that do not exist here are refused.", async () => {
    await expectRefusal(
      client.webhooks.create({ endpoint: "https://hooks.example/r", events: ["email.opened"] }),
      422,
      "validation_error",
      /email\.opened/,
    );
    await expectRefusal(
      client.webhooks.create({ endpoint: "ftp://hooks.example", events: ["email.received"] }),
      400,
      "validation_error",
    );
    const own = { key: ours.agentKey };
    const refused = await rest.post(
      "/v1/webhooks",
      { url: "https://hooks.example/r", events: ["message.approved"], format: "resend" },
      own,
    );
    expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, "events.0"]);
    const { id } = (
      await rest.post<{ id: string }>(
        "/v1/webhooks",
        { url: "https://hooks.example/r", events: ["message.received"] },
        own,
      )
    ).body;
    await expectRefusal(client.webhooks.get(id), 404, "not_found");
  });
});

describe("suppressions", () => {
  test("An address is suppressed and released.", async () => {
    expect(await dataOf(client.suppressions.add({ email: "stop@else.example" }))).toEqual({
      object: "suppression",
      id: "stop@else.example",
    });
    expect(await dataOf(client.suppressions.get("stop@else.example"))).toMatchObject({
      email: "stop@else.example",
      origin: "manual",
      source_id: null,
    });
    expect((await dataOf(client.suppressions.list({ origin: "manual" }))).data.map(({ email }) => email)).toContain(
      "stop@else.example",
    );
    expect((await dataOf(client.suppressions.list({ origin: "bounce" }))).data).toEqual([]);
    expect(await dataOf(client.suppressions.remove("stop@else.example"))).toEqual({
      object: "suppression",
      id: "stop@else.example",
      deleted: true,
    });
    await expectRefusal(client.suppressions.get("stop@else.example"), 404, "not_found");
  });

  test("Those of one origin are found behind others, in pages to the end.", async () => {
    const before = (await dataOf(client.suppressions.list({ limit: 100 }))).data.map(({ email }) => email);
    if (before.length > 0) await dataOf(client.suppressions.batch.remove({ emails: before }));
    const bounced = ["bounce+1@simulator.invalid", "bounce+2@simulator.invalid"];
    for (const to of bounced) await send({ to });
    await eventually(async () => expect((await dataOf(client.suppressions.list())).data).toHaveLength(2));
    const emails = Array.from({ length: 5 }, (_, n) => `manual-${n}@else.example`);
    await dataOf(client.suppressions.batch.add({ emails }));
    const seen: string[] = [];
    for (let after: string | undefined, more = true; more; ) {
      const page = await dataOf(client.suppressions.list({ origin: "bounce", limit: 1, ...(after && { after }) }));
      expect(page.data).toHaveLength(1);
      seen.push(...page.data.map(({ email }) => email));
      [after, more] = [page.data[0]?.id, page.has_more];
    }
    expect(seen.toSorted()).toEqual(bounced);
    expect(await dataOf(client.suppressions.list({ origin: "complaint", limit: 2 }))).toMatchObject({
      data: [],
      has_more: false,
    });
    await expectRefusal(client.suppressions.list({ origin: "manual", limit: 0 }), 422, "validation_error");
    await dataOf(client.suppressions.batch.remove({ emails: [...emails, ...bounced] }));
  });

  test("Several addresses are suppressed and released together.", async () => {
    const emails = ["one@else.example", "two@else.example"];
    expect((await dataOf(client.suppressions.batch.add({ emails }))).data.map(({ id }) => id)).toEqual(emails);
    expect((await dataOf(client.suppressions.batch.remove({ emails }))).data.map(({ deleted }) => deleted)).toEqual([
      true,
      true,
    ]);
    await expectRefusal(client.suppressions.add({ email: "no address" }), 422, "validation_error");
  });
});

describe("keys", () => {
  test("No key and wrong keys are refused.", async () => {
    await expectRefusal(clientOf("re_123").emails.list(), 403, "invalid_api_key");
    await expectRefusal(clientOf(ours.enrollmentKey).emails.send(EMAIL), 403, "invalid_api_key");
    const bare = await fetch(`${service.url}/compat/resend/emails`);
    expect([bare.status, await bare.json()]).toMatchObject([401, { name: "missing_api_key", statusCode: 401 }]);
  });

  test("A key without the scope cannot send, and one without reading cannot list.", async () => {
    const reader = clientOf((await service.newAgentKey(ours.enrollmentKeyId, { scopes: ["mailbox:read"] })).key);
    await expectRefusal(reader.emails.send(EMAIL), 401, "restricted_api_key");
    const sender = clientOf((await service.newAgentKey(ours.enrollmentKeyId, { scopes: ["mailbox:send"] })).key);
    await expectRefusal(sender.emails.list(), 401, "restricted_api_key");
    const tags = [{ name: "step", value: "first" }];
    const { id } = await dataOf(sender.emails.send({ ...EMAIL, from: "Sales <shop@mail.example>", tags }));
    expect(await dataOf(client.emails.get(id))).toMatchObject({ tags, from: "Sales <shop@mail.example>" });
  });

  test("A key for another mailbox cannot send from this one.", async () => {
    const other = await rest.createInbox(ours.agentKey);
    const narrow = clientOf((await service.newAgentKey(ours.enrollmentKeyId, { inboxes: [other.address] })).key);
    await expectRefusal(narrow.emails.send(EMAIL), 403, "validation_error");
    await dataOf(narrow.emails.send({ ...EMAIL, from: other.address }));
    await expectRefusal(narrow.emails.get(await send()), 404, "not_found");
  });

  test("A key is created with a name, for all or for sending.", async () => {
    const sender = await dataOf(client.apiKeys.create({ name: "sender", permission: "sending_access" }));
    await dataOf(clientOf(sender.token).emails.send({ ...EMAIL, from: "shop@mail.example" }));
    await expectRefusal(clientOf(sender.token).emails.list(), 401, "restricted_api_key");
    const all = await dataOf(client.apiKeys.create({ name: "all" }));
    await dataOf(clientOf(all.token).emails.list());
    expect((await dataOf(client.apiKeys.list())).data.map(({ name }) => name)).toEqual(["all", "sender"]);
    for (const { id } of [sender, all]) await dataOf(client.apiKeys.remove(id));
    await expectRefusal(client.apiKeys.create({ name: "x", domain_id: "d" }), 422, "validation_error", /mailboxes/);
    await expectRefusal(client.apiKeys.update("akey_1", { name: "x" }), 422, "validation_error");
  });

  test("Removed keys leave no empty page.", async () => {
    const made = [];
    for (const name of ["a", "b", "c", "d", "e"]) made.push((await dataOf(client.apiKeys.create({ name }))).id);
    const [first = "", second = "", ...removed] = made;
    for (const id of removed) await dataOf(client.apiKeys.remove(id));
    const page = await dataOf(client.apiKeys.list({ limit: 1 }));
    expect([page.data.map(({ id }) => id), page.has_more]).toEqual([[second], true]);
    const next = await dataOf(client.apiKeys.list({ limit: 1, after: second }));
    expect([next.data.map(({ id }) => id), next.has_more]).toEqual([[first], false]);
    for (const id of [first, second]) await dataOf(client.apiKeys.remove(id));
    expect(await dataOf(client.apiKeys.list({ limit: 2 }))).toMatchObject({ data: [], has_more: false });
  });

  test("Issued keys are listed and revoked.", async () => {
    const issued = await rest.post<{ id: string; key: string }>(
      "/v1/keys",
      { scopes: ["mailbox:read"] },
      { key: ours.agentKey },
    );
    const ofKeys = async () =>
      (await dataOf(client.apiKeys.list())).data.map(({ id, last_used_at }) => [id, last_used_at]);
    expect(await ofKeys()).toEqual([[issued.body.id, null]]);
    await dataOf(clientOf(issued.body.key).emails.list());
    await eventually(async () => expect(await ofKeys()).toEqual([[issued.body.id, expect.stringMatching(/Z$/)]]));
    expect(await dataOf(client.apiKeys.remove(issued.body.id))).toMatchObject({ object: "api_key", deleted: true });
    await eventually(() => expectRefusal(clientOf(issued.body.key).emails.list(), 403, "invalid_api_key"));
  });

  test("A deleted mailbox sends no more.", async () => {
    const gone = await rest.createInbox(ours.agentKey);
    await rest.delete(`/v1/inboxes/${gone.id}`, { key: ours.agentKey });
    await expectRefusal(client.emails.send({ ...EMAIL, from: gone.address }), 403, "validation_error", /no mailbox/);
  });
});

describe("elsewhere", () => {
  test("What Mailberth does not have says so.", async () => {
    const asked: (() => Promise<Answer<unknown>>)[] = [
      () => client.audiences.list(),
      () => client.contacts.create({ email: "a@b.example" }),
      () => client.contacts.get("a@b.example"),
      () => client.broadcasts.list(),
      () => client.segments.list(),
      () => client.topics.list(),
      () => client.templates.list(),
      () => client.automations.list(),
      () => client.contactProperties.list(),
      () => client.events.list(),
      () => client.logs.list(),
      () => client.inboxes.list(),
      () => client.usage.get(),
      () => client.oauthGrants.list(),
      () => client.emails.metrics(),
      () => client.emails.share(UNKNOWN),
    ];
    for (const each of asked) await expectRefusal(each(), 422, "validation_error", /\.$/);
  });

  test("An unknown path is not found, in the same shape.", async () => {
    const answer = await fetch(`${service.url}/compat/resend/nothing`, {
      headers: { authorization: `Bearer ${ours.agentKey}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([404, { name: "not_found", statusCode: 404 }]);
  });

  test("A body that is no JSON, and one too large, are refused in the same shape.", async () => {
    const post = (body: string) =>
      fetch(`${service.url}/compat/resend/domains`, {
        method: "POST",
        headers: { authorization: `Bearer ${ours.agentKey}`, "content-type": "application/json" },
        body,
      });
    const [broken, large] = [await post("{"), await post(JSON.stringify({ name: "x".repeat(2_000_000) }))];
    expect([broken.status, ((await broken.json()) as { name: string }).name]).toEqual([400, "validation_error"]);
    expect(large.status).toBe(413);
  });

  test("Too many calls are refused with the time to wait.", async () => {
    const slow = await startTestService(
      { COMPAT_APIS: "resend", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "1" },
      { database: service.database },
    );
    try {
      const answers = await Promise.all([1, 2, 3].map(() => clientOf(ours.agentKey, slow.url).emails.list()));
      const refused = answers.find(({ error }) => error !== null);
      expect(refused?.error).toMatchObject({ statusCode: 429, name: "rate_limit_exceeded" });
      expect(Number(refused?.headers?.["retry-after"])).toBeGreaterThan(0);
    } finally {
      await slow.stop();
    }
  });

  test("A batch counts as the sends that it is, before anything is sent.", async () => {
    const slow = await startTestService(
      { COMPAT_APIS: "resend", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "5" },
      { database: service.database },
    );
    try {
      const before = (await dataOf(client.emails.list({ limit: 1 }))).data[0]?.id;
      await expectRefusal(
        clientOf(ours.agentKey, slow.url).batch.send(Array(10).fill(EMAIL)),
        429,
        "rate_limit_exceeded",
      );
      expect((await dataOf(client.emails.list({ limit: 1 }))).data[0]?.id).toBe(before);
    } finally {
      await slow.stop();
    }
  });

  test("Addresses that are suppressed or released together count each, before the first.", async () => {
    const slow = await startTestService(
      { COMPAT_APIS: "resend", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "5" },
      { database: service.database },
    );
    try {
      const emails = Array.from({ length: 10 }, (_, n) => `counted${n}@else.example`);
      const { batch } = clientOf(ours.agentKey, slow.url).suppressions;
      await expectRefusal(batch.add({ emails }), 429, "rate_limit_exceeded");
      await expectRefusal(client.suppressions.get("counted0@else.example"), 404, "not_found");
      await client.suppressions.batch.add({ emails });
      await expectRefusal(batch.remove({ emails }), 429, "rate_limit_exceeded");
      expect((await dataOf(client.suppressions.get("counted0@else.example"))).email).toBe("counted0@else.example");
    } finally {
      await slow.stop();
    }
  });

  test("A list counts once, and once more for each ten of its rows.", async () => {
    const slow = await startTestService(
      { COMPAT_APIS: "resend", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "2" },
      { database: service.database },
    );
    try {
      const patient = clientOf(ours.agentKey, slow.url);
      expect((await dataOf(patient.emails.list({ limit: 9 }))).data.length).toBe(9);
      await expectRefusal(patient.emails.list({ limit: 20 }), 429, "rate_limit_exceeded");
    } finally {
      await slow.stop();
    }
  });
});
