// Lists of messages and threads that are too large for one walk, in a mailbox, in some and in all: the pages together have every
// match once.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { startTestService } from "#test/support/service.ts";
import { BIG_BOX, LABELS, makeMail, smallBox, WORDS } from "../../bench/support/mail-data.ts";

/** Half of them are in the large mailbox: more than several steps of a walk. */
const MESSAGES = 9_000;
const PAGES_MAX = 1_000;
const LIMIT = "100";

type Summary = {
  id: string;
  inbox: string;
  from: string;
  to: string[];
  subject: string;
  direction: string;
  read: boolean;
  labels: string[];
};

const database = await createTestDatabase();
const service = await startTestService({ ROLES: "web" }, { database });
const client = api(service);
const { agentKey: key, enrollmentKeyId } = await service.newOrganization();
await makeMail(database.url, MESSAGES);
afterAll(async () => {
  await client.close();
  await service.stop();
  await database.drop();
});

/** All pages of a list. No page may have more rows than asked for. */
async function allOf<Row = Summary>(path: string, query: Record<string, string>, by = key): Promise<Row[]> {
  const found: Row[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null; pages += 1) {
    const search: URLSearchParams = new URLSearchParams({ limit: LIMIT, ...query, ...(cursor && { cursor }) });
    const { status, body } = await client.get<Page<Row>>(`${path}?${search}`, { key: by });
    expect([query, status, pages < PAGES_MAX]).toEqual([query, 200, true]);
    expect(body.data.length).toBeLessThanOrEqual(Number(LIMIT));
    found.push(...body.data);
    cursor = body.next_cursor;
  }
  return found;
}

const all = (query: Record<string, string>, box = BIG_BOX) => allOf(inboxPath(box, "/messages"), query);
const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);

const everything = await all({});
const oldest = everything.at(-1) as Summary;
const rareSender = everything[1_234]?.from ?? "";

const FILTERS: [string, Record<string, string>, (each: Summary) => boolean][] = [
  ["a subject that none has", { subject: "zzz-none" }, () => false],
  ["the subject of the oldest", { subject: oldest.subject }, ({ subject }) => subject === oldest.subject],
  ["a part of the sender", { from: "sender-77@" }, ({ from }) => from.startsWith("sender-77@")],
  ["a whole sender", { from: rareSender }, ({ from }) => from === rareSender],
  ["a whole sender, unread", { from: rareSender, unread: "true" }, (m) => m.from === rareSender && !m.read],
  ["a recipient that none has", { to: "nobody@else.example" }, () => false],
  ["a direction that none has", { direction: "outbound" }, () => false],
  ["the direction of all", { direction: "inbound" }, () => true],
  ["unread", { unread: "true" }, ({ read }) => !read],
  ["read, by a part of the sender", { unread: "false", from: "r-9" }, (m) => m.read && m.from.includes("r-9")],
  ["a common label", { label: LABELS.common }, ({ labels }) => labels.includes(LABELS.common)],
  ["a rare label", { label: LABELS.rare }, ({ labels }) => labels.includes(LABELS.rare)],
  [
    "a common label, unread",
    { label: LABELS.common, unread: "true" },
    (m) => m.labels.includes(LABELS.common) && !m.read,
  ],
  ["a word of all", { q: WORDS.everywhere }, () => true],
  ["a word of all, by a sender", { q: WORDS.everywhere, from: rareSender }, ({ from }) => from === rareSender],
];

describe("200", () => {
  test.each(FILTERS)("%s", async (_, query, matches) => {
    const ids = (await all(query)).map(({ id }) => id);
    expect(ids).toEqual(everything.filter(matches).map(({ id }) => id));
  });

  test("a rare word, wherever it is", async () => {
    expect((await all({ q: WORDS.rare })).map(({ id }) => id)).toEqual(everything.slice(-8).map(({ id }) => id));
  });

  test("the same filters in a small mailbox beside it find nothing of the large one", async () => {
    const queries: Record<string, string>[] = [{ q: WORDS.rare }, { label: LABELS.rare }, { subject: "zzz-none" }];
    for (const query of queries) {
      expect(await all(query, smallBox(0))).toEqual([]);
    }
  });
});

type Listed = { id: string; inbox: string; last_message_id: string };

/** A large mailbox, small ones with mail, and an empty one. */
const SOME = [BIG_BOX, smallBox(0), smallBox(7), smallBox(80), smallBox(MESSAGES - 2)];
const restricted = (await service.newAgentKey(enrollmentKeyId, { inboxes: SOME })).key;
const mailboxes = await allOf("/v1/messages", {});
/** Filters that another index, or none, meets in more than one mailbox. */
const WIDE = [
  "a subject that none",
  "a whole sender",
  "a direction that none",
  "unread",
  "a common label",
  "a rare",
  "a word",
];
const EVERY_FILTER: typeof FILTERS = [
  ...FILTERS.filter(([name]) => WIDE.some((start) => name.startsWith(start))).map(
    ([name, query, matches]): (typeof FILTERS)[number] => [
      name,
      query,
      "q" in query && !query.from ? () => true : matches,
    ],
  ),
  ["a mailbox", { inbox: smallBox(7) }, ({ inbox }) => inbox === smallBox(7)],
  ["a recipient", { to: smallBox(7) }, ({ to }) => to.includes(smallBox(7))],
  ["the beginning of a word of all", { q: WORDS.everywhere.slice(0, 4) }, () => true],
];

describe("200 over all mailboxes", () => {
  test("the newest messages of all mailboxes come first", () => {
    expect(mailboxes).toHaveLength(MESSAGES);
    expect(idsOf(mailboxes)).toEqual(idsOf(mailboxes).sort().reverse());
    expect(idsOf(mailboxes.filter(({ inbox }) => inbox === BIG_BOX))).toEqual(idsOf(everything));
  });

  test.each(EVERY_FILTER)("%s", async (_, query, matches) => {
    expect(idsOf(await allOf("/v1/messages", query))).toEqual(idsOf(mailboxes.filter(matches)));
    const some = mailboxes.filter((message) => SOME.includes(message.inbox) && matches(message));
    expect(idsOf(await allOf("/v1/messages", query, restricted))).toEqual(idsOf(some));
  });

  test("a rare word, and the beginning of it", async () => {
    for (const q of [WORDS.rare, WORDS.rare.slice(0, 4), `${WORDS.rare} ${WORDS.everywhere}`]) {
      expect([q, idsOf(await allOf("/v1/messages", { q }))]).toEqual([q, idsOf(everything.slice(-8))]);
    }
    expect(await allOf("/v1/messages", { q: `"${WORDS.rare.slice(0, 4)}"` })).toEqual([]);
  });

  test("a sender of mail that is not parsed yet, whose words are not in the index", async () => {
    const [id = "", from] = [decodeId("msg", mailboxes.at(-2)?.id ?? ""), "unparsed@else.example"];
    const status = (was: string, address: string, search: string | null) => service.system.sql`
      update messages set status = ${was}, from_address = ${address}, search = ${search}::tsvector, next_attempt_at = now() + interval '1 day'
      where id = ${id} returning id`;
    const [before] = await service.system.sql<[{ from_address: string; search: string }]>`
      select from_address, search::text from messages where id = ${id}`;
    await status("received", from, null);
    expect(SOME).toContain(mailboxes.at(-2)?.inbox);
    for (const by of [key, restricted]) {
      expect(idsOf(await allOf("/v1/messages", { from }, by))).toEqual([mailboxes.at(-2)?.id]);
    }
    await status("parsed", before.from_address, before.search);
  });

  test("threads, the one with the newest message first", async () => {
    const threads = await allOf<Listed>("/v1/threads", {});
    const last = threads.map(({ last_message_id }) => last_message_id);
    expect(last).toEqual([...last].sort().reverse());
    expect(new Set(idsOf(threads)).size).toBe(threads.length);
    const some = await allOf<Listed>("/v1/threads", {}, restricted);
    expect(idsOf(some)).toEqual(idsOf(threads.filter(({ inbox }) => SOME.includes(inbox))));
    const one = await allOf<Listed>("/v1/threads", { inbox: BIG_BOX }, restricted);
    expect(idsOf(one)).toEqual(idsOf(threads.filter(({ inbox }) => inbox === BIG_BOX)));
  });
});
