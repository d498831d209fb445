// GET /v1/inboxes/{addr}/messages in a mailbox that is too large for one walk: the pages together have every match once.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { startTestService } from "#test/support/service.ts";
import { BIG_BOX, LABELS, makeMail, smallBox, WORDS } from "../../bench/support/mail-data.ts";

/** Half of them are in the large mailbox: more than several steps of a walk. */
const MESSAGES = 9_000;
const PAGES_MAX = 1_000;
const LIMIT = "100";
const TEST_TIMEOUT_MS = 120_000;

type Summary = {
  id: string;
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
const { agentKey: key } = await service.newOrganization();
await makeMail(database.url, MESSAGES);
afterAll(async () => {
  await client.close();
  await service.stop();
  await database.drop();
});

/** All pages of a list. No page may have more rows than asked for. */
async function all(query: Record<string, string>, box = BIG_BOX): Promise<Summary[]> {
  const found: Summary[] = [];
  let cursor: string | null = "";
  for (let pages = 0; cursor !== null; pages += 1) {
    const search: URLSearchParams = new URLSearchParams({ limit: LIMIT, ...query, ...(cursor && { cursor }) });
    const { status, body } = await client.get<Page<Summary>>(`${inboxPath(box, "/messages")}?${search}`, { key });
    expect([query, status, pages < PAGES_MAX]).toEqual([query, 200, true]);
    expect(body.data.length).toBeLessThanOrEqual(Number(LIMIT));
    found.push(...body.data);
    cursor = body.next_cursor;
  }
  return found;
}

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
  test.each(FILTERS)("%s", { timeout: TEST_TIMEOUT_MS }, async (_, query, matches) => {
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
