// Changes the read state and the labels of whole threads, for the dashboard.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messages, threads } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { isOwn } from "../columns.ts";
import { LABELS_MAX } from "../message-schema.ts";
import type { Thread } from "../remove.ts";
import { COUNTED_MESSAGES } from "./schema.ts";

type Marks = {
  ids: string[];
  read?: boolean | undefined;
  add_label?: string | undefined;
  remove_label?: string | undefined;
};

/**
 * The threads of live mailboxes of the member's organization. Unknown ones are left out.
 * @throws ServiceError `thread_not_found` if there is none of them
 */
export async function findChosen(ctx: Ctx<Member>, wireIds: string[]): Promise<Thread[]> {
  const ids = wireIds.flatMap((id) => decodeId("thr", id) ?? []);
  const rows = await ctx.db
    .select({ id: threads.id, inbox_id: threads.inbox_id })
    .from(threads)
    .innerJoin(inboxes, and(eq(inboxes.id, threads.inbox_id), eq(inboxes.status, "live")))
    .where(and(anyOf(threads.id, ids), isOwn(ctx, threads)));
  if (rows.length === 0) throw new ServiceError("thread_not_found", "None of the threads exists.");
  return rows;
}

/** Changes the newest messages of each thread, at most `limit` of it. */
async function change(ctx: Ctx<Member>, ids: string[], { set, only, limit }: { set: SQL; only: SQL; limit: number }) {
  await ctx.db.execute(sql`
    update messages set ${set}
    where ${isOwn(ctx, messages)} and id = any(array(
      select newest.id from ${threads} cross join lateral (
        select ${messages.id} from ${messages} where ${messages.thread_id} = ${threads.id} and ${messages.quarantine} is null and ${only}
        order by ${messages.id} desc limit ${limit}) newest
      where ${anyOf(threads.id, ids)} and ${isOwn(ctx, threads)}
      order by newest.id))`);
}

/**
 * `read: false` marks the newest received message of each thread; everything else concerns its newest COUNTED_MESSAGES.
 * @throws ServiceError `thread_not_found` if there is none of them
 */
export async function markThreads(ctx: Ctx<Member>, { ids: wireIds, read, add_label, remove_label }: Marks) {
  const ids = (await findChosen(ctx, wireIds)).map(({ id }) => id);
  const { direction, labels } = messages;
  if (read === true)
    await change(ctx, ids, { set: sql`read = true`, only: sql`not ${messages.read}`, limit: COUNTED_MESSAGES });
  if (read === false) await change(ctx, ids, { set: sql`read = false`, only: sql`${direction} = 'inbound'`, limit: 1 });
  if (add_label !== undefined) {
    const lacks = sql`not ${labels} @> array[${add_label}::text] and cardinality(${labels}) < ${LABELS_MAX}`;
    await change(ctx, ids, { set: sql`labels = labels || ${add_label}::text`, only: lacks, limit: COUNTED_MESSAGES });
  }
  if (remove_label !== undefined) {
    const has = sql`${labels} @> array[${remove_label}::text]`;
    const set = sql`labels = array_remove(labels, ${remove_label}::text)`;
    await change(ctx, ids, { set, only: has, limit: COUNTED_MESSAGES });
  }
  return ids.length;
}
