// GET /v1/inboxes/{addr}/messages: lists a mailbox's messages that match filters, newest first.
import { and, eq, gt, lt, not, type SQL, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import { readAddress } from "../base/addresses.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { encodeCursor, readCursor, toPage } from "../base/cursor.ts";
import { FIRST_ID, highestId, LAST_ID, lowestId, readTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { findInbox, type InboxRow } from "../base/tenancy.ts";
import { searchQuery } from "./inbound/search-index.ts";
import type { ListInput } from "./schema.ts";
import { type SummaryRow, summaryColumns } from "./summary.ts";
import { FIRST_ROWS, type From, type Walk, walkFirst, walkOn } from "./walk.ts";

/** Matches that an index may return unsorted; a condition with more is looked for by walking. */
const INDEX_MAX_ROWS = 2_000;
/** A match of so many of the newest FIRST_ROWS is frequent: walking on finds the page, and an index would return too many. */
const FREQUENT_ROWS = 5;
/** `after` and `before` as bounds on ids, both exclusive, and on times. */
function readRange({ after, before }: ListInput) {
  const afterId = after === undefined ? undefined : decodeId("msg", after);
  const since = after === undefined || afterId ? null : readTime(after);
  const until = before === undefined ? null : readTime(before);
  const upper = until ? highestId(until) : LAST_ID;
  return {
    lower: afterId ?? (since ? lowestId(since) : FIRST_ID),
    upper,
    since,
    until,
  };
}

/** A regular expression that finds the text in any case, independent of the database's locale. */
function anyCase(text: string): string {
  return [...text]
    .map((character) => {
      const forms = new Set([character, character.toLowerCase(), character.toUpperCase()]);
      const single = [...forms].filter((form) => [...form].length === 1);
      if (single.length > 1) return `[${single.join("")}]`;
      return /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;
    })
    .join("");
}

/** A whole address matches exactly, other text matches a part of an address or a name. */
function addressPatterns(text: string | undefined): { address: string | null; name: string | null } {
  if (text === undefined) return { address: null, name: null };
  const whole = readAddress(text)?.address;
  return whole ? { address: `^${anyCase(whole)}$`, name: null } : { address: anyCase(text), name: anyCase(text) };
}

/** Conditions without an index. Absent ones are null, so that a few statements cover all combinations. */
function plainConditions(input: ListInput): SQL {
  const { direction = null, unread, subject } = input;
  const { from_address, from_name, to_addresses, cc_addresses, bcc_addresses } = messages;
  const from = addressPatterns(input.from);
  const to = addressPatterns(input.to).address;
  const part = subject === undefined ? null : anyCase(subject);
  return sql`(${direction}::text is null or ${messages.direction} = ${direction}::text)
    and (not ${unread === false}::boolean or ${messages.read})
    and (${from.address}::text is null or ${from_address} ~ ${from.address}::text or ${from_name} ~ ${from.name}::text)
    and (${to}::text is null
      or array_to_string(${to_addresses} || ${cc_addresses} || ${bcc_addresses}, ${"\n"}) ~ ${`(?n)${to}`}::text)
    and (${part}::text is null or ${messages.subject} ~ ${part}::text)`;
}

/** The conditions that one index meets in the order of ids: of the filters given, the one with the fewest messages. */
function orderedConditions(inbox: InboxRow, { from, thread_id, direction, unread }: ListInput, lower: string) {
  const sender = from === undefined ? undefined : readAddress(from)?.address.toLowerCase();
  const isLater = gt(messages.id, lower);
  if (thread_id !== undefined) return and(eq(messages.thread_id, decodeId("thr", thread_id) ?? FIRST_ID), isLater);
  const mine = eq(messages.inbox_id, inbox.id);
  // Only inbound messages have a sender other than the mailbox.
  if (sender !== undefined && sender !== inbox.address) {
    const isFrom = sql`lower(${messages.from_address}) = ${sender}`;
    return and(mine, isFrom, asInIndex(eq(messages.direction, "inbound")), isLater);
  }
  if (unread) return and(mine, asInIndex(not(messages.read)), isLater);
  return and(mine, direction && eq(messages.direction, direction), isLater);
}

/** Conditions that an index meets, though not in the order of ids. The first is the one to look up. */
function lookedUpConditions(inbox: InboxRow, { label, q }: ListInput): SQL[] {
  const words = q === undefined ? [] : [searchQuery(inbox.id, q)];
  if (label === undefined) return words;
  return [...words, sql`${messages.labels} @> array[${label}]::text[] and ${messages.labels} <> '{}'`];
}

/** Whether many of the newest messages match `key`, whatever the other filters. */
async function isFrequent({ db }: Ctx<Caller>, key: SQL, ordered: SQL | undefined): Promise<boolean> {
  const matches = await db.execute<{ id: string }>(sql`
    select ${messages.id} from (select * from ${messages} where ${ordered} order by ${messages.id} desc limit ${FIRST_ROWS}) messages
    where ${key} limit ${FREQUENT_ROWS}`);
  return matches.length === FREQUENT_ROWS;
}

/** The messages that an index returns for `key`, unless they are too many: then undefined. */
async function lookUp({ db }: Ctx<Caller>, key: SQL, { rest, columns }: Walk, { before, rows }: From) {
  const found = await db.execute<SummaryRow & { hits: number }>(sql`
    with hits as materialized (select ${messages.id} from ${messages} where ${key} limit ${INDEX_MAX_ROWS + 1}),
    page as (
      select ${columns} from ${messages} where ${messages.id} = any(array(select id from hits)) and ${rest}
        and ${messages.id} < ${before} order by ${messages.id} desc limit ${rows})
    select page.*, count.hits from (select count(*)::int as hits from hits) count
    left join page on true order by page.id desc`);
  if ((found[0]?.hits ?? 0) > INDEX_MAX_ROWS) return;
  return { found: found.filter(({ id }) => id !== null), edge: undefined };
}

/**
 * The newest messages that match all filters. The newest are walked first: they have what is frequent. An index finds
 * what is rare. What neither finds is walked to, in as many pages as that takes.
 */
async function select(
  ctx: Ctx<Caller>,
  inbox: InboxRow,
  input: ListInput,
  page: { cursor?: string | undefined; rows: number },
) {
  const { lower, upper, since, until } = readRange(input);
  const { created_at } = messages;
  const lookedUp = lookedUpConditions(inbox, input);
  const ordered = orderedConditions(inbox, input, lower);
  const rest = and(
    eq(messages.inbox_id, inbox.id),
    gt(messages.id, lower),
    since ? gt(created_at, since) : undefined,
    until ? lt(created_at, until) : undefined,
    input.unread === true ? not(messages.read) : undefined,
    plainConditions(input),
    ...lookedUp,
  );
  const walk = { ordered, rest, columns: summaryColumns(inbox.address) };
  const from = { before: page.cursor !== undefined && page.cursor < upper ? page.cursor : upper, rows: page.rows };
  const first = await walkFirst(ctx, walk, from);
  if (first.edge === undefined) return first;
  const [key] = input.thread_id === undefined ? lookedUp : [];
  const isRare = key && first.found.length < FREQUENT_ROWS && !(await isFrequent(ctx, key, ordered));
  const rare = isRare ? await lookUp(ctx, key, walk, from) : undefined;
  return rare ?? walkOn(ctx, walk, page.rows, first);
}

/**
 * @returns a page, and the cursor of the next, which is valid only for this mailbox with these filters. A page may be
 * short: the walk ends after a time, and the next page continues it
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listMessages(ctx: Ctx<Caller>, input: ListInput) {
  const { addr, limit, cursor, ...filters } = input;
  const inbox = await findInbox(ctx, addr);
  const list = `messages:${inbox.id}:${JSON.stringify(Object.entries(filters).sort())}`;
  const before = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  const { found, edge } = await select(ctx, inbox, input, { cursor: before, rows: limit + 1 });
  const page = toPage(ctx, list, found, limit);
  const isShort = edge !== undefined && page.next_cursor === null;
  return isShort ? { ...page, next_cursor: encodeCursor(ctx, list, edge) } : page;
}
