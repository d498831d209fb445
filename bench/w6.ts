// W6: reading mail as it grows. The same requests to a database of a thousand messages and mailboxes and to one of a million.
import { type Helper, startHelper } from "./support/children.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import { BIG_BOX, LABELS, type MailData, makeMail, smallBox, WORDS } from "./support/mail-data.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { type Mailberth, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const CONNECTIONS = 4;
const SECONDS = 0.6;
/** Cost at a million at most 1.3 times that at a thousand. */
const GOAL = 0.77;
const DEEP_PAGE = { few: 5, many: 200 };

type Store = { mailberth: Mailberth; key: string; data: MailData; deep: string };
/** `rows` that the page must hold, in the small and in the large database; undefined for what is no page. */
type Case = { says: string; paths: (store: Store) => string[]; rows?: [few: number, many: number] };

const messagesOf = (box: string, query: string) => `/v1/inboxes/${encodeURIComponent(box)}/messages?${query}`;

const CASES: Case[] = [
  { says: "get a message", paths: ({ data }) => data.messageIds.map((id) => `/v1/messages/${id}`) },
  { says: "list, first page of 50", paths: () => [messagesOf(BIG_BOX, "limit=50")], rows: [50, 50] },
  {
    says: `list, page ${DEEP_PAGE.few} : ${DEEP_PAGE.many} by cursor`,
    paths: ({ deep }) => [messagesOf(BIG_BOX, `limit=50&cursor=${deep}`)],
    rows: [50, 50],
  },
  { says: "list unread, 20 of 10 %", paths: () => [messagesOf(BIG_BOX, "limit=20&unread=true")], rows: [20, 20] },
  {
    says: "list by a label of 2 %",
    paths: () => [messagesOf(BIG_BOX, `limit=9&label=${LABELS.common}`)],
    rows: [9, 9],
  },
  {
    says: "list by a label of 2 %, more than the newest have",
    paths: () => [messagesOf(BIG_BOX, `limit=10&label=${LABELS.common}`)],
    rows: [9, 10],
  },
  { says: "list by a label of 8 old", paths: () => [messagesOf(BIG_BOX, `label=${LABELS.rare}`)], rows: [8, 8] },
  { says: "search a word of 8 old", paths: () => [messagesOf(BIG_BOX, `q=${WORDS.rare}`)], rows: [8, 8] },
  {
    says: "search a word of every message",
    paths: () => [messagesOf(BIG_BOX, `limit=50&q=${WORDS.everywhere}`)],
    rows: [50, 50],
  },
  {
    says: "search a word of 1 %, more than the newest have",
    paths: () => [messagesOf(BIG_BOX, `limit=5&q=${WORDS.common}`)],
    rows: [5, 5],
  },
  {
    says: "search a mailbox of 50 for a word that all mailboxes hold",
    paths: () => [0, 1, 2, 3].map((n) => messagesOf(smallBox(n), `limit=50&q=${WORDS.everywhere}`)),
    rows: [50, 50],
  },
  {
    says: "list threads",
    paths: () => [`/v1/inboxes/${encodeURIComponent(BIG_BOX)}/threads?limit=50`],
    rows: [50, 50],
  },
  {
    says: "events after one in the middle",
    paths: ({ data }) => [`/v1/events?limit=50&after=${data.eventId}`],
    rows: [50, 50],
  },
  {
    says: "events of a mailbox after one in the middle",
    paths: ({ data }) => [`/v1/events?limit=20&after=${data.eventId}&inbox=${encodeURIComponent(smallBox(1))}`],
    rows: [20, 20],
  },
];

type Page = { data: unknown[]; next_cursor: string | null };

async function get<T>({ mailberth, key }: Pick<Store, "mailberth" | "key">, path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${mailberth.port}${path}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** The cursor of a page of 50 of the large mailbox, from 2. */
async function cursorOf(store: Pick<Store, "mailberth" | "key">, page: number): Promise<string> {
  let cursor = "";
  for (let before = 1; before < page; before += 1) {
    const read = await get<Page>(store, messagesOf(BIG_BOX, `limit=50${cursor && `&cursor=${cursor}`}`));
    cursor = read.next_cursor ?? "";
  }
  return cursor;
}

async function openStore(site: Site, name: string, messages: number, deepPage: number): Promise<Store> {
  const mailberth = await startMailberth(site, name, ["web,smtp,worker"]);
  const key = await mailberth.agentKey();
  const data = await makeMail(mailberth.databaseUrl, messages);
  return { mailberth, key, data, deep: await cursorOf({ mailberth, key }, deepPage) };
}

/** What is measured must be what it says. */
async function check(store: Store, paths: string[], rows: number | undefined): Promise<void> {
  for (const path of paths.slice(0, 4)) {
    const page = await get<Page>(store, path);
    if (rows !== undefined && page.data.length !== rows) throw new Error(`${page.data.length} rows: ${path}`);
  }
}

function contender(site: Site, load: Helper<HttpOrder, HttpAnswer>, store: Store, name: string, paths: string[]) {
  const pids = store.mailberth.processes.map(({ pid }) => pid);
  const requests = paths.map(
    (path) => `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${store.key}\r\n\r\n`,
  );
  const order = { port: store.mailberth.port, connections: CONNECTIONS, requests, status: 200, seconds: SECONDS };
  return {
    name,
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    run: () => load.ask(order),
  } satisfies Contender;
}

export async function w6(site: Site): Promise<Comparison[]> {
  const few = await openStore(site, "w6_few", FEW, DEEP_PAGE.few);
  const many = await openStore(site, "w6_many", MANY, DEEP_PAGE.many);
  const load: Helper<HttpOrder, HttpAnswer> = startHelper(new URL("./support/http-load.ts", import.meta.url));
  try {
    const rows: Comparison[] = [];
    for (const each of CASES) {
      const paths = { few: each.paths(few), many: each.paths(many) };
      await check(few, paths.few, each.rows?.[0]);
      await check(many, paths.many, each.rows?.[1]);
      const small = contender(site, load, few, `${FEW.toLocaleString("en")} messages`, paths.few);
      const large = contender(site, load, many, "Mailberth", paths.many);
      for (const one of [small, large]) await (rows.length === 0 ? warmUp(one) : one.run());
      const title = { workload: "W6", case: `${MANY.toLocaleString("en")} messages: ${each.says}` };
      rows.push(...(await race(title, large, [{ contender: small, goal: GOAL }], [process.pid, site.postmasterPid])));
    }
    return rows;
  } finally {
    await Promise.all([few.mailberth.stop(), many.mailberth.stop()]);
  }
}
