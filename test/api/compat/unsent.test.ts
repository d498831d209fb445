// What has not left, over the drop-in APIs with the packages as npm has them: drafts, scheduled mail, and mail that was cancelled.
import { AgentMailClient, AgentMailError } from "agentmail";
import { Resend } from "resend";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ COMPAT_APIS: "agentmail,resend", SEND_CAP_RAMP: "1000" });
const rest = api(service);
afterAll(async () => {
  await rest.close();
  await service.stop();
});

const { agentKey: key } = await service.newOrganization();
const mail = new AgentMailClient({ apiKey: key, baseUrl: `${service.url}/compat/agentmail`, maxRetries: 0 });
const resend = new Resend(key, { baseUrl: `${service.url}/compat/resend` });
const { drafts, messages, threads } = mail.inboxes;
const newInbox = async () => (await mail.inboxes.create()).inboxId;
const inAnHour = () => new Date(Date.now() + 3_600_000);
const HTML = "<style>p { color: red }</style><p>The van comes &amp; goes</p>";

const statusOf = (asked: PromiseLike<unknown>) =>
  Promise.resolve(asked).then(
    () => 200,
    (error) => (error instanceof AgentMailError ? error.statusCode : error),
  );

/** Cancels a message of `inbox` that is scheduled; each service has its own call. */
const cancels: [name: string, cancel: (inbox: string, id: string) => Promise<unknown>][] = [
  ["drafts.delete", (inbox, id) => drafts.delete(inbox, id)],
  ["emails.cancel", (_, id) => resend.emails.cancel(id)],
];

describe.each(cancels)("a scheduled message after %s", (_, cancel) => {
  test("is in no list, and is not found.", async () => {
    const inbox = await newInbox();
    const { draftId } = await drafts.create(inbox, {
      to: ["bo@else.example"],
      subject: "Rent",
      text: "x",
      sendAt: inAnHour(),
    });
    const { threadId } = await messages.get(inbox, draftId);
    await cancel(inbox, draftId);
    expect((await messages.list(inbox)).messages).toEqual([]);
    expect((await messages.list(inbox, { labels: ["sent"] })).messages).toEqual([]);
    expect((await messages.search(inbox, { q: "Rent" })).messages).toEqual([]);
    expect((await threads.list(inbox)).threads).toEqual([]);
    expect((await threads.search(inbox, { q: "Rent" })).threads).toEqual([]);
    expect(await statusOf(messages.get(inbox, draftId))).toBe(404);
    expect(await statusOf(threads.get(inbox, threadId))).toBe(404);
    expect((await messages.batchGet(inbox, { messageIds: [draftId] })).messages).toEqual([]);
  });

  test("leaves its thread as it was.", async () => {
    const inbox = await newInbox();
    await service.mail({ from: "ann@shop.example", to: inbox, subject: "The keys", text: "Where?" });
    const [asked] = await eventually(async () => {
      const { messages: found } = await messages.list(inbox);
      expect(found).toHaveLength(1);
      return found;
    });
    const inReplyTo = asked?.messageId ?? "";
    const { draftId } = await drafts.create(inbox, { inReplyTo, text: "Here.", sendAt: inAnHour() });
    await cancel(inbox, draftId);
    const [thread] = (await threads.list(inbox)).threads;
    expect(thread).toMatchObject({ labels: ["received", "unread"], messageCount: 1, lastMessageId: inReplyTo });
    expect(thread?.sentTimestamp).toBeUndefined();
    const whole = await threads.get(inbox, thread?.threadId ?? "");
    expect(whole.messages.map(({ messageId }) => messageId)).toEqual([inReplyTo]);
    expect((await threads.list(inbox, { labels: ["sent"] })).threads).toEqual([]);
  });
});

test("A message that waits for its time has not left its thread.", async () => {
  const inbox = await newInbox();
  const { draftId } = await drafts.create(inbox, { to: ["bo@else.example"], text: "x", sendAt: inAnHour() });
  const [thread] = (await threads.list(inbox)).threads;
  expect([thread?.labels, thread?.sentTimestamp, thread?.lastMessageId]).toEqual([["scheduled"], undefined, draftId]);
});

describe("lists of drafts", () => {
  test("A page has both kinds, by the time of their last change.", async () => {
    const inbox = await newInbox();
    const make = (subject: string, sendAt?: Date) =>
      drafts.create(inbox, { to: ["bo@else.example"], subject, text: "x", ...(sendAt && { sendAt }) });
    const old = await make("old");
    await make("timed 1", inAnHour());
    await make("middle");
    await make("timed 2", inAnHour());
    await make("new");
    await drafts.update(inbox, old.draftId, { text: "y" });
    const order = ["old", "new", "timed 2", "middle", "timed 1"];
    const page = await drafts.list(inbox);
    expect([page.drafts.map(({ subject }) => subject), page.nextPageToken]).toEqual([order, undefined]);
    for (const limit of [1, 2, 3, 4, 5]) {
      const seen: (string | undefined)[] = [];
      let pageToken: string | undefined;
      do {
        const next = await drafts.list(inbox, { limit, ...(pageToken && { pageToken }) });
        expect(next.count).toBeGreaterThan(0);
        seen.push(...next.drafts.map(({ subject }) => subject));
        pageToken = next.nextPageToken;
      } while (pageToken);
      expect(seen).toEqual(order);
    }
    expect((await drafts.list(inbox, { labels: ["scheduled"] })).drafts).toHaveLength(2);
  });

  test("A token of another list is refused.", async () => {
    const inbox = await newInbox();
    expect(await statusOf(drafts.list(inbox, { pageToken: "drafts.abc" }))).toBe(400);
  });
});

describe("a draft with a time", () => {
  test("is sent now, with changed labels, and is the same message for a repeated call.", async () => {
    const [inbox, other] = [await newInbox(), await newInbox()];
    const { draftId } = await drafts.create(inbox, {
      to: [other],
      subject: "Now",
      text: "x",
      labels: ["later"],
      sendAt: inAnHour(),
    });
    const again = { headers: { "Idempotency-Key": "send-now" } };
    const send = () => drafts.send(inbox, draftId, { addLabels: ["soon"], removeLabels: ["later"] }, again);
    const sent = await send();
    expect(sent.messageId).toBe(draftId);
    await eventually(async () => expect((await messages.list(other)).messages).toHaveLength(1));
    await eventually(async () => expect((await messages.get(inbox, draftId)).labels).toEqual(["sent", "soon"]));
    expect(await send()).toEqual(sent);
    expect(await statusOf(drafts.send(inbox, draftId, {}))).toBe(404);
    expect(await statusOf(drafts.get(inbox, draftId))).toBe(404);
  });

  test.each(["failed", "rejected"])("that is %s is not sent for a call with an idempotency key.", async (status) => {
    const inbox = await newInbox();
    const { draftId } = await drafts.create(inbox, { to: ["di@else.example"], text: "x", sendAt: inAnHour() });
    await service.system.sql`update messages set status = ${status} where id = ${decodeId("msg", draftId) ?? ""}`;
    const unused = { headers: { "Idempotency-Key": "never-used" } };
    expect(await statusOf(drafts.send(inbox, draftId, {}, unused))).toBe(404);
  });

  test("has the client id of its create.", async () => {
    const request = { to: ["bo@else.example"], text: "x", sendAt: inAnHour(), clientId: "job-7" };
    const inbox = await newInbox();
    const first = await drafts.create(inbox, request);
    expect(await drafts.create(inbox, request)).toMatchObject({ draftId: first.draftId, clientId: "job-7" });
  });
});

describe("mail without a text", () => {
  const file = [{ filename: "plan.txt", content: Buffer.from("plan").toString("base64") }];

  test("is sent, answered and drafted with a subject or a file alone.", async () => {
    const inbox = await newInbox();
    const own = { to: [inbox] };
    const first = await messages.send(inbox, { ...own, subject: "Subject alone" });
    await messages.send(inbox, { ...own, attachments: file });
    await messages.reply(inbox, first.messageId, { ...own, attachments: file });
    await drafts.send(inbox, (await drafts.create(inbox, { ...own, attachments: file })).draftId, {});
    await drafts.create(inbox, { ...own, subject: "Timed", sendAt: inAnHour() });
    await eventually(async () => {
      const arrived = (await messages.list(inbox, { labels: ["received"] })).messages;
      expect(arrived.map((each) => [each.subject, each.attachments?.length, each.preview]).sort()).toEqual([
        ["", 1, ""],
        ["", 1, ""],
        ["Re: Subject alone", 1, ""],
        ["Subject alone", 0, ""],
      ]);
    });
  });

  test("is sent by Resend's client with an empty text, and without any it is refused.", async () => {
    const inbox = await newInbox();
    const email = { from: inbox, to: inbox, subject: "Empty" };
    for (const body of [{ text: "" }, { html: "" }]) {
      expect((await resend.emails.send({ ...email, ...body })).error).toBeNull();
      expect((await resend.batch.send([{ ...email, ...body }])).error).toBeNull();
    }
    expect((await resend.emails.send(email as never)).error?.message).toMatch(/`text`, `html` or both/);
  });
});

test("The preview of what was written as HTML alone is its text.", async () => {
  const inbox = await newInbox();
  const own = { to: [inbox], html: HTML };
  const sent = await messages.send(inbox, own);
  const draft = await drafts.create(inbox, own);
  const timed = await drafts.create(inbox, { ...own, sendAt: inAnHour() });
  const [row] = (await drafts.list(inbox, { labels: ["scheduled"] })).drafts;
  const previews = [(await messages.get(inbox, sent.messageId)).preview, draft.preview, timed.preview, row?.preview];
  expect(previews).toEqual(Array.from({ length: 4 }, () => "The van comes & goes"));
});
