// AgentMail's own client, as npm has it, against /compat/agentmail: what it sends must work, or be refused in its words.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentMail, AgentMailClient, AgentMailError, serialization } from "agentmail";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, describe, expect, test } from "vitest";
import { readSettings } from "#server/base/env.ts";
import { decodeId } from "#server/base/ids.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";
import { startReceiver } from "../../webhooks/delivery/receiver.ts";

const service = await startTestService({ COMPAT_APIS: "agentmail", WEBHOOK_TARGETS: "any", SEND_CAP_RAMP: "1000" });
const rest = api(service);
afterAll(async () => {
  await rest.close();
  await service.stop();
});

const clientOf = (apiKey: string, url = service.url) =>
  new AgentMailClient({ apiKey, baseUrl: `${url}/compat/agentmail`, maxRetries: 0 });

const ours = await service.newOrganization();
const theirs = await service.newOrganization();
const client = clientOf(ours.agentKey);
const stranger = clientOf(theirs.agentKey);
const foreign = await stranger.inboxes.create({ username: "foreign" });
const inbox = await client.inboxes.create({ username: "desk", displayName: "Front desk" });

/** A mail that has arrived and was read. */
async function arrive(mail: Partial<Parameters<typeof service.mail>[0]> & { subject: string }, to = inbox.inboxId) {
  await service.mail({ from: "ann@shop.example", to, text: `About ${mail.subject}`, ...mail });
  return eventually(async () => {
    const [found, ...more] = (await client.inboxes.messages.list(to, { subject: [mail.subject] })).messages;
    expect([found?.preview, more]).toEqual([expect.stringMatching(/./), []]);
    return found as AgentMail.MessageItem;
  });
}

/** What the client throws. */
async function refusalOf(asked: PromiseLike<unknown>): Promise<AgentMailError> {
  const error = await Promise.resolve(asked).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AgentMailError);
  return error as AgentMailError;
}

async function expectRefusal(asked: PromiseLike<unknown>, statusCode: number, name?: string, words?: RegExp) {
  const error = await refusalOf(asked);
  expect(error.statusCode).toBe(statusCode);
  const body = error.body as { name: string; message: string };
  expect(body.name).toBeTypeOf("string");
  expect(body.message).toMatch(/\.$|: .+/);
  if (name) expect(body.name).toBe(name);
  if (words) expect(body.message).toMatch(words);
}

const UNKNOWN_MESSAGE = "msg_01jd3m9v5sf0b8j3mgz7qk2x4c";

describe("inboxes", () => {
  test("An inbox is its address.", () => {
    expect(inbox).toMatchObject({
      inboxId: "desk@mail.example",
      email: "desk@mail.example",
      displayName: "Front desk",
    });
    expect(inbox.createdAt).toBeInstanceOf(Date);
  });

  test("A created inbox can be found.", async () => {
    expect(await client.inboxes.get(inbox.inboxId)).toMatchObject({ inboxId: inbox.inboxId, podId: inbox.podId });
  });

  test("An inbox needs no fields.", async () => {
    expect((await client.inboxes.create()).inboxId).toMatch(/@mail\.example$/);
  });

  test("A repeated client_id is the same inbox.", async () => {
    const first = await client.inboxes.create({ clientId: "signup-1" });
    const again = await client.inboxes.create({ clientId: "signup-1" });
    expect(again).toMatchObject({ inboxId: first.inboxId, clientId: "signup-1" });
  });

  test("A client_id with another address conflicts.", async () => {
    await client.inboxes.create({ clientId: "signup-2" });
    await expectRefusal(client.inboxes.create({ clientId: "signup-2", username: "else" }), 409, "ConflictError");
  });

  test("Metadata is stored with a create.", async () => {
    const made = await client.inboxes.create({ metadata: { customer: "c-1", level: 2, live: true } });
    expect((await client.inboxes.get(made.inboxId)).metadata).toEqual({ customer: "c-1", level: 2, live: true });
  });

  test("Metadata is merged, and null removes a key.", async () => {
    const made = await client.inboxes.create({ metadata: { a: "1", b: "2" } });
    const changed = await client.inboxes.update(made.inboxId, { metadata: { a: null, c: "3" } });
    expect(changed.metadata).toEqual({ b: "2", c: "3" });
    expect((await client.inboxes.update(made.inboxId, { metadata: null })).metadata).toEqual({});
  });

  test("The display name can be changed.", async () => {
    const made = await client.inboxes.create({ displayName: "Old" });
    expect((await client.inboxes.update(made.inboxId, { displayName: "New" })).displayName).toBe("New");
  });

  test("Keys and values of metadata have our limits, which a refusal names.", async () => {
    const { metadata } = await client.inboxes.create({ metadata: { note: "v".repeat(1_000) } });
    expect(metadata).toEqual({ note: "v".repeat(1_000) });
    const long = "k".repeat(101);
    for (const metadata of [{ [long]: "1" }, { a: "1", [long]: 2 }]) {
      const error = await refusalOf(client.inboxes.create({ metadata }));
      expect(error.body).toMatchObject({
        errors: [{ path: `metadata.${long}`, message: expect.stringMatching(/^the key .*100 char/) }],
      });
    }
    await expectRefusal(client.inboxes.create({ metadata: { a: "v".repeat(1_001) } }), 400, "ValidationError");
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, true]));
    await expectRefusal(client.inboxes.create({ metadata: many }), 400, "ValidationError", /at most 50 keys/);
  });

  test("Pages lead to every inbox once.", async () => {
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await client.inboxes.list({ limit: 2, ...(pageToken && { pageToken }) });
      expect(page.count).toBe(page.inboxes.length);
      seen.push(...page.inboxes.map(({ inboxId }) => inboxId));
      pageToken = page.nextPageToken;
    } while (pageToken);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain(inbox.inboxId);
    expect(seen).not.toContain(foreign.inboxId);
  });

  test("An update of nothing is refused.", async () => {
    const made = await client.inboxes.create({ metadata: { a: "1" } });
    await expectRefusal(client.inboxes.update(made.inboxId, {}), 400, "ValidationError", /display_name/);
    await expectRefusal(client.inboxes.update(made.inboxId, { metadata: {} }), 400, "ValidationError", /null/);
    expect((await client.inboxes.get(made.inboxId)).metadata).toEqual({ a: "1" });
  });

  test("A search finds beginnings of words of the address or name.", async () => {
    expect((await client.inboxes.search({ q: "front DESK" })).inboxes.map(({ inboxId }) => inboxId)).toEqual([
      inbox.inboxId,
    ]);
    for (const q of ["DES", "desk@mail", "example"])
      expect((await client.inboxes.search({ q })).inboxes.map(({ inboxId }) => inboxId)).toContain(inbox.inboxId);
    for (const q of ["esk", "foreign"]) expect((await client.inboxes.search({ q })).inboxes).toEqual([]);
    await expectRefusal(client.inboxes.search({ q: "d" }), 400, "ValidationError");
  });

  test("A deleted inbox is gone, with its mail.", async () => {
    const made = await client.inboxes.create();
    await client.inboxes.delete(made.inboxId);
    await expectRefusal(client.inboxes.get(made.inboxId), 404, "NotFoundError");
    await expectRefusal(client.inboxes.messages.list(made.inboxId), 404, "NotFoundError");
    await expectRefusal(client.inboxes.delete(made.inboxId), 404, "NotFoundError");
  });

  test("A taken address, and an address of another organization, are taken.", async () => {
    await expectRefusal(client.inboxes.create({ username: "desk" }), 403, "IsTakenError");
    await expectRefusal(client.inboxes.create({ username: "foreign" }), 403, "IsTakenError");
  });

  test("Lists can be read from their oldest item on.", async () => {
    const box = await client.inboxes.create();
    for (const subject of ["First", "Second", "Third"]) await arrive({ subject }, box.inboxId);
    const page = async (pageToken?: string) => {
      const { messages, nextPageToken } = await client.inboxes.messages.list(box.inboxId, {
        ascending: true,
        limit: 2,
        ...(pageToken && { pageToken }),
      });
      return { subjects: messages.map(({ subject }) => subject), nextPageToken };
    };
    const first = await page();
    expect(first.subjects).toEqual(["First", "Second"]);
    expect(await page(first.nextPageToken)).toEqual({ subjects: ["Third"], nextPageToken: undefined });
    const [, second] = (await client.inboxes.messages.list(box.inboxId, { ascending: true })).messages;
    await client.inboxes.messages.delete(box.inboxId, second?.messageId ?? "");
    expect(await page(first.nextPageToken)).toEqual({ subjects: ["Third"], nextPageToken: undefined });
    const { threads } = await client.inboxes.threads.list(box.inboxId, { ascending: true });
    expect(threads.map(({ subject }) => subject)).toEqual(["First", "Third"]);
    const { inboxes } = await client.inboxes.list({ ascending: true, limit: 1 });
    expect(inboxes.map(({ inboxId }) => inboxId)).toEqual([inbox.inboxId]);
    await expectRefusal(client.inboxes.list({ ascending: true, limit: 0 }), 400, "ValidationError", /limit/);
    await expectRefusal(client.inboxes.list({ ascending: true, pageToken: "nonsense" }), 400, "ValidationError");
  });

  test("A wrong name, domain or page is refused.", async () => {
    await expectRefusal(client.inboxes.create({ username: "a b" }), 400, "ValidationError");
    await expectRefusal(client.inboxes.create({ domain: "not-mine.example" }), 403, "ForbiddenError");
    await expectRefusal(client.inboxes.list({ limit: 101 }), 400, "ValidationError");
    await expectRefusal(client.inboxes.list({ pageToken: "nonsense" }), 400, "ValidationError");
  });

  test("What signs in elsewhere is not available.", async () => {
    await expectRefusal(client.inboxes.authorize(inbox.inboxId, { authToken: "a" }), 400, "ValidationError", /sign/);
  });
});

describe("keys", () => {
  test("No key, a wrong key and an enrollment key are refused.", async () => {
    for (const key of ["am_123", ours.agentKey.slice(0, -1), ours.enrollmentKey]) {
      await expectRefusal(clientOf(key).inboxes.list(), 401, "UnauthorizedError");
    }
    const bare = await fetch(`${service.url}/compat/agentmail/v0/inboxes`);
    expect([bare.status, await bare.json()]).toMatchObject([401, { name: "UnauthorizedError" }]);
  });

  test("A key without the scope cannot send.", async () => {
    const { key } = await service.newAgentKey(ours.enrollmentKeyId, { scopes: ["mailbox:read"] });
    await expectRefusal(
      clientOf(key).inboxes.messages.send(inbox.inboxId, { to: "a@b.example", text: "x" }),
      403,
      "ForbiddenError",
    );
    await expectRefusal(clientOf(key).inboxes.create(), 403, "ForbiddenError");
  });

  test("A key that may not read sends with labels.", async () => {
    const own = await client.inboxes.create();
    const sender = clientOf((await service.newAgentKey(ours.enrollmentKeyId, { scopes: ["mailbox:send"] })).key);
    const send = (labels: string[]) =>
      sender.inboxes.messages.send(own.inboxId, { to: "a@b.example", text: "x", labels });
    await expectRefusal(send(["sent"]), 400, "ValidationError", /label sent/);
    const { messageId } = await send(["x"]);
    expect((await client.inboxes.messages.list(own.inboxId, { labels: ["x"] })).messages).toMatchObject([
      { messageId },
    ]);
  });

  test("A key for one inbox sees no other.", async () => {
    const other = await client.inboxes.create();
    const issued = (await client.inboxes.apiKeys.create(other.inboxId, {})) as AgentMail.CreateApiKeyResponse;
    const narrow = clientOf(issued.apiKey);
    expect((await narrow.inboxes.list()).inboxes.map(({ inboxId }) => inboxId)).toEqual([other.inboxId]);
    await expectRefusal(narrow.inboxes.messages.list(inbox.inboxId), 404, "NotFoundError");
    expect(await narrow.auth.me()).toMatchObject({ scopeType: "inbox", scopeId: other.inboxId });
    expect((await client.inboxes.apiKeys.list(other.inboxId)).apiKeys.map(({ apiKeyId }) => apiKeyId)).toEqual([
      issued.apiKeyId,
    ]);
    await client.inboxes.apiKeys.delete(other.inboxId, issued.apiKeyId);
    await eventually(() => expectRefusal(narrow.inboxes.list(), 401));
  });

  test("Permissions are scopes.", async () => {
    const issued = (await client.apiKeys.create({
      permissions: { messageRead: true, inboxRead: true },
    })) as AgentMail.CreateApiKeyResponse;
    const reader = clientOf(issued.apiKey);
    expect((await reader.inboxes.list()).count).toBeGreaterThan(0);
    await expectRefusal(reader.inboxes.create(), 403, "ForbiddenError");
    expect(await client.apiKeys.get(issued.apiKeyId)).toMatchObject({
      permissions: { messageRead: true, messageSend: false },
    });
  });

  test("A key has a name.", async () => {
    const issued = (await client.apiKeys.create({ name: "worker" })) as AgentMail.CreateApiKeyResponse;
    expect(issued.name).toBe("worker");
    const listed = (await client.apiKeys.list()).apiKeys.map(({ apiKeyId, name }) => [apiKeyId, name]);
    expect(listed).toContainEqual([issued.apiKeyId, "worker"]);
    await client.apiKeys.delete(issued.apiKeyId);
  });

  test("A deleted key is gone, also by its inbox, and a page is empty only at the end of a list.", async () => {
    const own = await client.inboxes.create();
    const { apiKeys } = client.inboxes;
    const made = [];
    for (let n = 0; n < 4; n += 1) made.push(await apiKeys.create(own.inboxId, { name: `k${n}` }));
    const [kept, ...deleted] = made.map(({ apiKeyId }) => apiKeyId);
    for (const id of deleted) await apiKeys.delete(own.inboxId, id);
    for (const id of deleted) {
      await expectRefusal(client.apiKeys.get(id), 404, "NotFoundError");
      await expectRefusal(client.apiKeys.delete(id), 404, "NotFoundError");
      await expectRefusal(apiKeys.delete(own.inboxId, id), 404, "NotFoundError");
    }
    expect((await client.apiKeys.list({ limit: 1 })).apiKeys.map(({ apiKeyId }) => apiKeyId)).toEqual([kept]);
    expect((await apiKeys.list(own.inboxId, { limit: 1 })).apiKeys.map(({ apiKeyId }) => apiKeyId)).toEqual([kept]);
    expect((await client.apiKeys.get(kept ?? "")).apiKeyId).toBe(kept);
  });

  test("Permissions that go together are not divided.", async () => {
    await expectRefusal(
      client.apiKeys.create({ permissions: { inboxCreate: true, inboxUpdate: false } }),
      400,
      "ValidationError",
      /go together here\. Set all of these to true, or none: inbox_create, inbox_update/,
    );
    await expectRefusal(client.apiKeys.create({ permissions: { podCreate: true } }), 400, "ValidationError");
    await expectRefusal(client.apiKeys.update(UNKNOWN_MESSAGE, { name: "worker" }), 400, "ValidationError");
  });

  test("No permission to create, delete or send is given that was not asked for.", async () => {
    const names = { messageDelete: "inbox_delete", webhookRead: "webhook_create", apiKeyRead: "api_key_create" };
    for (const [asked, given] of Object.entries(names)) {
      const refused = client.apiKeys.create({ permissions: { inboxRead: true, [asked]: true } });
      await expectRefusal(refused, 400, "ValidationError", new RegExp(`${given} go together`));
    }
    for (const others of [{}, { draftCreate: true, inboxRead: true }, { messageSend: false }]) {
      const refused = client.apiKeys.create({ permissions: { draftSend: true, ...others } });
      const words = /draft_send and message_send go together here\. Set all of these to true, or none: message_send, /;
      await expectRefusal(refused, 400, "ValidationError", words);
    }
    for (const permissions of [{}, { messageSend: false }]) {
      const { message } = (await refusalOf(client.apiKeys.create({ permissions }))).body as { message: string };
      expect(message).toMatch(/^permissions: a key has at least one here\..*leave out `permissions`/);
      expect(message).not.toMatch(/scope|mailbox:/);
    }
    const sends = { messageSend: true, draftSend: true };
    const sender = (await client.apiKeys.create({ permissions: sends })) as AgentMail.CreateApiKeyResponse;
    expect(sender.permissions).toMatchObject(sends);
    const both = { messageDelete: true, inboxDelete: true };
    const { permissions } = (await client.apiKeys.create({ permissions: both })) as AgentMail.CreateApiKeyResponse;
    expect(permissions).toMatchObject({ ...both, messageRead: false });
  });

  test("All keys are bearer keys.", async () => {
    const all = await client.apiKeys.list();
    expect((await client.apiKeys.list({ type: "bearer" })).apiKeys).toEqual(all.apiKeys);
    expect((await client.apiKeys.list({ type: "public_key", limit: 1 })).apiKeys).toEqual([]);
  });

  test("An organization is one pod.", async () => {
    const me = await client.auth.me();
    expect(me).toMatchObject({ scopeType: "organization", organizationId: inbox.podId });
    expect((await client.pods.list()).pods.map(({ podId }) => podId)).toEqual([inbox.podId]);
    expect((await client.pods.get(inbox.podId)).podId).toBe(inbox.podId);
    expect((await client.pods.inboxes.get(inbox.podId, inbox.inboxId)).inboxId).toBe(inbox.inboxId);
    expect((await client.organizations.get()).inboxCount).toBeGreaterThan(0);
  });

  test("The pod of another organization is unknown.", async () => {
    const foreignPod = await refusalOf(client.pods.inboxes.list(foreign.podId));
    const noPod = await refusalOf(client.pods.inboxes.list("org_01jd3m9v5sf0b8j3mgz7qk2x4c"));
    expect([foreignPod.statusCode, foreignPod.body]).toEqual([noPod.statusCode, noPod.body]);
    await expectRefusal(client.pods.get(foreign.podId), 404, "NotFoundError");
    await expectRefusal(client.pods.create({ name: "more" }), 400, "ValidationError", /one pod/);
    await expectRefusal(client.pods.delete(inbox.podId), 400, "ValidationError");
  });
});

describe("messages", () => {
  test("A mail that arrived is listed and read.", async () => {
    const item = await arrive({ subject: "Hello there", from: "Ann <ann@shop.example>", text: "Body of it" });
    expect(item).toMatchObject({
      from: "Ann <ann@shop.example>",
      to: [inbox.inboxId],
      labels: ["received", "unread"],
      preview: "Body of it",
    });
    const whole = await client.inboxes.messages.get(inbox.inboxId, item.messageId);
    expect(whole).toMatchObject({
      messageId: item.messageId,
      threadId: item.threadId,
      text: "Body of it\n",
      extractedText: "Body of it",
    });
    expect(whole.headers?.Subject).toBe("Hello there");
    expect(whole.timestamp).toBeInstanceOf(Date);
  });

  test("A message is sent, and listed as sent.", async () => {
    const sent = await client.inboxes.messages.send(inbox.inboxId, {
      to: "bob@else.example",
      subject: "Offer",
      text: "Hi",
      html: "<p>Hi</p>",
    });
    const found = await client.inboxes.messages.get(inbox.inboxId, sent.messageId);
    expect(found).toMatchObject({
      threadId: sent.threadId,
      to: ["bob@else.example"],
      subject: "Offer",
      labels: ["sent"],
      html: "<p>Hi</p>",
    });
    const listed = await client.inboxes.messages.list(inbox.inboxId, { labels: ["sent"], subject: ["Offer"] });
    expect(listed.messages.map(({ messageId }) => messageId)).toEqual([sent.messageId]);
  });

  test("A send takes lists, copies and a Reply-To.", async () => {
    const sent = await client.inboxes.messages.send(inbox.inboxId, {
      to: ["bob@else.example", "Eve <eve@else.example>"],
      cc: '"Lee, Carl" <cc@else.example>',
      bcc: ["bcc@else.example"],
      replyTo: ["Answers <answers@else.example>", "desk@else.example"],
      subject: "Many",
      text: "Hi",
      labels: ["campaign"],
    });
    const found = await client.inboxes.messages.get(inbox.inboxId, sent.messageId);
    expect(found).toMatchObject({ bcc: ["bcc@else.example"], labels: ["sent", "campaign"] });
    expect([found.to, found.cc]).toEqual([
      ["bob@else.example", "Eve <eve@else.example>"],
      ['"Lee, Carl" <cc@else.example>'],
    ]);
    expect(found.replyTo).toEqual(["answers@else.example", "desk@else.example"]);
  });

  test("An attachment is sent and downloaded.", async () => {
    const sent = await client.inboxes.messages.send(inbox.inboxId, {
      to: "bob@else.example",
      subject: "File",
      text: "See file",
      attachments: [
        { filename: "a.txt", contentType: "text/plain", content: Buffer.from("octets").toString("base64") },
      ],
    });
    const [file] = (await client.inboxes.messages.get(inbox.inboxId, sent.messageId)).attachments ?? [];
    expect(file).toMatchObject({
      filename: "a.txt",
      size: 6,
      contentType: "text/plain",
      contentDisposition: "attachment",
    });
    const link = await client.inboxes.messages.getAttachment(inbox.inboxId, sent.messageId, file?.attachmentId ?? "");
    expect(link.expiresAt.getTime()).toBeGreaterThan(Date.now());
    const download = await fetch(link.downloadUrl);
    expect([download.status, await download.text()]).toEqual([200, "octets"]);
  });

  test("The raw mail is downloaded as it came, by a link that cannot be changed.", async () => {
    const item = await arrive({ subject: "Raw one" });
    const raw = await client.inboxes.messages.getRaw(inbox.inboxId, item.messageId);
    const download = await fetch(raw.downloadUrl);
    expect(download.headers.get("content-type")).toBe("message/rfc822");
    expect(await download.text()).toContain("Subject: Raw one");
    const altered = `${raw.downloadUrl.slice(0, -2)}${raw.downloadUrl.endsWith("A") ? "B" : "A"}`;
    expect((await fetch(altered)).status).toBe(404);
    expect((await fetch(raw.downloadUrl, { method: "POST" })).status).toBe(405);
  });

  test("The raw mail of what was sent is what its recipient got.", async () => {
    const { messageId } = await client.inboxes.messages.send(inbox.inboxId, {
      to: inbox.inboxId,
      bcc: "hidden@else.example",
      subject: "Raw sent",
      text: "Grüße",
      attachments: [{ filename: "a.txt", content: "YQ==" }],
    });
    const raw = await client.inboxes.messages.getRaw(inbox.inboxId, messageId);
    const bytes = await (await fetch(raw.downloadUrl)).text();
    expect(Buffer.byteLength(bytes)).toBe(raw.size);
    expect(bytes).not.toContain("hidden@");
    const received = await eventually(async () => {
      const [item] = (
        await client.inboxes.messages.list(inbox.inboxId, { labels: ["received"], subject: ["Raw sent"] })
      ).messages;
      return client.inboxes.messages.getRaw(inbox.inboxId, item?.messageId ?? "");
    });
    expect((await (await fetch(received.downloadUrl)).text()).endsWith(bytes)).toBe(true);
    await expectRefusal(stranger.inboxes.messages.getRaw(inbox.inboxId, messageId), 404, "NotFoundError");
  });

  test("A link ends after 15 minutes.", async () => {
    const item = await arrive({ subject: "Old link" });
    const { pathname } = new URL((await client.inboxes.messages.getRaw(inbox.inboxId, item.messageId)).downloadUrl);
    const clock = adjustableClock();
    const later = await startTestService({ COMPAT_APIS: "agentmail" }, { database: service.database, now: clock.now });
    try {
      clock.advance(14 * 60_000);
      expect((await fetch(later.url + pathname)).status).toBe(200);
      clock.advance(2 * 60_000);
      expect((await fetch(later.url + pathname)).status).toBe(404);
    } finally {
      await later.stop();
    }
  });

  test("A link ends with its key.", async () => {
    const item = await arrive({ subject: "Short link" });
    const issued = (await client.apiKeys.create({})) as AgentMail.CreateApiKeyResponse;
    const { downloadUrl } = await clientOf(issued.apiKey).inboxes.messages.getRaw(inbox.inboxId, item.messageId);
    expect((await fetch(downloadUrl)).status).toBe(200);
    await client.apiKeys.delete(issued.apiKeyId);
    await eventually(async () => expect((await fetch(downloadUrl)).status).toBe(401));
  });

  test("A reply continues the thread.", async () => {
    const item = await arrive({ subject: "Question" });
    const answer = await client.inboxes.messages.reply(inbox.inboxId, item.messageId, { text: "Answer" });
    expect(answer.threadId).toBe(item.threadId);
    const sent = await client.inboxes.messages.get(inbox.inboxId, answer.messageId);
    expect(sent).toMatchObject({ subject: "Re: Question", to: ["ann@shop.example"] });
  });

  test("A reply names the mail that it answers, and those before it.", async () => {
    const [one, two] = ["<one@shop.example>", "<two@shop.example>"] as const;
    const item = await arrive({
      subject: "Re: Sofa",
      headers: { "Message-ID": two, "In-Reply-To": one, References: one },
    });
    expect(await client.inboxes.messages.get(inbox.inboxId, item.messageId)).toMatchObject({
      inReplyTo: one,
      references: [one],
    });
    const { messageId } = await client.inboxes.messages.reply(inbox.inboxId, item.messageId, { text: "Tomorrow" });
    expect(await client.inboxes.messages.get(inbox.inboxId, messageId)).toMatchObject({
      inReplyTo: two,
      references: [one, two],
    });
    const first = await client.inboxes.messages.send(inbox.inboxId, { to: "bob@else.example", text: "x" });
    expect((await client.inboxes.messages.get(inbox.inboxId, first.messageId)).inReplyTo).toBeUndefined();
  });

  test("A reply to all has the others as copies.", async () => {
    const item = await arrive({ subject: "All of us", headers: { Cc: "carl@shop.example" } });
    const answer = await client.inboxes.messages.replyAll(inbox.inboxId, item.messageId, { text: "Answer" });
    expect((await client.inboxes.messages.get(inbox.inboxId, answer.messageId)).cc).toEqual(["carl@shop.example"]);
  });

  test("A reply may go to other recipients.", async () => {
    const item = await arrive({ subject: "Other people" });
    const answer = await client.inboxes.messages.reply(inbox.inboxId, item.messageId, {
      to: "bob@else.example",
      cc: ["cc@else.example"],
      text: "Answer",
    });
    expect(answer.threadId).toBe(item.threadId);
    expect(await client.inboxes.messages.get(inbox.inboxId, answer.messageId)).toMatchObject({
      to: ["bob@else.example"],
      cc: ["cc@else.example"],
    });
    expect((await client.drafts.list()).drafts.filter(({ subject }) => subject === "Re: Other people")).toEqual([]);
    const request = { to: "bob@else.example", text: "Once" };
    const options = { headers: { "Idempotency-Key": "reply-1" } };
    const [once, again] = [
      await client.inboxes.messages.reply(inbox.inboxId, item.messageId, request, options),
      await client.inboxes.messages.reply(inbox.inboxId, item.messageId, request, options),
    ];
    expect(again.messageId).toBe(once.messageId);
    await expectRefusal(
      client.inboxes.messages.reply(inbox.inboxId, item.messageId, { ...request, replyAll: true }),
      400,
      "ValidationError",
      /reply_all/,
    );
  });

  test("Replies, forwards and sent drafts have labels, and a reply its Reply-To.", async () => {
    const item = await arrive({ subject: "With labels" });
    const { draftId } = await client.inboxes.drafts.create(inbox.inboxId, { inReplyTo: item.messageId, text: "Draft" });
    const sent = [
      await client.inboxes.messages.reply(inbox.inboxId, item.messageId, {
        text: "Answer",
        replyTo: "desk2@mail.example",
        labels: ["kept"],
      }),
      await client.inboxes.messages.forward(inbox.inboxId, item.messageId, { to: "a@b.example", labels: ["kept"] }),
      await client.inboxes.drafts.send(inbox.inboxId, draftId, { addLabels: ["kept"] }),
    ];
    const { messages } = await client.inboxes.messages.list(inbox.inboxId, { labels: ["kept"] });
    expect(messages.map(({ messageId }) => messageId)).toEqual(sent.map(({ messageId }) => messageId).reverse());
    const replied = await client.inboxes.messages.get(inbox.inboxId, sent[0]?.messageId ?? "");
    expect(replied.replyTo).toEqual(["desk2@mail.example"]);
  });

  test("Sends and replies have headers of their own, and a forward has none.", async () => {
    const item = await arrive({ subject: "With headers", headers: { Cc: "carl@shop.example" } });
    const { messages } = client.inboxes;
    const own = { "X-Order": "1042", "List-Unsubscribe": "<https://shop.example/u>" };
    const content = { text: "x", headers: own };
    const answers = [
      await messages.send(inbox.inboxId, { to: "a@b.example", ...content }),
      await messages.reply(inbox.inboxId, item.messageId, content),
      await messages.reply(inbox.inboxId, item.messageId, { to: "a@b.example", ...content }),
      await messages.replyAll(inbox.inboxId, item.messageId, content),
    ];
    for (const { messageId } of answers) {
      const { headers } = await messages.get(inbox.inboxId, messageId);
      expect(headers).toEqual({ "Message-ID": expect.stringMatching(/^<.+>$/), ...own });
      const { downloadUrl } = await eventually(() => messages.getRaw(inbox.inboxId, messageId));
      expect(await (await fetch(downloadUrl)).text()).toContain("X-Order: 1042\r\n");
    }
    const forward = (headers: Record<string, string>) =>
      messages.forward(inbox.inboxId, item.messageId, { to: "a@b.example", headers });
    await expectRefusal(forward(own), 400, "ValidationError", /headers: a forward/);
    expect((await forward({})).messageId).toMatch(/^msg_/);
  });

  test("A forward has the mail and its files.", async () => {
    const item = await arrive({
      subject: "Forward me",
      text: "Original text",
      attachments: [{ filename: "b.txt", content: Buffer.from("b") }],
    });
    const sent = await client.inboxes.messages.forward(inbox.inboxId, item.messageId, {
      to: "bob@else.example",
      text: "Look",
    });
    const found = await client.inboxes.messages.get(inbox.inboxId, sent.messageId);
    expect(found.subject).toBe("Fwd: Forward me");
    expect(found.text).toContain("Original text");
    expect(found.attachments?.map(({ filename }) => filename)).toEqual(["b.txt"]);
    await expectRefusal(
      client.inboxes.messages.forward(inbox.inboxId, item.messageId, { to: "bob@else.example", subject: "Mine" }),
      400,
      "ValidationError",
      /subject/,
    );
  });

  test("Labels are added and removed; unread is one of them.", async () => {
    const item = await arrive({ subject: "Label me" });
    const update = (add: string[], remove: string[]) =>
      client.inboxes.messages.update(inbox.inboxId, item.messageId, { addLabels: add, removeLabels: remove });
    expect((await update(["urgent", "later"], ["unread"])).labels).toEqual(["received", "urgent", "later"]);
    expect((await update(["unread"], ["later"])).labels).toEqual(["received", "unread", "urgent"]);
    const listed = await client.inboxes.messages.list(inbox.inboxId, { labels: ["unread", "urgent"] });
    expect(listed.messages.map(({ messageId }) => messageId)).toEqual([item.messageId]);
    await expectRefusal(update(["trash"], []), 400, "ValidationError", /says what a message is/);
  });

  test("A label that is added and removed is removed, as the answers say.", async () => {
    const { messageId } = await arrive({ subject: "Label in both" });
    const { messages } = client.inboxes;
    await messages.update(inbox.inboxId, messageId, {
      addLabels: ["twice", "unread"],
      removeLabels: ["twice", "unread"],
    });
    const kept = async () => (await messages.get(inbox.inboxId, messageId)).labels;
    expect(await kept()).toEqual(["received"]);
    const both = { messageIds: [messageId], addLabels: ["once", "twice"], removeLabels: ["twice"] };
    const { updates } = await messages.batchUpdate(inbox.inboxId, both);
    expect(updates).toEqual([{ messageId, labels: ["received", "once"] }]);
    expect(await kept()).toEqual(["received", "once"]);
  });

  test("Concurrent changes of labels are all kept.", async () => {
    const item = await arrive({ subject: "Busy labels" });
    const names = Array.from({ length: 10 }, (_, i) => `label-${i}`);
    await Promise.all(
      names.map((name) => client.inboxes.messages.update(inbox.inboxId, item.messageId, { addLabels: name })),
    );
    expect((await client.inboxes.messages.get(inbox.inboxId, item.messageId)).labels.toSorted()).toEqual(
      [...names, "received", "unread"].toSorted(),
    );
  });

  test("Several messages are not updated without labels.", async () => {
    const { messageId } = await arrive({ subject: "No labels given" });
    for (const labels of [{}, { addLabels: [] }, { addLabels: [], removeLabels: [] }])
      await expectRefusal(
        client.inboxes.messages.batchUpdate(inbox.inboxId, { messageIds: [messageId], ...labels }),
        400,
        "ValidationError",
        /add_labels or remove_labels/,
      );
  });

  test("Several messages are read and labelled together; unknown ones are left out.", async () => {
    const [a, b] = [await arrive({ subject: "Batch a" }), await arrive({ subject: "Batch b" })];
    const messageIds = [b.messageId, UNKNOWN_MESSAGE, a.messageId];
    const got = await client.inboxes.messages.batchGet(inbox.inboxId, { messageIds });
    expect(got).toMatchObject({ count: 2, limit: 3 });
    expect(got.messages.map(({ subject, text, extractedText }) => [subject, text, extractedText])).toEqual([
      ["Batch b", undefined, undefined],
      ["Batch a", undefined, undefined],
    ]);
    const updated = await client.inboxes.messages.batchUpdate(inbox.inboxId, {
      messageIds,
      addLabels: ["done"],
      removeLabels: "unread",
    });
    expect(updated).toMatchObject({ count: 2, limit: 3 });
    expect(updated.updates).toEqual([
      { messageId: b.messageId, labels: ["received", "done"] },
      { messageId: a.messageId, labels: ["received", "done"] },
    ]);
    const many = Array.from({ length: 101 }, (_, i) => `msg_${i}`);
    for (const wrong of [many, [a.messageId, a.messageId], []]) {
      const asked = { messageIds: wrong };
      await expectRefusal(client.inboxes.messages.batchGet(inbox.inboxId, asked), 400, "ValidationError");
      await expectRefusal(
        client.inboxes.messages.batchUpdate(inbox.inboxId, { ...asked, addLabels: "x" }),
        400,
        "ValidationError",
      );
    }
  });

  test("A search finds words, with highlights.", async () => {
    const item = await arrive({ subject: "Zebrafish report", text: "Numbers of zebrafish" });
    const { messages } = await client.inboxes.messages.search(inbox.inboxId, { q: "zebrafish" });
    expect(messages.map(({ messageId }) => messageId)).toEqual([item.messageId]);
    expect(messages[0]?.highlights).toEqual({
      subject: ["**Zebrafish** report"],
      text: ["Numbers of **zebrafish**"],
    });
    const [thread] = (await client.threads.search({ q: "numbers" })).threads;
    expect([thread?.threadId, thread?.highlights]).toEqual([item.threadId, { text: ["**Numbers** of zebrafish"] }]);
    await expectRefusal(client.inboxes.messages.search(inbox.inboxId, { q: "is:odd" }), 400, "ValidationError");
  });

  test("Filters of sender and time hold, and all values must match.", async () => {
    const item = await arrive({ subject: "From Zed", from: "Zed <zed@filter.example>" });
    const found = async (filter: AgentMail.inboxes.ListMessagesRequest) =>
      (await client.inboxes.messages.list(inbox.inboxId, filter)).messages.map(({ messageId }) => messageId);
    expect(await found({ from: ["zed@filter.example"] })).toEqual([item.messageId]);
    expect(await found({ from: ["filter.example", "zed"] })).toEqual([item.messageId]);
    expect(await found({ from: ["filter.example", "ann"] })).toEqual([]);
    expect(await found({ from: ["zed@filter.example"], before: item.timestamp })).toEqual([]);
    expect(await found({ from: ["zed@filter.example"], after: new Date(item.timestamp.getTime() - 1) })).toEqual([
      item.messageId,
    ]);
    expect(await found({ from: ["zed@filter.example"], labels: ["spam"], includeSpam: true })).toEqual([]);
  });

  test("A label of Gmail is refused as a filter and in a search, in the same words.", async () => {
    const { messages } = client.inboxes;
    for (const label of ["INBOX", "TRASH", "SPAM"]) {
      const { message } = (await refusalOf(messages.list(inbox.inboxId, { labels: [label] }))).body as {
        message: string;
      };
      expect(message).toMatch(/^labels: is no label here; .+/);
      const searched = messages.search(inbox.inboxId, { q: `zebrafish label:${label}` });
      expect((await refusalOf(searched)).body).toMatchObject({ message: message.replace("labels", "q: label") });
    }
    const { messages: found } = await messages.search(inbox.inboxId, { q: "zebrafish label:inbox" });
    expect(found).toEqual([]);
  });

  test("Filters of senders and recipients find any part, of copies too.", async () => {
    const own = (await client.inboxes.create({ username: "parts" })).inboxId;
    const from = "Ida Berg <ida@north.parts.example>";
    const { messageId } = await arrive({ subject: "Parts", from, headers: { Cc: "cc@copies.example" } }, own);
    const sent = await client.inboxes.messages.send(own, {
      to: ["Otto <otto@first.example>", "ulf@second.example"],
      bcc: "blind@third.example",
      subject: "Parts sent",
      text: "x",
    });
    const found = async (query: AgentMail.inboxes.ListMessagesRequest) =>
      (await client.inboxes.messages.list(own, query)).messages.map((each) => each.messageId);
    for (const part of [
      "ida@nor",
      "IDA@north.parts.example",
      "parts.exam",
      "@north",
      "Ida Be",
      "Ida Berg <",
      "berg <ida@",
      from,
    ])
      expect([part, await found({ from: [part], labels: ["received"] })]).toEqual([part, [messageId]]);
    expect(await found({ from: ["ida@north.parts.example", "nobody"] })).toEqual([]);
    for (const part of ["cc@cop", "cc@copies.example", "copies.exam"])
      expect([part, await found({ to: [part] })]).toEqual([part, [messageId]]);
    for (const to of [["otto@fir", "ulf@second"], ["second.ex"], ["blind@thi", "otto"]])
      expect([to, await found({ to })]).toEqual([to, [sent.messageId]]);
    const threads = await client.inboxes.threads.list(own, { recipients: ["cc@copies"] });
    expect(threads.threads.map(({ recipients }) => recipients)).toEqual([[own, "cc@copies.example"]]);
  });

  test("Filters find a whole address with any name before it, or none.", async () => {
    const own = (await client.inboxes.create({ username: "names" })).inboxId;
    const from = '"Moss, Kim" <kim@names.example>';
    const { messageId, threadId } = await arrive(
      { subject: "Names", from, headers: { Cc: "Al <al@copy.example>" } },
      own,
    );
    const sent = await client.inboxes.messages.send(own, {
      to: "Noa <noa@to.example>",
      cc: "Rae <rae@cc.example>",
      bcc: "sol@bcc.example",
      subject: "Names sent",
      text: "x",
    });
    const found = async (query: AgentMail.inboxes.ListMessagesRequest) =>
      (await client.inboxes.messages.list(own, query)).messages.map((each) => each.messageId);
    const threads = async (query: AgentMail.inboxes.ListThreadsRequest) =>
      (await client.inboxes.threads.list(own, query)).threads.map((each) => each.threadId);
    const writer = ["kim@names.example", "KIM@names.example", "Kim Moss <kim@names.example>", from];
    for (const each of [...writer, "<kim@names.example>"]) {
      expect([each, await found({ from: [each] })]).toEqual([each, [messageId]]);
      expect([each, await threads({ senders: [each] })]).toEqual([each, [threadId]]);
    }
    for (const each of ["al@copy.example", '"Al, of Sales" <al@copy.example>']) {
      expect([each, await found({ to: [each] })]).toEqual([each, [messageId]]);
      expect([each, await threads({ recipients: [each] })]).toEqual([each, [threadId]]);
    }
    const readers = ["Noa <noa@to.example>", '"Rae, CFO" <rae@cc.example>', "Sol <sol@bcc.example>", "sol@bcc.example"];
    for (const each of readers) {
      expect([each, await found({ to: [each] })]).toEqual([each, [sent.messageId]]);
      expect([each, await threads({ recipients: [each] })]).toEqual([each, [sent.threadId]]);
    }
    expect(await found({ from: ["Kim Moss <im@names.example>"] })).toEqual([]);
  });

  test("Quarantined mail has the label spam, is listed with includeSpam, and loses the label.", async () => {
    const box = await client.inboxes.create({ username: "quarantine" });
    const member = await newOwner(service, ours.organizationId);
    await member.trpc.messages.setSpamPolicy.mutate({ inbox: box.inboxId, policy: "quarantine" });
    const raw = `From: "PayPal" <a@far.example>\r\nSubject: YOU HAVE WON THE LOTTERY\r\n\r\nClaim your prize: http://bit.ly/x\r\n`;
    await service.mail({ from: "a@far.example", to: box.inboxId, raw });
    const listed = async (query: AgentMail.inboxes.ListMessagesRequest) =>
      (await client.inboxes.messages.list(box.inboxId, query)).messages;
    const [held] = await eventually(async () => {
      const found = await listed({ includeSpam: true });
      expect(found.map(({ labels }) => labels)).toEqual([["received", "unread", "spam"]]);
      return found;
    });
    expect(await listed({ labels: ["spam"] })).toHaveLength(1);
    expect(await listed({})).toEqual([]);
    expect((await client.inboxes.threads.list(box.inboxId, { includeSpam: false })).threads).toEqual([]);
    for (const asked of [{ includeSpam: true }, { labels: ["spam"] }]) {
      const refused = client.inboxes.threads.list(box.inboxId, asked);
      await expectRefusal(refused, 400, "ValidationError", /without quarantined mail/);
    }
    const id = held?.messageId ?? "";
    await expectRefusal(
      client.inboxes.messages.update(box.inboxId, id, { addLabels: ["spam"] }),
      400,
      "ValidationError",
    );
    const { labels } = await client.inboxes.messages.update(box.inboxId, id, { removeLabels: ["spam"] });
    expect(labels).toEqual(["received", "unread"]);
    expect(await listed({})).toHaveLength(1);
  });

  test("Pages of messages are as large as asked, and continue.", async () => {
    const page = await client.inboxes.messages.list(inbox.inboxId, { limit: 2 });
    expect([page.messages.length, page.limit]).toEqual([2, 2]);
    const next = await client.inboxes.messages.list(inbox.inboxId, { limit: 2, pageToken: page.nextPageToken ?? "" });
    expect(next.messages.map(({ messageId }) => messageId)).not.toContain(page.messages[0]?.messageId);
    await expectRefusal(client.inboxes.messages.list(inbox.inboxId, { limit: 1_000 }), 400, "ValidationError");
  });

  test("A deleted message is gone.", async () => {
    const item = await arrive({ subject: "Delete me" });
    await client.inboxes.messages.delete(inbox.inboxId, item.messageId);
    await expectRefusal(client.inboxes.messages.get(inbox.inboxId, item.messageId), 404, "NotFoundError");
    await expectRefusal(client.inboxes.messages.delete(inbox.inboxId, item.messageId), 404, "NotFoundError");
  });

  test("Messages of another organization, and of another inbox, are as unknown ones.", async () => {
    const item = await arrive({ subject: "Secret" });
    const other = await client.inboxes.create();
    const bodies = [
      await refusalOf(stranger.inboxes.messages.get(foreign.inboxId, item.messageId)),
      await refusalOf(client.inboxes.messages.get(other.inboxId, item.messageId)),
      await refusalOf(client.inboxes.messages.get(inbox.inboxId, UNKNOWN_MESSAGE)),
      await refusalOf(client.inboxes.messages.get(inbox.inboxId, "<a@b.example>")),
    ].map(({ statusCode, body }) => [statusCode, body]);
    for (const each of bodies) expect(each).toEqual(bodies[0]);
    await expectRefusal(
      stranger.inboxes.messages.reply(foreign.inboxId, item.messageId, { text: "x" }),
      404,
      "NotFoundError",
    );
    await expectRefusal(
      client.inboxes.messages.update(other.inboxId, item.messageId, { addLabels: "x" }),
      404,
      "NotFoundError",
    );
    await expectRefusal(
      client.inboxes.messages.send(foreign.inboxId, { to: "a@b.example", text: "x" }),
      404,
      "NotFoundError",
    );
  });

  test("Wrong recipients are refused.", async () => {
    const send = (request: AgentMail.SendMessageRequest) => client.inboxes.messages.send(inbox.inboxId, request);
    await expectRefusal(send({ to: "nobody", text: "x" }), 400, "ValidationError", /to\.0/);
    await expectRefusal(send({ text: "x" }), 400, "ValidationError");
    await expectRefusal(
      send({ to: Array.from({ length: 51 }, (_, i) => `a${i}@b.example`), text: "x" }),
      400,
      "ValidationError",
    );
    await expectRefusal(send({ to: "a@b.example", text: "x", subject: "a\nBcc: b@b.example" }), 400, "ValidationError");
  });

  test("Fields without a counterpart are refused, not ignored.", async () => {
    const send = (request: object) =>
      client.inboxes.messages.send(inbox.inboxId, { to: "a@b.example", text: "x", ...request });
    await expectRefusal(send({ headers: { Bcc: "b@b.example" } }), 400, "ValidationError", /use the field `bcc`/);
    await expectRefusal(send({ trackOpens: true }), 400, "ValidationError", /opens/);
    const inline = { filename: "a.png", content: "YQ==", contentDisposition: "inline" };
    await expectRefusal(send({ attachments: [inline] }), 400, "ValidationError", /content_id/);
    const shown = { ...inline, contentDisposition: "attachment", contentId: "logo" };
    await expectRefusal(send({ attachments: [shown] }), 400, "ValidationError", /is inline here/);
    await expectRefusal(send({ attachments: [{ filename: "a" }] }), 400, "ValidationError");
    const { messageId } = await send({
      to: inbox.inboxId,
      subject: "Logo",
      attachments: [{ ...inline, contentId: "logo" }],
      html: "<img src='cid:logo'>",
    });
    const received = await eventually(async () => {
      const { messages } = await client.inboxes.messages.list(inbox.inboxId, {
        labels: ["received"],
        subject: ["Logo"],
      });
      const found = await client.inboxes.messages.get(inbox.inboxId, messages[0]?.messageId ?? "");
      expect(found.attachments).toHaveLength(1);
      return found;
    });
    expect(received.attachments).toMatchObject([{ contentId: "logo", contentDisposition: "inline" }]);
    expect((await client.inboxes.messages.get(inbox.inboxId, messageId)).attachments).toHaveLength(1);
  });

  test("A blocked recipient is a rejected message.", async () => {
    await client.lists.create("send", "block", { entry: "blocked.example", reason: "Never" });
    const error = await refusalOf(client.inboxes.messages.send(inbox.inboxId, { to: "a@blocked.example", text: "x" }));
    expect(error).toBeInstanceOf(AgentMail.MessageRejectedError);
  });

  test("A repeated Idempotency-Key sends once, and conflicts with another body.", async () => {
    const options = { headers: { "Idempotency-Key": "send-1" } };
    const send = (text: string) => client.inboxes.messages.send(inbox.inboxId, { to: "a@b.example", text }, options);
    const first = await send("once");
    expect(await send("once")).toEqual(first);
    await expectRefusal(send("other"), 409, "ConflictError");
  });
});

describe("rows", () => {
  const twoFiles = [
    { filename: "plan.ics", content: Buffer.from("BEGIN:VCALENDAR"), contentType: "text/calendar" },
    { filename: "logo.gif", content: Buffer.from("GIF89a"), contentType: "image/gif", cid: "logo@shop" },
  ];

  test("Rows of messages have copies and files, as their message has them, but of received ones no names of copies.", async () => {
    const { messageId } = await arrive({
      subject: "Row of a received one",
      headers: { Cc: "Carl <carl@shop.example>, dora@shop.example" },
      html: '<img src="cid:logo@shop">',
      attachments: twoFiles,
    });
    const sent = await client.inboxes.messages.send(inbox.inboxId, {
      to: "bob@else.example",
      cc: ["Cleo Moss <cleo@else.example>"],
      subject: "Row of a sent one",
      text: "x",
      attachments: [{ filename: "a.csv", content: Buffer.from("1;2").toString("base64") }],
    });
    for (const id of [messageId, sent.messageId]) {
      const whole = await client.inboxes.messages.get(inbox.inboxId, id);
      expect(whole.attachments?.length).toBe(id === messageId ? 2 : 1);
      expect(whole.cc?.length).toBe(id === messageId ? 2 : 1);
      const { messages } = await client.inboxes.messages.list(inbox.inboxId, { subject: ["Row of a"] });
      const row = messages.find((each) => each.messageId === id);
      const cc = id === messageId ? ["carl@shop.example", "dora@shop.example"] : whole.cc;
      expect([row?.cc, row?.attachments]).toEqual([cc, whole.attachments]);
      const found = (await client.inboxes.messages.search(inbox.inboxId, { q: whole.subject ?? "" })).messages;
      expect(found.map(({ attachments }) => attachments)).toEqual([whole.attachments]);
    }
    const plain = await arrive({ subject: "Row without files" });
    expect([plain.cc, plain.attachments]).toEqual([[], []]);
  });

  test("Rows of threads have the files of their messages.", async () => {
    const item = await arrive({ subject: "Thread with files", attachments: twoFiles });
    const attachments = [{ filename: "answer.txt", content: Buffer.from("x").toString("base64") }];
    await client.inboxes.messages.reply(inbox.inboxId, item.messageId, { text: "x", attachments });
    const whole = await client.threads.get(item.threadId);
    expect(whole.attachments?.map(({ filename }) => filename)).toEqual(["plan.ics", "logo.gif", "answer.txt"]);
    const row = (await client.threads.list({ limit: 1 })).threads[0];
    expect(row?.threadId).toBe(item.threadId);
    expect(row?.attachments?.map(({ filename }) => filename)).toEqual(["answer.txt", "plan.ics", "logo.gif"]);
    expect(row?.attachments).toEqual(expect.arrayContaining(whole.attachments ?? []));
  });

  test("Of many files rows have the first, and the others are found in the thread.", async () => {
    const attachments = Array.from({ length: 23 }, (_, n) => ({ filename: `${n}.txt`, content: Buffer.from(`${n}`) }));
    const { attachments: rows, messageId, threadId } = await arrive({ subject: "Many files", attachments });
    const whole = (await client.inboxes.messages.get(inbox.inboxId, messageId)).attachments ?? [];
    expect([whole.length, rows]).toEqual([23, whole.slice(0, 20)]);
    const link = await client.threads.getAttachment(threadId, whole[22]?.attachmentId ?? "");
    expect(await (await fetch(link.downloadUrl)).text()).toBe("22");
  });

  test("A page is empty only at the end of a list.", async () => {
    const own = (await client.inboxes.create()).inboxId;
    const wanted = await arrive({ subject: "Oldest quoll", from: "Una <una@quoll.example>" }, own);
    const labels = ["quoll"];
    await client.inboxes.messages.update(own, wanted.messageId, { addLabels: labels });
    for (const n of [1, 2, 3]) await arrive({ subject: `Newer ${n}`, from: "Vic <vic@other.example>" }, own);
    const one = { limit: 1 };
    const { messages, threads } = client.inboxes;
    expect((await messages.list(own, { ...one, from: ["una", "quoll"] })).messages).toHaveLength(1);
    expect((await threads.list(own, { ...one, labels })).threads).toMatchObject([{ threadId: wanted.threadId }]);
    expect((await threads.list(own, { ...one, senders: ["vic@"], ascending: true })).threads).toHaveLength(1);
    const none = await threads.list(own, { ...one, senders: ["nobody@"] });
    expect([none.threads, none.nextPageToken]).toEqual([[], undefined]);
  });
});

describe("threads", () => {
  test("A thread has its messages, senders and recipients.", async () => {
    const item = await arrive({ subject: "Threaded", from: "Ann <ann@shop.example>" });
    const answer = await client.inboxes.messages.reply(inbox.inboxId, item.messageId, { text: "Answer" });
    const thread = await client.inboxes.threads.get(inbox.inboxId, item.threadId);
    expect(thread).toMatchObject({ subject: "Threaded", messageCount: 2, lastMessageId: answer.messageId });
    expect(thread.messages.map(({ messageId }) => messageId)).toEqual([item.messageId, answer.messageId]);
    expect(thread.senders).toContain("Ann <ann@shop.example>");
    expect(thread.recipients).toContain("ann@shop.example");
    expect(thread.labels.toSorted()).toEqual(["received", "sent", "unread"]);
    expect(thread.sentTimestamp && thread.receivedTimestamp).toBeInstanceOf(Date);
  });

  test("Threads are listed in an inbox and in the organization.", async () => {
    const item = await arrive({ subject: "Listed thread" });
    const inInbox = await client.inboxes.threads.list(inbox.inboxId, { limit: 1 });
    expect(inInbox.threads[0]).toMatchObject({
      threadId: item.threadId,
      messageCount: 1,
      preview: "About Listed thread",
    });
    expect((await client.threads.list({ limit: 1 })).threads[0]?.threadId).toBe(item.threadId);
    expect((await client.threads.get(item.threadId)).messages).toHaveLength(1);
  });

  test("Threads are filtered by label, sender, subject and time.", async () => {
    const item = await arrive({ subject: "Filtered thread", from: "Uma <uma@filter.example>" });
    const found = async (filter: AgentMail.ListThreadsRequest) =>
      (await client.threads.list(filter)).threads.map(({ threadId }) => threadId);
    expect(await found({ senders: ["uma@filter"] })).toEqual([item.threadId]);
    expect(await found({ subject: ["filtered"], labels: ["unread"] })).toEqual([item.threadId]);
    expect(await found({ subject: ["filtered"], labels: ["sent"] })).toEqual([]);
    expect(await found({ after: item.timestamp })).not.toContain(item.threadId);
    expect(await found({ recipients: [inbox.inboxId], before: new Date(0) })).toEqual([]);
  });

  test("Labels of a thread are those of its messages.", async () => {
    const item = await arrive({ subject: "Label thread" });
    const updated = await client.inboxes.threads.update(inbox.inboxId, item.threadId, {
      addLabels: ["vip"],
      removeLabels: ["unread"],
    });
    expect(updated.labels).toEqual(["received", "vip"]);
    expect((await client.inboxes.messages.get(inbox.inboxId, item.messageId)).labels).toEqual(["received", "vip"]);
  });

  test("A search finds threads once.", async () => {
    const item = await arrive({ subject: "Quokka", text: "quokka" });
    await client.inboxes.messages.reply(inbox.inboxId, item.messageId, { text: "quokka again" });
    expect((await client.threads.search({ q: "quokka" })).threads.map(({ threadId }) => threadId)).toEqual([
      item.threadId,
    ]);
    expect((await client.inboxes.threads.search(inbox.inboxId, { q: "quokka" })).count).toBe(1);
  });

  test("An attachment is found in its thread.", async () => {
    const item = await arrive({
      subject: "Thread file",
      attachments: [{ filename: "c.txt", content: Buffer.from("ccc") }],
    });
    const [file] = (await client.threads.get(item.threadId)).attachments ?? [];
    const link = await client.threads.getAttachment(item.threadId, file?.attachmentId ?? "");
    expect(await (await fetch(link.downloadUrl)).text()).toBe("ccc");
    await expectRefusal(
      client.threads.getAttachment(item.threadId, "att_01jd3m9v5sf0b8j3mgz7qk2x4c"),
      404,
      "NotFoundError",
    );
  });

  test("A deleted thread is gone, and those of others are unknown.", async () => {
    const item = await arrive({ subject: "Thread to delete" });
    await expectRefusal(stranger.threads.get(item.threadId), 404, "NotFoundError");
    await expectRefusal(stranger.inboxes.threads.delete(foreign.inboxId, item.threadId), 404, "NotFoundError");
    await client.inboxes.threads.delete(inbox.inboxId, item.threadId);
    await expectRefusal(client.threads.get(item.threadId), 404, "NotFoundError");
  });
});

describe("drafts", () => {
  test("A draft is created, changed and sent once.", async () => {
    const draft = await client.inboxes.drafts.create(inbox.inboxId, {
      to: ["bob@else.example"],
      subject: "Draft",
      text: "v1",
    });
    expect(
      await client.inboxes.drafts.update(inbox.inboxId, draft.draftId, { text: "v2", cc: ["cc@else.example"] }),
    ).toMatchObject({ text: "v2", subject: "Draft" });
    expect((await client.drafts.get(draft.draftId)).cc).toEqual(["cc@else.example"]);
    expect((await client.inboxes.drafts.list(inbox.inboxId)).drafts.map(({ draftId }) => draftId)).toContain(
      draft.draftId,
    );
    const sent = await client.inboxes.drafts.send(inbox.inboxId, draft.draftId, { addLabels: ["from-draft"] });
    expect((await client.inboxes.messages.get(inbox.inboxId, sent.messageId)).labels).toEqual(["sent", "from-draft"]);
    await expectRefusal(client.drafts.get(draft.draftId), 404, "NotFoundError");
  });

  test("A field of a draft is cleared with null.", async () => {
    const draft = await client.inboxes.drafts.create(inbox.inboxId, {
      to: ["bob@else.example"],
      subject: "Clear",
      text: "text",
    });
    const cleared = await client.inboxes.drafts.update(inbox.inboxId, draft.draftId, { to: null, subject: null });
    expect(cleared).toMatchObject({ to: [], text: "text" });
    expect(cleared.subject ?? "").toBe("");
    await client.inboxes.drafts.delete(inbox.inboxId, draft.draftId);
    await expectRefusal(client.inboxes.drafts.get(inbox.inboxId, draft.draftId), 404, "NotFoundError");
  });

  test("A draft has labels, is found by them, and gives them to its message.", async () => {
    const { drafts } = client.inboxes;
    const { draftId, labels } = await drafts.create(inbox.inboxId, {
      to: ["bob@else.example"],
      text: "x",
      labels: ["Refund", "vip"],
    });
    expect(labels).toEqual(["draft", "Refund", "vip"]);
    const found = async (wanted: string[]) =>
      (await client.drafts.list({ labels: wanted })).drafts.map((draft) => draft.draftId);
    expect([await found(["Refund", "vip"]), await found(["draft", "Refund"])]).toEqual([[draftId], [draftId]]);
    const change = { addLabels: ["later", "vip"], removeLabels: ["Refund"] };
    expect((await drafts.update(inbox.inboxId, draftId, change)).labels).toEqual(["draft", "vip", "later"]);
    expect([await found(["Refund"]), await found(["later"])]).toEqual([[], [draftId]]);
    expect((await drafts.update(inbox.inboxId, draftId, { text: "y" })).labels).toEqual(["draft", "vip", "later"]);
    const sent = await drafts.send(inbox.inboxId, draftId, { addLabels: ["done"], removeLabels: ["later"] });
    expect((await client.inboxes.messages.get(inbox.inboxId, sent.messageId)).labels).toEqual(["sent", "vip", "done"]);
  });

  test("The labels of a draft with a time change, and its message keeps them.", async () => {
    const { drafts } = client.inboxes;
    const sendAt = new Date(Date.now() + 3_600_000);
    const content = { to: ["bob@else.example"], text: "x", labels: ["first"], sendAt };
    const { draftId, labels } = await drafts.create(inbox.inboxId, content);
    expect(labels).toEqual(["draft", "scheduled", "first"]);
    const changed = await drafts.update(inbox.inboxId, draftId, { addLabels: ["second"], removeLabels: ["first"] });
    expect(changed).toMatchObject({ labels: ["draft", "scheduled", "second"], sendAt });
    expect((await client.drafts.list({ labels: ["second"] })).drafts).toMatchObject([{ draftId }]);
    await expectRefusal(
      drafts.update(inbox.inboxId, draftId, { addLabels: ["sent"] }),
      400,
      "ValidationError",
      /says what a message is/,
    );
    await drafts.delete(inbox.inboxId, draftId);
  });

  test("A draft answers a message.", async () => {
    const item = await arrive({ subject: "Draft answer" });
    const draft = await client.inboxes.drafts.create(inbox.inboxId, { inReplyTo: item.messageId, text: "Later" });
    expect(draft).toMatchObject({ inReplyTo: item.messageId, to: [item.from] });
    expect((await client.inboxes.drafts.send(inbox.inboxId, draft.draftId, {})).threadId).toBe(item.threadId);
  });

  test("A draft with a time is scheduled until it is deleted.", async () => {
    const sendAt = new Date(Date.now() + 3_600_000);
    const draft = await client.inboxes.drafts.create(inbox.inboxId, {
      to: ["bob@else.example"],
      subject: "Timed",
      text: "x",
      sendAt,
      clientId: "timed-1",
    });
    expect(draft).toMatchObject({ sendStatus: "scheduled", sendAt });
    const again = await client.inboxes.drafts.create(inbox.inboxId, {
      to: ["bob@else.example"],
      subject: "Timed",
      text: "x",
      sendAt,
      clientId: "timed-1",
    });
    expect(again.draftId).toBe(draft.draftId);
    expect(await client.inboxes.drafts.get(inbox.inboxId, draft.draftId)).toMatchObject({ subject: "Timed", sendAt });
    expect((await client.drafts.list({ labels: ["scheduled"] })).drafts.map(({ draftId }) => draftId)).toEqual([
      draft.draftId,
    ]);
    const later = new Date(Date.now() + 7_200_000);
    const update = (change: object) => client.inboxes.drafts.update(inbox.inboxId, draft.draftId, change);
    expect(await update({ sendAt: later })).toMatchObject({ subject: "Timed", sendAt: later });
    await expectRefusal(update({ subject: "Other" }), 400, "ValidationError", /only send_at/);
    await expectRefusal(update({ sendAt: null, addLabels: ["still"] }), 400, "ValidationError", /delete it/);
    await client.inboxes.drafts.delete(inbox.inboxId, draft.draftId);
    await expectRefusal(client.drafts.get(draft.draftId), 404, "NotFoundError");
    await expectRefusal(
      client.inboxes.drafts.create(inbox.inboxId, { to: ["a@b.example"], text: "x", sendAt: new Date(0) }),
      400,
      "ValidationError",
      /past/,
    );
  });

  test("A reply to all has a message and no other recipients.", async () => {
    const item = await arrive({ subject: "For all of us", headers: { Cc: "gil@shop.example" } });
    const { drafts } = client.inboxes;
    const answer = { inReplyTo: item.messageId, replyAll: true, text: "All" };
    for (const sendAt of [undefined, new Date(Date.now() + 3_600_000)])
      for (const own of [{ to: ["hal@else.example"] }, { cc: ["hal@else.example"] }, { bcc: ["hal@else.example"] }]) {
        const asked = { ...answer, ...own, ...(sendAt && { sendAt }) };
        await expectRefusal(
          drafts.create(inbox.inboxId, asked),
          400,
          "ValidationError",
          new RegExp(`reply to all takes no .${Object.keys(own)[0]}`),
        );
      }
    await expectRefusal(
      drafts.create(inbox.inboxId, { to: ["hal@else.example"], replyAll: true, text: "x" }),
      400,
      "ValidationError",
      /in_reply_to/,
    );
    const draft = await drafts.create(inbox.inboxId, { ...answer, to: [], cc: [] });
    expect(draft.to).toEqual(["ann@shop.example", "gil@shop.example"]);
    await drafts.create(inbox.inboxId, { ...answer, replyAll: false, to: ["hal@else.example"] });
  });

  test("A reply shows the subject that it gets, until it has its own.", async () => {
    const { drafts } = client.inboxes;
    const item = await arrive({ subject: "Offer for June" });
    const made = await drafts.create(inbox.inboxId, { inReplyTo: item.messageId, text: "x" });
    const shown = async () => [
      (await drafts.get(inbox.inboxId, made.draftId)).subject,
      (await client.drafts.list()).drafts.find(({ draftId }) => draftId === made.draftId)?.subject,
    ];
    expect([made.subject, ...(await shown())]).toEqual(Array(3).fill("Re: Offer for June"));
    const changed = await drafts.update(inbox.inboxId, made.draftId, { text: "y" });
    expect(changed.subject).toBe("Re: Offer for June");
    await drafts.update(inbox.inboxId, made.draftId, { subject: "Own" });
    expect(await shown()).toEqual(["Own", "Own"]);
    const again = await arrive({ subject: "RE: Offer for July" });
    const second = await drafts.create(inbox.inboxId, { inReplyTo: again.messageId, text: "x" });
    const { messageId } = await drafts.send(inbox.inboxId, second.draftId, {});
    expect((await client.inboxes.messages.get(inbox.inboxId, messageId)).subject).toBe(second.subject);
    const gone = await arrive({ subject: "Will be deleted" });
    const third = await drafts.create(inbox.inboxId, { inReplyTo: gone.messageId, text: "x" });
    await client.inboxes.messages.delete(inbox.inboxId, gone.messageId);
    expect((await drafts.get(inbox.inboxId, third.draftId)).subject).toBeUndefined();
  });

  test("A draft that changes while it is changed is refused with what to do.", async () => {
    const { drafts } = client.inboxes;
    const { draftId } = await drafts.create(inbox.inboxId, { to: ["bob@else.example"], text: "0" });
    await eventually(async () => {
      const changes = Array.from({ length: 8 }, (_, n) => drafts.update(inbox.inboxId, draftId, { text: `${n}` }));
      const refused = (await Promise.allSettled(changes)).flatMap((each) => (each.status === "rejected" ? [each] : []));
      const fixes = new Set(refused.map(({ reason }) => (reason.body as { fix: string }).fix));
      expect([...fixes]).toEqual(["Read the draft again, then repeat the call."]);
    });
  });

  test("A repeated send with an idempotency key is the message of the draft.", async () => {
    const { drafts } = client.inboxes;
    const asked = { to: ["bob@else.example"], subject: "Once only", text: "x", labels: ["first"] };
    const { draftId } = await drafts.create(inbox.inboxId, asked);
    const key = { idempotencyKey: "send-once" };
    const send = (id: string, options = {}, of = inbox.inboxId) =>
      drafts.send(of, id, { removeLabels: ["first"], addLabels: ["last"] }, options);
    const first = await send(draftId, key);
    expect([await send(draftId, key), await send(draftId, key)]).toEqual([first, first]);
    expect((await client.inboxes.messages.list(inbox.inboxId, { subject: ["Once only"] })).messages).toMatchObject([
      { messageId: first.messageId, labels: ["sent", "last"] },
    ]);
    await expectRefusal(send(draftId), 404, "NotFoundError");
    for (const labels of [{ addLabels: ["other"] }, { removeLabels: ["last"] }]) {
      const repeated = drafts.send(inbox.inboxId, draftId, labels, key);
      await expectRefusal(repeated, 409, "ConflictError", /other labels/);
      const { fix } = (await refusalOf(drafts.send(inbox.inboxId, draftId, labels, key))).body as { fix: string };
      expect(fix).toContain(`PATCH /v0/inboxes/{inbox_id}/messages/${first.messageId}`);
    }
    const other = await client.inboxes.create();
    await expectRefusal(send(draftId, key, other.inboxId), 404, "NotFoundError");
    await expectRefusal(stranger.inboxes.drafts.send(foreign.inboxId, draftId, {}, key), 404, "NotFoundError");
    const unsent = (await drafts.create(inbox.inboxId, asked)).draftId;
    await expectRefusal(send(unsent, { idempotencyKey: "elsewhere" }, other.inboxId), 404, "NotFoundError");
    expect((await drafts.get(inbox.inboxId, unsent)).draftId).toBe(unsent);
    await drafts.delete(inbox.inboxId, unsent);
    await expectRefusal(send(unsent, { idempotencyKey: "deleted" }), 404, "NotFoundError");
  });

  test("Drafts are found by the time of their last change, and by labels behind other drafts.", async () => {
    const own = (await client.inboxes.create()).inboxId;
    const { drafts } = client.inboxes;
    const create = (more: object = {}) => drafts.create(own, { to: ["bob@else.example"], text: "x", ...more });
    const old = await create({ labels: ["wombat"] });
    const [middle, timed] = [await create(), await create({ sendAt: new Date(Date.now() + 3_600_000) })];
    const last = await drafts.update(own, middle.draftId, { text: "y" });
    const found = async (filter: AgentMail.inboxes.ListDraftsRequest) => {
      const ids: string[] = [];
      let pageToken: string | undefined;
      do {
        const page = await drafts.list(own, { ...filter, limit: 1, ...(pageToken && { pageToken }) });
        expect(page.drafts.length === 0 && page.nextPageToken).toBeFalsy();
        ids.push(...page.drafts.map(({ draftId }) => draftId));
        pageToken = page.nextPageToken;
      } while (pageToken);
      return ids;
    };
    const ids = [middle.draftId, timed.draftId, old.draftId];
    expect(await found({ after: new Date(old.updatedAt.getTime() - 1) })).toEqual(ids);
    expect(await found({ after: old.updatedAt })).toEqual(ids.slice(0, 2));
    expect(await found({ before: last.updatedAt })).toEqual([timed.draftId, old.draftId]);
    expect(await found({ before: last.updatedAt, labels: ["wombat"] })).toEqual([old.draftId]);
    expect(await found({ after: last.updatedAt })).toEqual([]);
  });

  test("What drafts cannot do here is refused.", async () => {
    const draft = await client.inboxes.drafts.create(inbox.inboxId, { text: "x" });
    await expectRefusal(
      client.inboxes.drafts.update(inbox.inboxId, draft.draftId, { sendAt: new Date() }),
      400,
      "ValidationError",
      /time/,
    );
    await expectRefusal(
      client.inboxes.drafts.create(inbox.inboxId, { clientId: "again" }),
      400,
      "ValidationError",
      /client_id/,
    );
    const two = { replyTo: ["a@b.example", "c@b.example"] };
    await expectRefusal(client.inboxes.drafts.create(inbox.inboxId, two), 400, "ValidationError", /one address/);
    await expectRefusal(
      client.inboxes.drafts.create(inbox.inboxId, { labels: ["sent"] }),
      400,
      "ValidationError",
      /says what a message is/,
    );
    await expectRefusal(
      client.inboxes.drafts.update(inbox.inboxId, draft.draftId, { removeLabels: ["draft"] }),
      400,
      "ValidationError",
      /says what a message is/,
    );
    await expectRefusal(client.inboxes.drafts.send(inbox.inboxId, draft.draftId, {}), 400, "ValidationError");
    await expectRefusal(stranger.drafts.get(draft.draftId), 404, "NotFoundError");
    await expectRefusal(client.drafts.getAttachment(draft.draftId, "0"), 404, "NotFoundError");
  });

  test("A file of a draft is downloaded until it is replaced.", async () => {
    const files = (content: string) => [
      { filename: "a.txt", contentType: "text/plain", content: Buffer.from("first").toString("base64") },
      { filename: "offer.csv", contentType: "text/csv", content: Buffer.from(content).toString("base64") },
    ];
    const { drafts } = client.inboxes;
    for (const sendAt of [undefined, new Date(Date.now() + 3_600_000)]) {
      const asked = { to: ["bob@else.example"], text: "See", attachments: files("x;1"), ...(sendAt && { sendAt }) };
      const draft = await drafts.create(inbox.inboxId, asked);
      const fileId = draft.attachments?.[1]?.attachmentId ?? "";
      const link = await drafts.getAttachment(inbox.inboxId, draft.draftId, fileId);
      expect(link).toMatchObject({ filename: "offer.csv", size: 3, contentType: "text/csv" });
      expect(await (await fetch(link.downloadUrl)).text()).toBe("x;1");
      expect((await client.drafts.getAttachment(draft.draftId, fileId)).attachmentId).toBe(fileId);
      await expectRefusal(stranger.drafts.getAttachment(draft.draftId, fileId), 404, "NotFoundError");
      const other = await client.inboxes.create();
      await expectRefusal(drafts.getAttachment(other.inboxId, draft.draftId, fileId), 404, "NotFoundError");
      await drafts.delete(inbox.inboxId, draft.draftId);
      expect((await fetch(link.downloadUrl)).status).toBe(sendAt ? 200 : 404);
    }
    const draft = await drafts.create(inbox.inboxId, { text: "Two", attachments: files("x;2") });
    const old = draft.attachments?.[1]?.attachmentId ?? "";
    const { downloadUrl } = await drafts.getAttachment(inbox.inboxId, draft.draftId, old);
    const own = { key: ours.agentKey };
    const replaced = {
      revision: 1,
      attachments: [{ filename: "new.txt", content_type: "text/plain", content_base64: "bmV3" }],
    };
    const changed = await rest.patch<{ attachments: { id: string }[] }>(`/v1/drafts/${draft.draftId}`, replaced, own);
    expect(changed.status).toBe(200);
    expect((await fetch(downloadUrl)).status).toBe(404);
    await expectRefusal(drafts.getAttachment(inbox.inboxId, draft.draftId, old), 404, "NotFoundError");
    const path = `/v1/drafts/${draft.draftId}/attachments/${changed.body.attachments[0]?.id}`;
    const answer = await fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${ours.agentKey}` } });
    expect([await answer.text(), answer.headers.get("content-disposition")]).toEqual([
      "new",
      expect.stringMatching(/^attachment/),
    ]);
  });

  test("Pages of drafts lead to each once.", async () => {
    const [a, b] = [
      await client.inboxes.drafts.create(inbox.inboxId, { subject: "a" }),
      await client.inboxes.drafts.create(inbox.inboxId, { subject: "b" }),
    ];
    await client.inboxes.drafts.create(inbox.inboxId, {
      to: ["bob@else.example"],
      text: "x",
      sendAt: new Date(Date.now() + 3_600_000),
    });
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await client.inboxes.drafts.list(inbox.inboxId, { limit: 1, ...(pageToken && { pageToken }) });
      seen.push(...page.drafts.map(({ draftId }) => draftId));
      pageToken = page.nextPageToken;
    } while (pageToken);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining([a.draftId, b.draftId]));
  });
});

describe("webhooks", () => {
  test("A delivery has their form and is signed as Svix signs, also when it is repeated.", async () => {
    const receiver = await startReceiver();
    try {
      const other = await client.inboxes.create();
      const webhook = await client.webhooks.create({
        url: receiver.url,
        eventTypes: ["message.received", "message.delivered", "message.bounced"],
        inboxIds: [other.inboxId],
      });
      expect(webhook).toMatchObject({ url: receiver.url, inboxIds: [other.inboxId], enabled: true });
      const item = await arrive({ subject: "To the webhook" }, other.inboxId);
      const [hit] = await eventually(() => {
        expect(receiver.received).toHaveLength(1);
        return receiver.received;
      });
      const headers = hit?.headers as Record<string, string>;
      new SvixWebhook(webhook.secret).verify(hit?.body ?? "", headers);
      expect(JSON.parse(hit?.body ?? "")).toMatchObject({
        type: "event",
        event_type: "message.received",
        event_id: headers["svix-id"],
        message: {
          inbox_id: other.inboxId,
          message_id: item.messageId,
          thread_id: item.threadId,
          from: "ann@shop.example",
          subject: "To the webhook",
          size: item.size,
        },
        thread: {
          message_count: 1,
          size: item.size,
          thread_id: item.threadId,
          last_message_id: item.messageId,
          senders: ["ann@shop.example"],
        },
      });
      const path = `/v1/webhooks/${webhook.webhookId}/deliveries`;
      const own = { key: ours.agentKey };
      const { data } = (await rest.get<{ data: { id: string }[] }>(path, own)).body;
      expect((await rest.get<{ body: string }>(`${path}/${data[0]?.id}`, own)).body.body).toBe(hit?.body);
      await rest.post(`${path}/${data[0]?.id}/redeliver`, undefined, own);
      await eventually(() => expect(receiver.received.map(({ body }) => body)).toEqual([hit?.body, hit?.body]));
      const { messageId } = await client.inboxes.messages.reply(other.inboxId, item.messageId, { text: "Yes" });
      const reply = await client.inboxes.messages.get(other.inboxId, messageId);
      const answer = {
        subject: "Fwd: To the webhook",
        headers: { "In-Reply-To": reply.headers?.["Message-ID"] ?? "" },
      };
      const next = await arrive(answer, other.inboxId);
      const last = await eventually(() => JSON.parse(receiver.received[2]?.body ?? ""));
      const parsed = await serialization.events.MessageReceivedEvent.parse(last, { unrecognizedObjectKeys: "strip" });
      expect(parsed).toMatchObject({
        ok: true,
        value: {
          message: { messageId: next.messageId, size: next.size },
          thread: { threadId: item.threadId, messageCount: 3, size: item.size + reply.size + next.size },
        },
      });
      // Later mail changes nothing in what is sent again.
      await rest.post(`${path}/${data[0]?.id}/redeliver`, undefined, own);
      await eventually(() => expect(receiver.received[3]?.body).toBe(hit?.body));
    } finally {
      await receiver.close();
    }
  });

  test("What becomes of sent mail reaches a webhook in their form.", async () => {
    const receiver = await startReceiver();
    try {
      const sender = await client.inboxes.create();
      const recipient = await client.inboxes.create();
      await client.inboxes.webhooks.create(sender.inboxId, {
        url: receiver.url,
        eventTypes: ["message.delivered", "message.bounced"],
      });
      const sent = await client.inboxes.messages.send(sender.inboxId, {
        to: recipient.inboxId,
        subject: "Outcome",
        text: "x",
      });
      const body = await eventually(() => JSON.parse(receiver.received[0]?.body ?? ""));
      expect(body).toMatchObject({
        event_type: "message.delivered",
        delivery: {
          inbox_id: sender.inboxId,
          message_id: sent.messageId,
          thread_id: sent.threadId,
          recipients: [recipient.inboxId],
        },
      });
    } finally {
      await receiver.close();
    }
  });

  test("Webhooks are listed, changed and deleted; the secret is shown once.", async () => {
    const own = await client.inboxes.create();
    const made = await client.webhooks.create({ url: "https://hooks.example/am", eventTypes: ["message.received"] });
    expect(made.secret).toMatch(/^whsec_/);
    expect((await client.webhooks.get(made.webhookId)).secret).toBeUndefined();
    const changed = await client.webhooks.update(made.webhookId, {
      eventTypes: ["message.rejected", "domain.verified"],
    });
    expect(changed.eventTypes).toEqual(["message.rejected", "domain.verified"]);
    expect((await client.webhooks.update(made.webhookId, { eventTypes: [] })).eventTypes).toEqual(changed.eventTypes);
    const ofInbox = await client.inboxes.webhooks.create(own.inboxId, {
      url: "https://hooks.example/am",
      eventTypes: ["message.received"],
    });
    expect((await client.inboxes.webhooks.list(own.inboxId)).webhooks.map(({ webhookId }) => webhookId)).toEqual([
      ofInbox.webhookId,
    ]);
    expect((await client.webhooks.list()).webhooks.map(({ webhookId }) => webhookId)).toContain(made.webhookId);
    await expectRefusal(client.inboxes.webhooks.get(own.inboxId, made.webhookId), 404, "NotFoundError");
    await expectRefusal(stranger.webhooks.get(made.webhookId), 404, "NotFoundError");
    await client.webhooks.delete(made.webhookId);
    await expectRefusal(client.webhooks.delete(made.webhookId), 404, "NotFoundError");
  });

  test("A repeated Idempotency-Key is the same webhook, with its secret.", async () => {
    const create = (url: string) =>
      client.webhooks.create(
        { url, eventTypes: ["message.received"] },
        { headers: { "Idempotency-Key": "webhook-once" } },
      );
    const first = await create("https://hooks.example/once");
    expect(await create("https://hooks.example/once")).toEqual(first);
    await expectRefusal(create("https://hooks.example/other"), 409, "ConflictError");
    await client.webhooks.delete(first.webhookId);
  });

  test("What webhooks cannot do here is refused.", async () => {
    const create = (more: Partial<Parameters<typeof client.webhooks.create>[0]>) =>
      client.webhooks.create({ url: "https://hooks.example/am", eventTypes: ["message.received"], ...more });
    await expectRefusal(create({ eventTypes: ["message.opened"] }), 400, "ValidationError", /message\.opened/);
    await expectRefusal(create({ eventTypes: [] }), 400, "ValidationError");
    await expectRefusal(create({ url: "ftp://hooks.example" }), 400, "ValidationError");
    await expectRefusal(
      create({ inboxIds: ["a@mail.example", "b@mail.example"] }),
      400,
      "ValidationError",
      /one inbox/,
    );
    await expectRefusal(create({ inboxIds: [] }), 400, "ValidationError", /inbox_ids: is empty/);
    await expectRefusal(create({ podIds: [] }), 400, "ValidationError", /pod_ids: is empty/);
    await expectRefusal(create({ inboxIds: [foreign.inboxId] }), 404, "NotFoundError");
    await expectRefusal(create({ podIds: [foreign.podId] }), 404, "NotFoundError");
    await expectRefusal(create({ headers: { "Svix-Id": "1" } }), 400, "ValidationError", /headers/);
    await expectRefusal(create({ clientId: "hook-1" }), 400, "ValidationError", /client_id: .* Idempotency-Key/);
    await expectRefusal(client.webhooks.getHeaders("whk_1"), 404, "NotFoundError");
    const { key } = await service.newAgentKey(ours.enrollmentKeyId, { scopes: ["mailbox:read"] });
    await expectRefusal(clientOf(key).webhooks.list(), 403, "ForbiddenError");
  });
});

describe("domains and lists", () => {
  test("A domain has records and a zone file.", async () => {
    const domain = await client.domains.create({ domain: "shop-of-ours.example" });
    expect(domain).toMatchObject({ domainId: "shop-of-ours.example", status: "PENDING", subdomainsEnabled: true });
    expect(domain.records.length).toBeGreaterThan(0);
    expect((await client.domains.list()).domains.map(({ domainId }) => domainId)).toEqual(["shop-of-ours.example"]);
    const zone = Buffer.from(await (await client.domains.getZoneFile(domain.domainId)).arrayBuffer()).toString();
    expect(zone).toContain("shop-of-ours.example.");
    await client.domains.verify(domain.domainId);
    expect((await client.domains.get(domain.domainId)).status).not.toBe("VERIFIED");
    await expectRefusal(stranger.domains.get(domain.domainId), 404, "NotFoundError");
    await client.domains.delete(domain.domainId);
    await expectRefusal(client.domains.get(domain.domainId), 404, "NotFoundError");
  });

  test("Options of domains that do not exist here are refused.", async () => {
    await expectRefusal(
      client.domains.create({ domain: "x.example", trackingEnabled: true }),
      400,
      "ValidationError",
      /opens/,
    );
    await expectRefusal(
      client.domains.create({ domain: "x.example", feedbackEnabled: true }),
      400,
      "ValidationError",
      /webhooks/,
    );
    await expectRefusal(client.domains.create({ domain: "not a domain" }), 400, "ValidationError");
    await expectRefusal(client.domains.getSetupLink("x.example"), 400, "ValidationError");
  });

  test("Entries of lists are added, found and removed, for an inbox too.", async () => {
    const made = await client.inboxes.lists.create(inbox.inboxId, "receive", "block", {
      entry: "spam.example",
      reason: "Ads",
    });
    expect(made).toMatchObject({
      entry: "spam.example",
      entryType: "domain",
      direction: "receive",
      listType: "block",
      reason: "Ads",
    });
    expect(
      (await client.inboxes.lists.list(inbox.inboxId, "receive", "block")).entries.map(({ entry }) => entry),
    ).toEqual(["spam.example"]);
    expect((await client.lists.list("receive", "block")).entries).toEqual([]);
    await client.inboxes.lists.delete(inbox.inboxId, "receive", "block", "spam.example");
    await expectRefusal(
      client.inboxes.lists.get(inbox.inboxId, "receive", "block", "spam.example"),
      404,
      "NotFoundError",
    );
    const address = await client.lists.create("receive", "block", { entry: "ad@spam.example" });
    expect(await client.lists.get("receive", "block", "ad@spam.example")).toMatchObject({
      entryType: "email",
      createdAt: address.createdAt,
    });
  });

  test("Lists of replies, and wrong entries, are refused.", async () => {
    await expectRefusal(client.lists.list("reply", "allow"), 400, "ValidationError", /replies/);
    await expectRefusal(client.lists.create("send", "block", { entry: "not an entry" }), 400, "ValidationError");
  });
});

describe("elsewhere", () => {
  test("What Mailberth does not have says so.", async () => {
    for (const asked of [
      () => client.metrics.queryUsage({}),
      () => client.inboxes.metrics.queryUsage(inbox.inboxId, {}),
      () => client.accounts.list(),
      () => client.providers.list(),
      () => client.inboxes.events.list(inbox.inboxId),
    ]) {
      await expectRefusal(asked(), 400, "ValidationError", /\.$/);
    }
  });

  test("Events are counted in periods, of an inbox or of all.", async () => {
    const start = new Date();
    const own = (await client.inboxes.create({ username: "counted" })).inboxId;
    for (const subject of ["First counted", "Second counted"]) await arrive({ subject }, own);
    await client.inboxes.messages.send(own, { to: "bob@else.example", subject: "Counted too", text: "x" });
    const { metrics } = client.inboxes;
    const day = 86_400;
    const counts = await eventually(async () => {
      const found = await metrics.queryEvents(own, { start, period: day });
      expect(found).toMatchObject({ "message.received": [{ count: 2 }], "message.sent": [{ count: 1 }] });
      return found;
    });
    expect(counts["message.received"]?.[0]?.timestamp.getTime()).toBe(
      Math.floor(start.getTime() / 1_000 / day) * day * 1_000,
    );
    const received = { eventTypes: ["message.received" as const], start };
    const seconds = (await metrics.queryEvents(own, { ...received, period: 1 }))["message.received"] ?? [];
    expect(seconds.reduce((sum, { count }) => sum + count, 0)).toBe(2);
    const last = await metrics.queryEvents(own, { ...received, period: 1, descending: true, limit: 1 });
    expect(last).toEqual({ "message.received": seconds.slice(-1) });
    expect(await metrics.queryEvents(own, { ...received, end: start })).toEqual({});
    const { "message.received": all } = await client.metrics.queryEvents({ period: day });
    expect(all?.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(2);
    const before = new Date(start.getTime() - 40 * day * 1_000);
    await expectRefusal(metrics.queryEvents(own, { start: before }), 400, "ValidationError", /^start: .*kept 30 days/);
    const since = /^end: .*kept 30 days here, and without a start the day before the end is counted$/;
    await expectRefusal(metrics.queryEvents(own, { end: before }), 400, "ValidationError", since);
    const unknown = { eventTypes: ["message.received.spam" as const] };
    await expectRefusal(client.metrics.queryEvents(unknown), 400, "ValidationError", /event_types/);
    await expectRefusal(stranger.inboxes.metrics.queryEvents(own, {}), 404, "NotFoundError");
  });

  test("An unknown path is not found, in the same shape.", async () => {
    const answer = await fetch(`${service.url}/compat/agentmail/v0/nothing`, {
      headers: { authorization: `Bearer ${ours.agentKey}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([404, { name: "NotFoundError" }]);
  });

  test("The APIs are on on a developer's machine, and elsewhere where they are named.", () => {
    expect(readSettings({}).COMPAT_APIS).toEqual(["agentmail", "resend"]);
    expect(readSettings({ PUBLIC_URL: "https://mail.example" }).COMPAT_APIS).toEqual([]);
    expect(readSettings({ PUBLIC_URL: "https://mail.example", COMPAT_APIS: "resend" }).COMPAT_APIS).toEqual(["resend"]);
    expect(() => readSettings({ COMPAT_APIS: "other" })).toThrow("COMPAT_APIS");
  });

  test("An API that is off answers as any unknown path.", async () => {
    const [off, unknown] = await Promise.all([
      rest.exchange("GET", "/compat/resend/emails", {}),
      rest.exchange("GET", "/compat", {}),
    ]);
    expect(JSON.parse(off.text)).toMatchObject({ error: { code: "not_found" } });
    expect(off.status).toBe(unknown.status);
  });

  describe("What one call changes or reads many times counts so, before the first change.", () => {
    const withLimit = async (burst: number, run: (limited: AgentMailClient) => Promise<void>) => {
      const slow = await startTestService(
        { COMPAT_APIS: "agentmail", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: String(burst) },
        { database: service.database },
      );
      try {
        await run(clientOf(ours.agentKey, slow.url));
      } finally {
        await slow.stop();
      }
    };

    test("Quarantined messages that are released together", async () => {
      const box = await client.inboxes.create();
      const member = await newOwner(service, ours.organizationId);
      await member.trpc.messages.setSpamPolicy.mutate({ inbox: box.inboxId, policy: "quarantine" });
      for (let n = 0; n < 6; n += 1) {
        const raw = `From: "PayPal" <a@far.example>\r\nSubject: YOU HAVE WON THE LOTTERY ${n}\r\n\r\nClaim your prize: http://bit.ly/${n}\r\n`;
        await service.mail({ from: "a@far.example", to: box.inboxId, raw });
      }
      const spam = () => client.inboxes.messages.list(box.inboxId, { labels: ["spam"] });
      await eventually(async () => expect((await spam()).messages).toHaveLength(6));
      const messageIds = (await spam()).messages.map(({ messageId }) => messageId);
      await withLimit(3, (limited) =>
        expectRefusal(
          limited.inboxes.messages.batchUpdate(box.inboxId, { messageIds, removeLabels: "spam" }),
          429,
          "RateLimitError",
        ),
      );
      expect((await spam()).messages).toHaveLength(6);
      await client.inboxes.messages.batchUpdate(box.inboxId, { messageIds, removeLabels: "spam" });
      expect((await spam()).messages).toHaveLength(0);
    });

    test("A long thread that is labelled", async () => {
      const item = await arrive({ subject: "Long thread" });
      // As many more messages as a page has.
      await service.system.sql`
        insert into messages select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'duplicate_key', null,
          'rfc_message_id', null))).* from messages m, generate_series(1, 100)
        where m.id = ${decodeId("msg", item.messageId) ?? ""}`;
      const change = { addLabels: ["counted"] };
      await withLimit(2, (limited) =>
        expectRefusal(limited.threads.update(item.threadId, change), 429, "RateLimitError"),
      );
      expect((await client.threads.get(item.threadId)).labels).not.toContain("counted");
      expect((await client.threads.update(item.threadId, change)).labels).toContain("counted");
    });

    test("An attachment that is looked for in a thread", async () => {
      const attachments = Array.from({ length: 21 }, (_, n) => ({ filename: `${n}.txt`, content: Buffer.from("a") }));
      const item = await arrive({ subject: "Thread of files", attachments });
      await service.system.sql`
        insert into messages select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'duplicate_key', null,
          'rfc_message_id', null))).* from messages m, generate_series(1, 30)
        where m.id = ${decodeId("msg", item.messageId) ?? ""}`;
      await withLimit(3, (limited) =>
        expectRefusal(
          limited.threads.getAttachment(item.threadId, "att_01jd3m9v5sf0b8j3mgz7qk2x4c"),
          429,
          "RateLimitError",
        ),
      );
      await expectRefusal(client.threads.getAttachment(item.threadId, "att_01jd3m9v5sf0b8j3mgz7qk2x4c"), 404);
    });

    test("Pages of a list that have nothing of what is wanted", async () => {
      const own = (await client.inboxes.create()).inboxId;
      const { messageId } = await client.inboxes.messages.send(own, { to: "a@b.example", subject: "s" });
      // So many pages that they take more tokens than come back while they are read.
      await service.system.sql`
        insert into messages select (jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'duplicate_key', null,
          'rfc_message_id', null))).* from messages m, generate_series(1, 60)
        where m.id = ${decodeId("msg", messageId) ?? ""}`;
      const asked = { limit: 1, subject: ["s", "none"] };
      await withLimit(1, (limited) => expectRefusal(limited.inboxes.messages.list(own, asked), 429, "RateLimitError"));
      expect((await client.inboxes.messages.list(own, asked)).messages).toEqual([]);
    });
  });

  test("A 429 is repeated by the client after its time.", async () => {
    const slow = await startTestService(
      { COMPAT_APIS: "agentmail", RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "1" },
      { database: service.database },
    );
    try {
      await expectRefusal(
        Promise.all([1, 2, 3].map(() => clientOf(ours.agentKey, slow.url).inboxes.list({ limit: 1 }))),
        429,
        "RateLimitError",
      );
      const patient = new AgentMailClient({
        apiKey: ours.agentKey,
        baseUrl: `${slow.url}/compat/agentmail`,
        maxRetries: 5,
      });
      expect((await patient.inboxes.list({ limit: 1 })).count).toBe(1);
    } finally {
      await slow.stop();
    }
  });

  test("A 503 on the way is repeated by the client.", async () => {
    let asked = 0;
    const proxy = createServer((_, res) => {
      asked += 1;
      if (asked === 1) res.writeHead(503, { "Retry-After": "1" }).end("{}");
      else res.writeHead(307, { Location: `${service.url}/compat/agentmail/v0/inboxes?limit=1` }).end();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    try {
      const retrying = new AgentMailClient({
        apiKey: ours.agentKey,
        baseUrl: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      });
      const error = await refusalOf(retrying.inboxes.list());
      // Another origin gets no key after a redirect: only the repetition matters here.
      expect([asked, error.statusCode]).toEqual([2, 401]);
    } finally {
      proxy.close();
    }
  });
});
