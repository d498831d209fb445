// Changes the read state and the labels of a message (PATCH /v1/messages/{id}), of many in one call (PATCH /v1/messages), and marks messages that a member opened as read.
import { isDeepStrictEqual } from "node:util";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { anyOf, asInIndex } from "#db/conditions.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import { recordByInbox } from "../activity/record.ts";
import type { Caller, Ctx, Member } from "../base/context.ts";
import { invalidField } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { isOwn, type MessageRow } from "./columns.ts";
import { findMessage, noMessage } from "./find.ts";
import { LABELS_MAX } from "./message-schema.ts";

type Marks = {
  read?: boolean | undefined;
  labels?: string[] | undefined;
  add_labels?: string[] | undefined;
  remove_labels?: string[] | undefined;
};

/** The labels afterwards, each in its first place; undefined: they stay. In the statement, so that no concurrent change is lost. */
function labelsAfter({
  labels,
  add_labels: added = [],
  remove_labels: removed = [],
}: Marks): SQL | string[] | undefined {
  if (added.length === 0 && removed.length === 0) return labels && [...new Set(labels)];
  const before = labels ? sql`${sql.param(labels)}::text[]` : sql`${messages.labels}`;
  return sql`(select coalesce(array_agg(label order by place), '{}') from (
    select label, min(place) as place from unnest(${before} || ${sql.param(added)}::text[]) with ordinality as each(label, place)
    where label <> all(${sql.param(removed)}::text[]) group by label) kept)`;
}

function liveInboxes({ db }: Ctx<Caller>) {
  return db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(asInIndex(eq(inboxes.status, "live")));
}

/**
 * Marks the messages that are the caller's and in a live mailbox. Omitted fields stay.
 * @returns their ids
 * @throws ServiceError `invalid_request` for too many labels
 */
async function mark(ctx: Ctx<Caller>, ids: string[], marks: Marks): Promise<string[]> {
  const { read } = marks;
  const labels = labelsAfter(marks);
  const wanted = and(anyOf(messages.id, ids), isOwn(ctx, messages), inArray(messages.inbox_id, liveInboxes(ctx)));
  const { id } = messages;
  const isChange = read !== undefined || labels !== undefined;
  const rows = isChange
    ? await ctx.db.transaction(async (tx) => {
        const marked = { id, inbox_id: messages.inbox_id, read: messages.read, labels: messages.labels };
        // In order, so that two calls do not wait for each other.
        const before = await tx.select(marked).from(messages).where(wanted).orderBy(id).for("update");
        const isBefore = anyOf(
          id,
          before.map((row) => row.id),
        );
        const after = await tx.update(messages).set({ read, labels }).where(isBefore).returning(marked);
        if (after.some((row) => row.labels.length > LABELS_MAX))
          throw invalidField("add_labels", `a message has at most ${LABELS_MAX} labels`);
        await recordByInbox(ctx, tx, changesOf(before, after));
        return after;
      })
    : await ctx.db.select({ id }).from(messages).where(wanted);
  return rows.map((row) => row.id);
}

type Marked = Pick<MessageRow, "id" | "inbox_id" | "read" | "labels">;

function changesOf(before: Marked[], after: Marked[]) {
  const byId = new Map(before.map((row) => [row.id, row]));
  return after.flatMap(({ id, inbox_id, read, labels }) => {
    const was = byId.get(id);
    if (!was) return [];
    const change = { kind: "message" as const, id, inbox_id, before: {}, after: {} };
    if (was.read !== read) Object.assign(change, { before: { read: was.read }, after: { read } });
    if (!isDeepStrictEqual(was.labels, labels)) {
      change.before = { ...change.before, labels: was.labels };
      change.after = { ...change.after, labels };
    }
    return Object.keys(change.after).length > 0 ? [change] : [];
  });
}

/** @throws ServiceError `message_not_found` */
export async function updateMessage(
  ctx: Ctx<Caller>,
  { id: wireId, ...marks }: Marks & { id: string },
): Promise<MessageRow> {
  const id = decodeId("msg", wireId);
  if (!id) throw noMessage();
  await mark(ctx, [id], marks);
  return findMessage(ctx, wireId);
}

/** @returns the ids of the messages that have the marks now, and those of which the caller has none */
export async function updateMessages(ctx: Ctx<Caller>, { ids: wireIds, ...marks }: Marks & { ids: string[] }) {
  const given = [...new Set(wireIds)];
  const marked = new Set(
    await mark(
      ctx,
      given.flatMap((id) => decodeId("msg", id) ?? []),
      marks,
    ),
  );
  const isMarked = (wireId: string) => marked.has(decodeId("msg", wireId) ?? "");
  return { updated: given.filter(isMarked), missing: given.filter((id) => !isMarked(id)) };
}

/**
 * Unknown ones are left out.
 * @returns how many messages are read now
 * @throws ServiceError `message_not_found` if there is none of them
 */
export async function markRead(ctx: Ctx<Member>, ids: string[]): Promise<number> {
  const { updated } = await updateMessages(ctx, { ids, read: true });
  if (updated.length === 0) throw noMessage();
  return updated.length;
}
