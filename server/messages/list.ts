// GET /v1/messages and GET /v1/inboxes/{addr}/messages: lists messages that match filters, newest first.
import { and, eq, gt, isNull, lt, not, type SQL, sql } from "drizzle-orm";
import { asInIndex, warningOf } from "#db/conditions.ts";
import { messageRecipients, messages } from "#db/schema/mail.ts";
import { readAddress } from "../base/addresses.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor } from "../base/cursor.ts";
import { invalidField } from "../base/errors.ts";
import { FIRST_ID, highestId, LAST_ID, lowestId, readTime } from "../base/id-range.ts";
import { decodeId } from "../base/ids.ts";
import { readSender } from "../base/sender-filter.ts";
import { type InboxRow, readSelection, type Selection } from "../base/tenancy.ts";
import { readQuery, type SearchQuery } from "../extraction/search.ts";
import { matchesSearch, mayMatchSearch } from "../receiving/search-index.ts";
import { addHighlights, type MatchRow, matchColumns } from "./matches.ts";
import { CANCELLED, CAPTURED } from "./message-schema.ts";
import type { Filters, PageInput } from "./schema.ts";
import { readOperators } from "./search-operators.ts";
import { summaryColumns } from "./summary.ts";
import {
  candidates,
  FIRST_ROWS,
  type From,
  firstOfIndex,
  isSelected,
  listName,
  type Reached,
  type Scope,
  scopeOf,
  toWalkedPage,
  type Walk,
  walkFirst,
  walkOn,
} from "./walk.ts";

// The conditions of a list of messages on the texts and marks of a message, which no index meets.
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

/** As waits read the same text. */
function senderPatterns(text: string | undefined): ReturnType<typeof addressPatterns> {
  const sender = text === undefined ? undefined : readSender(text);
  if (sender && "domain" in sender) return { address: `[@.]${anyCase(sender.domain)}$`, name: null };
  return addressPatterns(text);
}

/** As view.ts says it: whether all recipients have a reason that begins so. */
const areAll = (
  beginning: string,
) => sql`(select bool_and(starts_with(coalesce(${messageRecipients.reason}, ''), ${sql.raw(`'${beginning}'`)}))
  from ${messageRecipients} where ${messageRecipients.message_id} = ${messages.id})`;
const statusShown = sql`case
  when ${messages.status} = 'rejected' and ${areAll(CANCELLED)} then 'cancelled'
  when ${messages.status} = 'sent' and ${areAll(CAPTURED)} then 'captured' else ${messages.status} end`;

/** Conditions without an index. Absent ones are null, so that a few statements cover all combinations. */
function textConditions(input: Filters): SQL {
  const { direction = null, status = null, kind = null, has_attachments = null, unread, subject } = input;
  const { attachments, from_address, from_name, to_addresses, cc_addresses, bcc_addresses, envelope_to } = messages;
  const from = senderPatterns(input.from);
  const to = addressPatterns(input.to).address;
  const part = subject === undefined ? null : anyCase(subject);
  return sql`(${direction}::text is null or ${messages.direction} = ${direction}::text)
    and (${status}::text is null or ${statusShown} = ${status}::text)
    and (${kind}::text is null or ${messages.kind} = ${kind}::text)
    and (${has_attachments}::boolean is null or (jsonb_array_length(${attachments}) > 0) = ${has_attachments}::boolean)
    and (not ${unread === false}::boolean or ${messages.read})
    and (${from.address}::text is null or ${from_address} ~ ${from.address}::text or ${from_name} ~ ${from.name}::text)
    and (${to}::text is null
      or array_to_string(${to_addresses} || ${cc_addresses} || ${bcc_addresses} || ${envelope_to}, ${"\n"}) ~ ${`(?n)${to}`}::text)
    and (${part}::text is null or ${messages.subject} ~ ${part}::text)`;
}

/** Matches that an index may return unsorted; a condition with more is looked for by walking. */
const INDEX_MAX_ROWS = 2_000;
/** A match of so many of the newest FIRST_ROWS is frequent: walking on finds the page, and an index would return too many. */
const FREQUENT_ROWS = 5;

type Search = { selection: Selection & { inbox?: InboxRow }; scope: Scope; filters: Filters; query?: SearchQuery };
type Page = { cursor?: string | undefined; rows: number };

/** `after` and `before` as bounds on ids, both exclusive, and on times. */
function readRange({ after, before }: Filters) {
  const afterId = after === undefined ? undefined : decodeId("msg", after);
  const since = after === undefined || afterId ? null : readTime(after);
  const beforeId = before === undefined ? undefined : decodeId("msg", before);
  const until = before === undefined || beforeId ? null : readTime(before);
  const upper = beforeId ?? (until ? highestId(until) : LAST_ID);
  return { lower: afterId ?? (since ? lowestId(since) : FIRST_ID), upper, since, until };
}

/** The whole address of `from`, in lower case. */
function senderOf({ from }: Filters): string | undefined {
  return from === undefined ? undefined : readAddress(from)?.address.toLowerCase();
}

/** The conditions that one index meets in the order of ids: of the filters given, the one with the fewest messages. */
function inOrder({ selection, scope, filters }: Search, lower: string): Pick<Walk<MatchRow>, "ordered" | "lanes"> {
  const { thread_id, direction, unread, risky } = filters;
  const isLater = gt(messages.id, lower);
  if (thread_id !== undefined) {
    return { ordered: and(eq(messages.thread_id, decodeId("thr", thread_id) ?? FIRST_ID), isLater) };
  }
  if (risky) return { ordered: and(eq(messages.organization_id, scope.organizationId), isRisky, isLater) };
  const first = firstOfIndex(scope, messages);
  const { lanes } = scope;
  const sender = senderOf(filters);
  // Only inbound messages have a sender other than the mailbox.
  if (sender !== undefined && selection.inbox && sender !== selection.inbox.address) {
    const isFrom = sql`lower(${messages.from_address}) = ${sender}`;
    return { ordered: and(first, isFrom, asInIndex(eq(messages.direction, "inbound")), isLater) };
  }
  // The index of an organization has neither.
  const isOfInbox = scope.only !== undefined || lanes !== undefined;
  if (unread && isOfInbox) return { ordered: and(first, asInIndex(not(messages.read)), isLater), lanes };
  return {
    ordered: and(first, isOfInbox && direction ? eq(messages.direction, direction) : undefined, isLater),
    lanes,
  };
}

const isRisky = sql`(${warningOf(messages)}) is not null`;

function quarantineCondition({ include_spam, quarantined }: Filters): SQL | undefined {
  if (quarantined === true) return eq(messages.quarantine, "spam");
  return include_spam ? undefined : isNull(messages.quarantine);
}

/** A condition that an index looks up. `isOfWords`: messages that are not parsed yet may match too; their words are not known. */
type Key = { condition: SQL; isOfWords: boolean };

/** What an index can look up, though not in the order of ids. */
function keyOf({ scope, filters, query, selection }: Search): Key | undefined {
  const { label, thread_id } = filters;
  if (thread_id !== undefined) return;
  if (filters.quarantined) {
    const ofOrganization = eq(messages.organization_id, scope.organizationId);
    return { condition: sql`${ofOrganization} and ${messages.quarantine} is not null`, isOfWords: false };
  }
  if (query) return { condition: mayMatchSearch(scope, query), isOfWords: false };
  if (label !== undefined) return { condition: hasLabel(label), isOfWords: false };
  // Within a mailbox, senders have an index of their own.
  const sender = selection.inbox ? undefined : readQuery(senderOf(filters) ?? "");
  return sender && { condition: mayMatchSearch(scope, sender), isOfWords: true };
}

function hasLabel(label: string): SQL {
  return sql`${messages.labels} @> array[${label}]::text[] and ${messages.labels} <> '{}'`;
}

function countFilters(filters: Filters): number {
  return Object.values(filters).filter((value) => value !== undefined).length;
}

/** Whether many of the newest messages match `key`, whatever the other filters. */
async function isFrequent({ db }: Ctx<Caller>, key: Key, walk: Walk<MatchRow>): Promise<boolean> {
  const matches = await db.execute<{ id: string }>(sql`
    select ${messages.id} from ${candidates(walk, LAST_ID, FIRST_ROWS)} where ${key.condition} limit ${FREQUENT_ROWS}`);
  return matches.length === FREQUENT_ROWS;
}

/** The messages that an index finds, and those of the organization that are not parsed yet, whose words are not known. */
function hitsOf({ condition, isOfWords }: Key, { scope }: Search): SQL {
  const found = sql`select ${messages.id} from ${messages} where ${condition} limit ${INDEX_MAX_ROWS + 1}`;
  if (!isOfWords) return found;
  const isReceived = asInIndex(eq(messages.status, "received"));
  const ofOrganization = eq(messages.organization_id, scope.organizationId);
  return sql`(${found}) union all (
    select ${messages.id} from ${messages} where ${and(ofOrganization, isReceived)} limit ${INDEX_MAX_ROWS + 1})`;
}

/** The messages that an index returns for a key, unless they are too many: then undefined. */
async function lookUp({ db }: Ctx<Caller>, hits: SQL, { rest, columns }: Walk<MatchRow>, { before, rows }: From) {
  const found = await db.execute<MatchRow & { hits: number }>(sql`
    with hits as materialized (${hits}),
    page as (
      select ${columns} from ${messages} where ${messages.id} = any(array(select id from hits)) and ${rest}
        and ${messages.id} < ${before} order by ${messages.id} desc limit ${rows})
    select page.*, count.hits from (select count(*)::int as hits from hits) count
    left join page on true order by page.id desc`);
  if ((found[0]?.hits ?? 0) > INDEX_MAX_ROWS) return;
  return { found: found.filter(({ id }) => id !== null), edge: undefined };
}

function walkOf(
  { db }: Ctx<Caller>,
  search: Search,
  { lower, since, until }: ReturnType<typeof readRange>,
): Walk<MatchRow> {
  const { filters, query } = search;
  const { created_at } = messages;
  const rest = and(
    isSelected(search.selection, messages),
    quarantineCondition(filters),
    gt(messages.id, lower),
    since ? gt(created_at, since) : undefined,
    until ? lt(created_at, until) : undefined,
    filters.unread === true ? not(messages.read) : undefined,
    filters.risky === undefined ? undefined : sql`(${isRisky}) = ${filters.risky}`,
    textConditions(filters),
    query && matchesSearch(query),
    filters.label === undefined ? undefined : hasLabel(filters.label),
    filters.without_label === undefined ? undefined : sql`not (${hasLabel(filters.without_label)})`,
  );
  const columns = query ? sql`${summaryColumns}, ${matchColumns(query)}` : summaryColumns;
  const run = (step: SQL) => db.execute<MatchRow & Reached>(step);
  return { table: messages, position: messages.id, ...inOrder(search, lower), rest, columns, run };
}

/**
 * The newest messages that match all filters. The newest are walked first: they have what is frequent. An index finds
 * what is rare. What neither finds is walked to, in as many pages as that takes.
 */
async function select(ctx: Ctx<Caller>, search: Search, page: Page) {
  const range = readRange(search.filters);
  const walk = walkOf(ctx, search, range);
  const { upper } = range;
  const from = { before: page.cursor !== undefined && page.cursor < upper ? page.cursor : upper, rows: page.rows };
  const first = await walkFirst(walk, from);
  if (first.edge === undefined) return first;
  const key = keyOf(search);
  // What the first page found for a single filter is all that matches the key among the newest.
  const isCounted = page.cursor === undefined && countFilters(search.filters) === 1;
  const isFew = first.found.length < FREQUENT_ROWS;
  const isRare = key && isFew && (isCounted || !(await isFrequent(ctx, key, walk)));
  const rare = isRare ? await lookUp(ctx, hitsOf(key, search), walk, from) : undefined;
  return rare ?? walkOn(walk, page.rows, first);
}

/**
 * The filters with those that operators in `q` stand for. `q` is left with its words.
 * @throws ServiceError `invalid_request`
 */
function withOperators({ q, ...filters }: Filters): Filters {
  if (q === undefined) return filters;
  const read = readOperators(q);
  if (typeof read === "string") throw invalidField("q", read);
  const twice = Object.keys(read.filters).find((name) => filters[name as keyof typeof filters] !== undefined);
  if (twice !== undefined) throw invalidField("q", `the search and the filter \`${twice}\` both say it; leave one out`);
  return { ...filters, ...read.filters, ...(readQuery(read.words) && { q: read.words }) };
}

/**
 * @param addr the mailbox; undefined: all mailboxes that the caller may see
 * @returns a page, and the cursor of the next, which is valid only for these mailboxes with these filters. A page may be
 * short: the walk ends after a time, and the next page continues it
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listMessages(
  ctx: Ctx<Caller>,
  addr: string | undefined,
  { limit, cursor, ...given }: Filters & PageInput,
) {
  const selection = await readSelection(ctx, addr);
  const list = listName("messages", selection, given);
  const filters = withOperators(given);
  const before = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  const query = filters.q === undefined ? undefined : readQuery(filters.q);
  // Only mailboxes have indexes of unread mail and of directions.
  const inLanes = filters.unread === true || filters.direction !== undefined;
  const search = { selection, scope: await scopeOf(ctx, selection, inLanes), filters, ...(query && { query }) };
  const walked = await select(ctx, search, { cursor: before, rows: limit + 1 });
  const page = toWalkedPage(ctx, list, walked, limit);
  return { ...page, rows: await addHighlights(page.rows, filters.q) };
}
