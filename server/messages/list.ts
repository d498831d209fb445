// GET /v1/inboxes/{addr}/messages: lists a mailbox's messages that match filters, newest first.
import { and, eq, not, type SQL, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import { readAddress } from "../base/addresses.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { FIRST_ID, highestId, LAST_ID, lowestId, readTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { findInbox, type InboxRow } from "../base/tenancy.ts";
import { type MessageRow, recipientsColumn, sendAtColumn } from "./columns.ts";
import { searchQuery } from "./inbound/search-index.ts";
import type { ListInput } from "./schema.ts";

/** So many of the newest messages are scanned before an index is used: frequent matches fill a page from them. */
const NEWEST_FIRST_ROWS = 500;
const WALK_MAX_ROWS = 20_000;
export type SummaryRow = Pick<
  MessageRow,
  | "id"
  | "thread_id"
  | "inbox"
  | "direction"
  | "status"
  | "from_address"
  | "from_name"
  | "to_addresses"
  | "subject"
  | "read"
  | "labels"
  | "recipients"
  | "send_at"
  | "size"
  | "created_at"
> & { attachment_count: number };

/** The columns of SummaryRow, of `messages`. */
export function summaryColumns(address: string): SQL {
  const { id, thread_id, direction, status, from_address, from_name, to_addresses, attachments } = messages;
  const { subject, read, labels, size, created_at } = messages;
  return sql`${id}, ${thread_id}, ${address}::text as inbox, ${direction}, ${status}, ${from_address}, ${from_name},
    ${to_addresses}, ${subject}, ${read}, ${labels}, jsonb_array_length(${attachments}) as attachment_count, ${size}, ${created_at},
    ${recipientsColumn} as recipients, ${sendAtColumn} as send_at`;
}

/** `after` and `before` as bounds on ids, both exclusive, and on times. */
function readRange({ after, before }: ListInput, cursor: string | undefined) {
  const afterId = after === undefined ? undefined : decodeId("msg", after);
  const since = after === undefined || afterId ? null : readTime(after);
  const until = before === undefined ? null : readTime(before);
  const upper = until ? highestId(until) : LAST_ID;
  return {
    lower: afterId ?? (since ? lowestId(since) : FIRST_ID),
    upper: cursor !== undefined && cursor < upper ? cursor : upper,
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

/** Conditions on the time; the bounds on ids limit what is read. */
function rangeConditions(input: ListInput, cursor: string | undefined) {
  const { lower, upper, since, until } = readRange(input, cursor);
  const { id, created_at } = messages;
  return sql`${id} > ${lower} and ${id} < ${upper}
    and (${since}::timestamptz is null or ${created_at} > ${since}::timestamptz)
    and (${until}::timestamptz is null or ${created_at} < ${until}::timestamptz)`;
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

/** Conditions with their own index, by the name of the filter. */
function indexedConditions(inbox: InboxRow, { from, thread_id, label, q, unread }: ListInput) {
  const sender = from === undefined ? undefined : readAddress(from)?.address.toLowerCase();
  const threadId = thread_id === undefined ? undefined : (decodeId("thr", thread_id) ?? FIRST_ID);
  // Only inbound messages have a sender other than the mailbox.
  const isForeign = sender !== undefined && sender !== inbox.address;
  return {
    thread: threadId === undefined ? undefined : eq(messages.thread_id, threadId),
    words: q === undefined ? undefined : searchQuery(inbox.id, q),
    sender: isForeign
      ? sql`${messages.direction} = 'inbound' and lower(${messages.from_address}) = ${sender}`
      : undefined,
    label:
      label === undefined
        ? undefined
        : sql`${messages.labels} @> array[${label}]::text[] and ${messages.labels} <> '{}'`,
    unread: unread === true ? not(messages.read) : undefined,
  };
}

type Conditions = (SQL | undefined)[];
type Page = { cursor: string | undefined; rows: number };

/** The statements of a page, over a source of messages and with the conditions that the source has not met. */
function search({ db }: Ctx<Caller>, inbox: InboxRow, input: ListInput, { cursor, rows }: Page) {
  const range = rangeConditions(input, cursor);
  const plain = plainConditions(input);
  const mine = eq(messages.inbox_id, inbox.id);
  const page = (source: SQL, ...conditions: Conditions) => sql`
    select ${summaryColumns(inbox.address)} from ${source} where ${and(mine, range, plain, ...conditions)}
    order by ${messages.id} desc limit ${rows}`;
  const from = (...source: [SQL, ...Conditions]): Promise<SummaryRow[]> => db.execute<SummaryRow>(page(...source));

  /** The matches among the newest `depth` messages; `all` if there are no others, or the page is full. */
  async function amongNewest(depth: number, ...conditions: Conditions): Promise<{ found: SummaryRow[]; all: boolean }> {
    const found = await db.execute<SummaryRow & { seen: number }>(sql`
      with newest as materialized (
        select * from ${messages} where ${mine} and ${range} order by ${messages.id} desc limit ${depth}
      ), page as (${page(sql`newest messages`, ...conditions)})
      select page.*, newest.seen from (select count(*)::int as seen from newest) newest left join page on true
      order by page.id desc`);
    const seen = found[0]?.seen ?? 0;
    const hits = found.filter(({ id }) => id !== null);
    return { found: hits, all: seen < depth || hits.length === rows };
  }
  return { mine, range, from, amongNewest };
}

/**
 * The newest messages that match all filters. The planner would choose one plan for a word in every message and another
 * for a rare one; `offset 0` makes it use the intended index.
 */
async function select(ctx: Ctx<Caller>, inbox: InboxRow, input: ListInput, page: Page): Promise<SummaryRow[]> {
  const { thread, words, sender, label, unread } = indexedConditions(inbox, input);
  const { mine, range, from, amongNewest } = search(ctx, inbox, input, page);
  const matching = (...conditions: Conditions) =>
    sql`(select * from ${messages} where ${and(...conditions)} offset 0) messages`;
  if (thread) {
    const source = sql`(select * from ${messages} where ${thread} and ${range}
      order by ${messages.id} desc offset 0) messages`;
    return from(source, words, sender, label, unread);
  }
  if (!words && !sender && !label) return from(sql`${messages}`, unread);
  const indexed = [words, sender, label, unread];
  const newest = await amongNewest(NEWEST_FIRST_ROWS, ...indexed);
  if (newest.all) return newest.found;
  // Frequent matches are found by scanning; an index would return and sort all matches of the mailbox.
  const depth = Math.ceil((NEWEST_FIRST_ROWS * page.rows * 2) / Math.max(newest.found.length, 1));
  if (depth <= WALK_MAX_ROWS) {
    const further = await amongNewest(depth, ...indexed);
    if (further.all) return further.found;
  }
  if (words) return from(matching(words), sender, label, unread);
  if (sender) return from(matching(mine, sender), label, unread);
  return from(matching(label ?? sql`true`), unread);
}

/**
 * @returns a page, and the cursor of the next, which is valid only for this mailbox with these filters
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listMessages(ctx: Ctx<Caller>, input: ListInput) {
  const { addr, limit, cursor, ...filters } = input;
  const inbox = await findInbox(ctx, addr);
  const list = `messages:${inbox.id}:${JSON.stringify(Object.entries(filters).sort())}`;
  const before = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  return toPage(ctx, list, await select(ctx, inbox, input, { cursor: before, rows: limit + 1 }), limit);
}
