// GET /v1/events.
import { afterAll, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { pruneEvents } from "#server/events/record.ts";
import { api, type Page } from "#test/support/api.ts";
import { type EventItem, eventually, follow } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const DAY_MS = 86_400_000;

const clock = adjustableClock();
const service = await startTestService({}, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const list = async (key: string, query = "") => (await client.get<Page<EventItem>>(`/v1/events${query}`, { key })).body;
const subjects = ({ data }: Page<EventItem>) => data.map(({ message }) => message.subject);

/** An organization with a mailbox that got some mails, one after the other. */
async function withMails(...names: string[]) {
  const organization = await service.newOrganization();
  const inbox = await client.createInbox(organization.agentKey);
  for (const subject of names) await service.mail({ from: "Ann <ann@else.example>", to: inbox.address, subject });
  return { ...organization, key: organization.agentKey, inbox };
}

describe("200", () => {
  test("what happened, oldest first, of this organization alone", async () => {
    await withMails("another's");
    const { key, inbox } = await withMails("one", "two");
    const page = await list(key);
    expect(page).toEqual({
      data: ["one", "two"].map((subject) => ({
        id: expect.stringMatching(/^evt_/),
        event: "message.received",
        inbox: inbox.address,
        created_at: expect.stringMatching(/Z$/),
        message: {
          id: expect.stringMatching(/^msg_/),
          thread_id: expect.stringMatching(/^thr_/),
          from: "ann@else.example",
          subject,
          received_at: expect.stringMatching(/Z$/),
        },
      })),
      next_cursor: null,
    });
  });

  test("an organization without events gets an empty list", async () => {
    const { agentKey } = await service.newOrganization();
    expect(await list(agentKey)).toEqual({ data: [], next_cursor: null });
  });

  test("from a time on", async () => {
    const { key, inbox } = await withMails("before");
    const [event] = (await list(key)).data;
    const at = event?.created_at ?? "";
    clock.advance(5_000);
    await service.mail({ from: "Ann <ann@else.example>", to: inbox.address, subject: "later" });
    const earlier = new Date(Date.parse(at) - 1).toISOString();
    expect(subjects(await list(key, `?after=${earlier}`))).toEqual(["before", "later"]);
    expect(subjects(await list(key, `?after=${at}`))).toEqual(["later"]);
    const { status } = await client.get(`/v1/events?after=${at.slice(0, 10)}`, { key });
    expect(status).toBe(400);
  });

  test("page by page, and on from the last id as mail comes", async () => {
    const { key, inbox } = await withMails("1", "2", "3");
    const first = await list(key, "?limit=2");
    expect([subjects(first), first.next_cursor]).toEqual([["1", "2"], first.data[1]?.id]);
    const second = await list(key, `?limit=2&after=${first.next_cursor}`);
    expect([subjects(second), second.next_cursor]).toEqual([["3"], null]);
    const after = second.data[0]?.id;
    expect(await list(key, `?after=${after}`)).toEqual({ data: [], next_cursor: null });
    await service.mail({ from: "a@else.example", to: inbox.address, subject: "4" });
    expect(subjects(await list(key, `?after=${after}`))).toEqual(["4"]);
  });

  test("of one mailbox, by address or id; a restricted key sees its own", async () => {
    const { key, inbox, enrollmentKeyId } = await withMails("mine");
    const other = await client.createInbox(key);
    await service.mail({ from: "a@else.example", to: [other.address, inbox.address], subject: "both" });
    expect(subjects(await list(key)).sort()).toEqual(["both", "both", "mine"]);
    for (const name of [encodeURIComponent(other.address), other.id]) {
      expect(subjects(await list(key, `?inbox=${name}`))).toEqual(["both"]);
    }
    const restricted = (await service.newAgentKey(enrollmentKeyId, { inboxes: [inbox.address] })).key;
    expect(subjects(await list(restricted))).toEqual(["mine", "both"]);
  });

  test("after the id with which a stream began", async () => {
    const { key, inbox } = await withMails("before");
    const stream = await follow(service, { key });
    await eventually(() => expect(stream.comments).toHaveLength(1));
    await stream.close();
    await service.mail({ from: "a@else.example", to: inbox.address, subject: "after" });
    const [, began] = stream.comments[0]?.match(/^id: (\S+)$/m) ?? [];
    expect(subjects(await list(key, `?after=${began}`))).toEqual(["after"]);
  });

  test("they are kept for 30 days, longer than the mailbox", async () => {
    const { key, inbox } = await withMails("old");
    await client.delete(`/v1/inboxes/${inbox.id}`, { key });
    expect(subjects(await list(key))).toEqual(["old"]);
    clock.advance(29 * DAY_MS);
    const { key: other } = await withMails("new");
    await pruneEvents(service.system);
    expect(subjects(await list(key))).toEqual(["old"]);
    clock.advance(2 * DAY_MS);
    await pruneEvents(service.system);
    expect(subjects(await list(key))).toEqual([]);
    expect(subjects(await list(other))).toEqual(["new"]);
  });
});

describe("the order is that of commits", () => {
  test("when two processes receive mail concurrently, and each sees it all", async () => {
    const second = await startTestService({}, { database: service.database, now: clock.now });
    const { key, inbox } = await withMails();
    const [here, there] = [await follow(service, { key }), await follow(second, { key })];
    const mails = Array.from({ length: 60 }, (_, i) => ({
      from: "a@else.example",
      to: inbox.address,
      subject: `mail ${i}`,
    }));
    await Promise.all(mails.map((mail, i) => (i % 2 ? service : second).mail(mail)));
    await eventually(() => expect([here.events.length, there.events.length]).toEqual([60, 60]));
    const expected = subjects(await list(key, "?limit=100"));
    expect(here.events.map((event) => event.message.subject)).toEqual(expected);
    expect(there.events.map((event) => event.message.subject)).toEqual(expected);
    const rows = await service.system.sql<{ position: number }[]>`
      select position from events where inbox_id = (select id from inboxes where address = ${inbox.address}) order by 1`;
    // The first is that of the mailbox itself.
    expect(rows.map(({ position }) => position)).toEqual([1, ...mails.map((_, i) => i + 2)]);
    await Promise.all([here.close(), there.close()]);
    await second.stop();
  });
});

describe("400", () => {
  test("invalid_cursor: no event, another organization's, one no longer kept", async () => {
    const { key } = await withMails("one");
    const stranger = await withMails("theirs");
    const foreign = (await list(stranger.key)).data[0]?.id;
    for (const after of ["x", encodeId("evt", newId()), encodeId("msg", newId()), foreign, ""]) {
      const { status, body } = await client.get(`/v1/events?after=${after}`, { key });
      expect([after, status, body.error.code]).toEqual([after, 400, "invalid_cursor"]);
    }
  });

  test("invalid_request: limits", async () => {
    const { key } = await withMails();
    for (const limit of ["0", "101", "x", "1.5"]) {
      expect((await client.get(`/v1/events?limit=${limit}`, { key })).body.error.code).toBe("invalid_request");
    }
  });
});

describe("404", () => {
  test("a mailbox that is unknown or another's", async () => {
    const { key } = await withMails();
    const stranger = await withMails();
    for (const inbox of ["nobody%40mail.example", stranger.inbox.id, "x"]) {
      const { status, body } = await client.get(`/v1/events?inbox=${inbox}`, { key });
      expect([inbox, status, body.error.code]).toEqual([inbox, 404, "inbox_not_found"]);
    }
  });
});
