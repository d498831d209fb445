// GET /v1/keys/{id}/activity: what a key changed, newest first.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Change, ChangeKind, NotUndone } from "#db/activity-parts.ts";
import { anyOf } from "#db/conditions.ts";
import { activity } from "#db/schema/activity.ts";
import { inboxes, messages, trashedMessages } from "#db/schema/mail.ts";
import { thingId, valuesView } from "../activity/shown.ts";
import { type Caller, type Ctx, hasScope } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { findAgentKey } from "../keys/find.ts";
import { isOwn } from "../messages/columns.ts";

/** Of one call, in a list. */
const CHANGES_SHOWN = 20;

type Input = { id: string; limit: number; cursor?: string | undefined };

/**
 * For members, the key itself, and the keys above it.
 * @throws ServiceError `agent_key_not_found`, `invalid_cursor`
 */
export async function listActivity(ctx: Ctx<Caller>, { id: wireId, limit, cursor }: Input) {
  const { db, actor } = ctx;
  const isCallers = actor.kind === "agent" && decodeId("akey", wireId) === actor.keyId;
  const key = isCallers ? actor.keyId : (await findAgentKey(ctx, wireId)).id;
  const list = `activity:${key}`;
  const { id, verb, request_id, changes, created_at, undone_at, not_undone } = activity;
  const before = cursor === undefined ? undefined : lt(id, readCursor(ctx, list, cursor));
  const rows = await db
    .select({
      id,
      verb,
      request_id,
      inbox: inboxes.address,
      changes: sql<Change[]>`jsonb_path_query_array(${changes}, ${`$[0 to ${CHANGES_SHOWN - 1}]`}::jsonpath)`,
      change_count: sql<number>`jsonb_array_length(${changes})`,
      created_at,
      undone_at,
      not_undone,
    })
    .from(activity)
    .leftJoin(inboxes, and(eq(inboxes.id, activity.inbox_id), eq(inboxes.organization_id, actor.organizationId)))
    .where(and(eq(activity.organization_id, actor.organizationId), eq(activity.key_id, key), before))
    .orderBy(desc(id))
    .limit(limit + 1);
  const page = toPage(ctx, list, rows, limit);
  const names = await namesOf(
    ctx,
    page.rows.flatMap((row) => row.changes),
  );
  return { data: page.rows.map((row) => rowView(row, names)), next_cursor: page.next_cursor };
}

type Named = { name: string | null; thread_id: string | null };

/** Subjects of messages, if the caller may read mail, and addresses of mailboxes that still exist, by their ids. */
async function namesOf(ctx: Ctx<Caller>, changes: Change[]): Promise<Map<string, Named>> {
  const idsOf = (...kinds: ChangeKind[]) => [
    ...new Set(changes.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id)),
  ];
  const { actor } = ctx;
  const mayRead = actor.kind !== "agent" || hasScope(actor.scopes, "mailbox:read");
  const messageIds = mayRead ? idsOf("message", "send") : [];
  const { id, thread_id, subject } = messages;
  const kept = await ctx.db
    .select({ id, thread_id, name: subject })
    .from(messages)
    .where(and(anyOf(id, messageIds), isOwn(ctx, messages)));
  const trashed = await ctx.db
    .select({ id: trashedMessages.id, name: trashedMessages.subject })
    .from(trashedMessages)
    .where(and(anyOf(trashedMessages.id, messageIds), isOwn(ctx, trashedMessages)));
  const mailboxes = await ctx.db
    .select({ id: inboxes.id, name: inboxes.address })
    .from(inboxes)
    .where(and(anyOf(inboxes.id, idsOf("inbox")), eq(inboxes.organization_id, ctx.actor.organizationId)));
  return new Map([
    ...[...trashed, ...mailboxes].map((row): [string, Named] => [row.id, { name: row.name, thread_id: null }]),
    ...kept.map((row): [string, Named] => [row.id, { name: row.name, thread_id: encodeId("thr", row.thread_id) }]),
  ]);
}

type Row = Pick<
  typeof activity.$inferSelect,
  "id" | "verb" | "request_id" | "changes" | "created_at" | "undone_at" | "not_undone"
> & { inbox: string | null; change_count: number };

function rowView({ id, verb, request_id, inbox, ...row }: Row, names: Map<string, Named>) {
  return {
    id: encodeId("act", id),
    verb,
    request_id,
    inbox,
    changes: row.changes.map((change) => ({ ...changeView(change), ...nameOf(change, names) })),
    change_count: row.change_count,
    created_at: row.created_at.toISOString(),
    undone_at: row.undone_at?.toISOString() ?? null,
    not_undone: (row.not_undone ?? []).slice(0, CHANGES_SHOWN).map(notUndoneView),
  };
}

function changeView({ kind, id, before, after, final }: Change) {
  return {
    kind,
    id: thingId({ kind, id }),
    before: valuesView(kind, before),
    after: valuesView(kind, after),
    final: final ?? null,
  };
}

/** Entries of lists, suppressions and webhooks have their name in the values. */
function nameOf({ kind, id, before, after }: Change, names: Map<string, Named>): Named {
  const field = { list_entry: "entry", suppression: "address", webhook: "url" }[kind as string] ?? "";
  const value = { ...before, ...after }[field];
  return names.get(id) ?? { name: typeof value === "string" ? value : null, thread_id: null };
}

export function notUndoneView({ kind, id, reason }: NotUndone) {
  return { kind, id: thingId({ kind, id }), reason };
}
