// What the packages promise in their types: each field that an answer or an event always has there, and parameters of lists.
import { AgentMailClient, AgentMailError, serialization } from "agentmail";
import { Resend } from "resend";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId, encodeId, newId } from "#server/base/ids.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startReceiver } from "../../webhooks/delivery/receiver.ts";

const service = await startTestService({
  COMPAT_APIS: "agentmail,resend",
  WEBHOOK_TARGETS: "any",
  SEND_CAP_RAMP: "1000",
});
afterAll(() => service.stop());
const receiver = await startReceiver();
afterAll(() => receiver.close());

const ours = await service.newOrganization();
const { agentKey: apiKey } = ours;

/** The last answer, as it came. */
let answered: unknown;
const recording: typeof fetch = async (...request) => {
  const answer = await fetch(...request);
  const text = await answer.clone().text();
  answered = text === "" ? undefined : JSON.parse(text);
  return answer;
};
const baseUrl = `${service.url}/compat/agentmail`;
const mail = new AgentMailClient({ apiKey, baseUrl, maxRetries: 0, fetch: recording });
const resend = new Resend(apiKey, { baseUrl: `${service.url}/compat/resend` });

type Schema = { parse(raw: unknown, options: { unrecognizedObjectKeys: "strip" }): unknown };

/** Reads it as the package does where it checks. */
async function expectWhole(schema: Schema, raw: unknown) {
  expect(await schema.parse(raw, { unrecognizedObjectKeys: "strip" })).toMatchObject({ ok: true });
}
async function whole<Result>(schema: Schema, asked: PromiseLike<Result>): Promise<Result> {
  const result = await asked;
  await expectWhole(schema, answered);
  return result;
}

type Refusal = AgentMailError & { body: { name: string; code: string; message: string; errors?: { path: string }[] } };

async function refusalOf(asked: PromiseLike<unknown>): Promise<Refusal> {
  const error = await Promise.resolve(asked).then(
    () => undefined,
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(AgentMailError);
  return error as Refusal;
}

const bodies = () => receiver.received.map(({ body }) => JSON.parse(body));

describe("AgentMail", () => {
  test("Answers about mail have all fields of their types.", async () => {
    const { inboxes, threads, drafts } = mail;
    const types = serialization;
    const { inboxId: box } = await whole(
      types.inboxes.Inbox,
      inboxes.create({ username: "quay", displayName: "Quay" }),
    );
    await whole(types.inboxes.Inbox, inboxes.update(box, { metadata: { berth: 4 } }));
    await whole(types.inboxes.ListInboxesResponse, inboxes.list());
    await whole(types.inboxes.SearchInboxesResponse, inboxes.search({ q: "quay" }));
    const file = { filename: "tide.csv", content: Buffer.from("high;low").toString("base64") };
    const letter = { to: box, subject: "Tide table", text: "High at six.", attachments: [file] };
    await whole(types.SendMessageResponse, inboxes.messages.send(box, letter));
    const item = await eventually(async () => {
      const { messages } = await whole(
        types.ListMessagesResponse,
        inboxes.messages.list(box, { labels: ["received"] }),
      );
      expect(messages[0]?.attachments).toHaveLength(1);
      return messages[0] as NonNullable<(typeof messages)[0]>;
    });
    const { messageId: id, threadId } = item;
    const attachment = item.attachments?.[0]?.attachmentId ?? "";
    await whole(types.Message, inboxes.messages.get(box, id));
    await whole(types.SearchMessagesResponse, inboxes.messages.search(box, { q: "tide" }));
    await whole(types.BatchGetMessagesResponse, inboxes.messages.batchGet(box, { messageIds: [id] }));
    await whole(types.UpdateMessageResponse, inboxes.messages.update(box, id, { addLabels: "seen" }));
    const changes = { messageIds: [id], removeLabels: ["seen"] };
    await whole(types.BatchUpdateMessagesResponse, inboxes.messages.batchUpdate(box, changes));
    await whole(types.RawMessageResponse, inboxes.messages.getRaw(box, id));
    await whole(types.AttachmentResponse, inboxes.messages.getAttachment(box, id, attachment));
    await whole(types.ListThreadsResponse, threads.list());
    await whole(types.SearchThreadsResponse, threads.search({ q: "tide" }));
    await whole(types.Thread, threads.get(threadId));
    await whole(types.UpdateThreadResponse, threads.update(threadId, { addLabels: ["port"] }));
    const { draftId } = await whole(types.Draft, inboxes.drafts.create(box, { ...letter, to: [box] }));
    await whole(types.Draft, inboxes.drafts.get(box, draftId));
    const sendAt = new Date(Date.now() + 3_600_000);
    await whole(types.Draft, inboxes.drafts.create(box, { to: [box], text: "Low at noon.", sendAt }));
    await whole(types.ListDraftsResponse, drafts.list());
    await whole(types.SendMessageResponse, inboxes.drafts.send(box, draftId, {}));
  });

  test("Answers about the account have all fields of their types.", async () => {
    const types = serialization;
    const { domain } = await whole(types.Domain, mail.domains.create({ domain: "quay.example" }));
    await whole(types.Domain, mail.domains.get(domain));
    await whole(types.ListDomainsResponse, mail.domains.list());
    await whole(types.PodListEntry, mail.lists.create("receive", "block", { entry: "reef.example" }));
    await whole(types.ListListEntriesResponse, mail.lists.list("receive", "block"));
    await whole(types.CreateApiKeyResponse, mail.apiKeys.create({ name: "pilot" }));
    await whole(types.ListApiKeysResponse, mail.apiKeys.list());
    await whole(types.Identity, mail.auth.me());
    await whole(types.Organization, mail.organizations.get());
    await whole(types.pods.ListPodsResponse, mail.pods.list());
    await whole(types.QueryMetricsResponse, mail.metrics.queryEvents());
    const hook = { url: receiver.url, eventTypes: ["message.received" as const] };
    const { webhookId } = await whole(types.webhooks.Webhook, mail.webhooks.create(hook));
    await mail.webhooks.delete(webhookId);
  });

  test("Events have all fields of their types.", async () => {
    const { inboxId: box } = await mail.inboxes.create();
    const types = ["message.sent", "message.delivered", "message.bounced", "domain.verified"] as const;
    const { webhookId } = await mail.webhooks.create({ url: receiver.url, eventTypes: [...types] });
    await mail.inboxes.messages.send(box, { to: [box, "bounce+3@simulator.invalid"], subject: "Swell", text: "x" });
    const { sql, eventLog, now } = service.system;
    const organization_id = decodeId("org", ours.organizationId) ?? ours.organizationId;
    const domain = { id: encodeId("dom", newId()), domain: "swell.example", status: "verified", reason: null };
    const kind = "domain.verified" as const;
    const event = { id: newId(), organization_id, message_id: null, inbox_id: null, kind };
    const body = JSON.stringify({ event: kind, inbox: null, domain });
    eventLog.announce(await sql.begin((tx) => eventLog.record(tx, [{ ...event, body }], now())));
    const seen = await eventually(() => {
      const all = new Map(bodies().map((each) => [each.event_type, each]));
      expect([...all.keys()]).toEqual(expect.arrayContaining([...types]));
      return all;
    });
    await expectWhole(serialization.MessageSentEvent, seen.get("message.sent"));
    await expectWhole(serialization.MessageDeliveredEvent, seen.get("message.delivered"));
    await expectWhole(serialization.MessageBouncedEvent, seen.get("message.bounced"));
    await expectWhole(serialization.DomainVerifiedEvent, seen.get(kind));
    expect(Date.parse(seen.get(kind).domain.created_at)).toBeGreaterThan(Date.now() - 600_000);
    await mail.webhooks.delete(webhookId);
  });

  test("Every list that has no time of change is read from its oldest item on.", async () => {
    const { inboxId: box } = await mail.inboxes.create();
    const oldest = { ascending: true, limit: 2 };
    const inTurn = async <Item>(make: (name: string) => PromiseLike<Item>) => [
      await make("first"),
      await make("second"),
      await make("third"),
    ];
    const keys = await inTurn((name) => mail.apiKeys.create({ name }));
    const domains = await inTurn((name) => mail.domains.create({ domain: `${name}.quay.example` }));
    const url = (name: string) => `https://hooks.example/${name}`;
    const hooks = await inTurn((name) =>
      mail.inboxes.webhooks.create(box, { url: url(name), eventTypes: ["message.sent"] }),
    );

    const page = await mail.inboxes.webhooks.list(box, oldest);
    expect(page.webhooks.map((each) => each.url)).toEqual([url("first"), url("second")]);
    const next = await mail.inboxes.webhooks.list(box, { ...oldest, pageToken: page.nextPageToken ?? "" });
    expect([next.webhooks.map((each) => each.url), next.nextPageToken]).toEqual([[url("third")], undefined]);
    const all = { ascending: true, limit: 100 };
    const ids = keys.map(({ apiKeyId }) => apiKeyId);
    const { apiKeys } = await mail.apiKeys.list(all);
    expect(apiKeys.map(({ apiKeyId }) => apiKeyId).filter((id) => ids.includes(id))).toEqual(ids);
    const found = (await mail.domains.list(all)).domains.map(({ domain }) => domain);
    expect(found.slice(-domains.length)).toEqual(domains.map(({ domain }) => domain));
    expect((await mail.pods.list(all)).pods).toEqual((await mail.pods.list()).pods);
    const refused = await refusalOf(mail.drafts.list(all));
    expect([refused.statusCode, refused.body.message]).toEqual([400, expect.stringMatching(/^ascending: drafts /)]);
    const second = await refusalOf(mail.pods.list({ pageToken: "next" }));
    expect(second.statusCode).toBe(400);
    for (const { webhookId } of hooks) await mail.webhooks.delete(webhookId);
  });

  test("Errors have the codes on which programs branch.", async () => {
    const { inboxId: box } = await mail.inboxes.create({ username: "gull" });
    const codeOf = async (asked: PromiseLike<unknown>) => (await refusalOf(asked)).body.code;
    const clientOf = (key: string) => new AgentMailClient({ apiKey: key, baseUrl, maxRetries: 0 });
    const reader = clientOf((await service.newAgentKey(ours.enrollmentKeyId, { scopes: ["mailbox:read"] })).key);
    const send = (client: AgentMailClient, more: object) => client.inboxes.messages.send(box, { text: "x", ...more });
    await mail.inboxes.lists.create(box, "send", "block", { entry: "kelp.example" });
    expect(await codeOf(clientOf("am_unknown").inboxes.list())).toBe("unknown_api_key");
    expect(await codeOf(send(reader, { to: box }))).toBe("missing_permission");
    expect(await codeOf(mail.inboxes.get("nobody@mail.example"))).toBe("not_found");
    expect(await codeOf(mail.inboxes.threads.get(box, "thr_none"))).toBe("not_found");
    expect(await codeOf(send(mail, { to: "no address" }))).toBe("validation_error");
    expect(await codeOf(mail.inboxes.create({ username: "gull" }))).toBe("resource_taken");
    expect(await codeOf(send(mail, { to: "ann@kelp.example" }))).toBe("message_rejected");
    const key = { idempotencyKey: "tide-1" };
    await mail.inboxes.messages.send(box, { to: box, text: "one" }, key);
    expect(await codeOf(mail.inboxes.messages.send(box, { to: box, text: "two" }, key))).toBe("conflict");
    const bare = await fetch(`${baseUrl}/v0/inboxes`);
    expect(await bare.json()).toMatchObject({ code: "missing_authorization" });
  });

  test("A webhook has headers of its own, which are set and removed together.", async () => {
    const { inboxId: box } = await mail.inboxes.create();
    const hook = { url: receiver.url, eventTypes: ["message.received" as const] };
    const made = await mail.inboxes.webhooks.create(box, { ...hook, headers: { "X-Berth": "4", "X-Pier": "west" } });
    const { webhookId: id } = made;
    const { webhooks } = mail.inboxes;
    const names = await whole(serialization.webhooks.WebhookHeaderNamesResponse, webhooks.getHeaders(box, id));
    expect(names.headerNames).toEqual(["X-Berth", "X-Pier"]);
    expect((await refusalOf(webhooks.updateHeaders(box, id, { removeHeaders: ["x-pier"] }))).body.message).toMatch(
      /^headers: they are replaced together here; set or remove these too: X-Berth\./,
    );
    const both = { headers: { "X-Berth": "5", "x-pier": "east" }, removeHeaders: ["X-Pier"] };
    expect((await refusalOf(webhooks.updateHeaders(box, id, both))).body.message).toMatch(/^remove_headers: X-Pier /);
    expect((await refusalOf(webhooks.updateHeaders(box, id, {}))).statusCode).toBe(400);
    const changes = { headers: { "X-Berth": "5" }, removeHeaders: ["x-pier"] };
    await webhooks.updateHeaders(box, id, changes);
    expect(await webhooks.getHeaders(box, id)).toEqual({ headerNames: ["X-Berth"] });
    await service.mail({ from: "ann@quay.example", to: box, subject: "Fog" });
    const hit = await eventually(() => {
      const found = receiver.received.find(({ body }) => JSON.parse(body).message?.subject === "Fog");
      expect(found).toBeDefined();
      return found;
    });
    expect([hit?.headers["x-berth"], hit?.headers["x-pier"]]).toEqual(["5", undefined]);
    await webhooks.updateHeaders(box, id, { removeHeaders: ["X-Berth"] });
    expect(await webhooks.getHeaders(box, id)).toEqual({ headerNames: [] });
    await webhooks.delete(box, id);
  });

  test("A sign-up says, without a key, what to do in its place.", async () => {
    const stranger = new AgentMailClient({ baseUrl, maxRetries: 0, fetch: recording });
    const signUp = { humanEmail: "ann@quay.example", username: "tug" };
    const refused = await refusalOf(stranger.agent.signUp(signUp));
    expect([refused.statusCode, refused.body.name]).toEqual([400, "ValidationError"]);
    expect(refused.body.message).toMatch(/enrollment key.*POST \/v1\/enroll.*"token".*"agent_handle".*`agent_key`/);
    // It counts against the limit of its address.
    expect(refused.rawResponse?.headers.get("ratelimit-limit")).toMatch(/^\d+$/);
    expect((await refusalOf(mail.agent.verify({ otpCode: "123456" }))).body.message).toMatch(/nothing to verify/);
  });
});

describe("Resend", () => {
  test("A domain has a region, which is empty, and events have the Message-ID of their email.", async () => {
    const made = await resend.domains.create({ name: "pier.example" });
    expect(made.data?.region).toBe("");
    expect((await resend.domains.list()).data?.data.map(({ region }) => region)).toContain("");
    const { inboxId: box } = await mail.inboxes.create();
    const events = ["email.sent", "email.delivered", "email.bounced", "email.received"] as const;
    const { data: hook } = await resend.webhooks.create({ endpoint: receiver.url, events: [...events] });
    const to = [box, "bounce+4@simulator.invalid"];
    const { data: sent } = await resend.emails.send({ from: box, to, subject: "Ebb", text: "x" });
    const { data: email } = await resend.emails.get(sent?.id ?? "");
    expect(email?.message_id).toMatch(/^<.+>$/);
    await eventually(() => {
      const seen = bodies().filter(({ data }) => data?.subject === "Ebb");
      const ids = new Map(seen.map(({ type, data }) => [type, data.message_id]));
      expect(Object.fromEntries(ids)).toEqual(Object.fromEntries(events.map((each) => [each, email?.message_id])));
    });
    await resend.webhooks.remove(hook?.id ?? "");
  });

  test("Attempts of an event have pages, and one without an answer has a number and a text.", async () => {
    const { inboxId: box } = await mail.inboxes.create();
    const closed = await startReceiver();
    await closed.close();
    const { data: hook } = await resend.webhooks.create({ endpoint: closed.url, events: ["email.sent"] });
    const webhookId = hook?.id ?? "";
    await resend.emails.send({ from: box, to: box, subject: "Neap", text: "x" });
    const eventId = await eventually(async () => {
      const { data } = await resend.webhooks.events.list({ webhookId });
      expect(data?.data).toHaveLength(1);
      return data?.data[0]?.id ?? "";
    });
    const one = { webhookId, eventId };
    const attempts = async (page = {}) => (await resend.webhooks.events.attempts.list({ ...one, ...page })).data;
    await eventually(async () => expect((await attempts())?.data).toHaveLength(1));
    await resend.webhooks.events.replay(one);
    const [newest, oldest] = await eventually(async () => {
      const all = (await attempts())?.data ?? [];
      expect(all).toHaveLength(2);
      return all;
    });
    expect(newest).toMatchObject({ http_status_code: 0, response: expect.stringMatching(/./) });
    expect(await attempts({ limit: 1 })).toMatchObject({ has_more: true, data: [{ id: newest?.id }] });
    expect(await attempts({ after: newest?.id })).toMatchObject({ has_more: false, data: [{ id: oldest?.id }] });
    await resend.webhooks.remove(webhookId);
  });

  test("Suppressions are removed by addresses or by ids.", async () => {
    const { batch } = resend.suppressions;
    const email = "one@pier.example";
    await batch.add({ emails: [email] });
    for (const given of [{ emails: [email], ids: [email] }, {}]) {
      const { error } = await batch.remove(given as { emails: string[] });
      expect(error).toMatchObject({ statusCode: 422, name: "validation_error" });
    }
    expect((await resend.suppressions.get(email)).data?.email).toBe(email);
    expect((await batch.remove({ ids: [email] })).data?.data).toMatchObject([{ deleted: true }]);
  });

  test("A file has content or a path.", async () => {
    const { inboxId: box } = await mail.inboxes.create();
    const email = { from: box, to: box, subject: "Spring", text: "x" };
    const both = { content: "YQ==", path: "https://pier.example/a" };
    for (const file of [{ filename: "a.txt" }, both]) {
      const { error } = await resend.emails.send({ ...email, attachments: [file] });
      expect(error).toMatchObject({ statusCode: 422, name: "invalid_attachment" });
    }
  });
});

test("More than 50 recipients are refused in a sentence, in each field and in all together.", async () => {
  const { inboxId: box } = await mail.inboxes.create();
  const people = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}@quay.example`);
  const sets: [string, { to: string[]; cc?: string[]; bcc?: string[] }][] = [
    ["to", { to: people(51, "to") }],
    ["cc", { to: [box], cc: people(51, "cc") }],
    ["bcc", { to: [box], bcc: people(60, "bcc") }],
    ["to", { to: people(20, "to"), cc: people(20, "cc"), bcc: people(20, "bcc") }],
  ];
  for (const [field, given] of sets) {
    const message = `${field}: at most 50 recipients in all`;
    const { error } = await resend.emails.send({ from: box, subject: "Crew", text: "x", ...given });
    expect(error).toMatchObject({ statusCode: 422, name: "validation_error", message });
    const refused = await refusalOf(mail.inboxes.messages.send(box, { ...given, text: "x" }));
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toMatchObject({ name: "ValidationError", message, errors: [{ path: field }] });
  }
});
