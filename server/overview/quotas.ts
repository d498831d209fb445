// The mailbox quotas of the enrollment keys that are neither revoked nor expired.
import { and, desc, eq } from "drizzle-orm";
import { isInForce } from "#db/conditions.ts";
import { enrollmentKeys } from "#db/schema/enrollment.ts";
import type { Ctx, Member } from "../base/context.ts";
import { countRecentMailboxes, enrollmentKeyView, type KeyRow, keyColumns } from "../keys/view.ts";

/** The newest keys that are checked, for quotas and for problems. */
const KEYS_MAX = 1_000;
const SHOWN_MAX = 8;

export async function readUsableKeys({ db, actor, now }: Ctx<Member>): Promise<KeyRow[]> {
  return db
    .select(keyColumns)
    .from(enrollmentKeys)
    .where(and(eq(enrollmentKeys.organization_id, actor.organizationId), isInForce(enrollmentKeys, now())))
    .orderBy(desc(enrollmentKeys.id))
    .limit(KEYS_MAX);
}

/** How full a key is, from 0 to 1 (or more, if its quota was lowered). */
export function fullness({ used_count, max_mailboxes }: KeyRow): number {
  return max_mailboxes > 0 ? used_count / max_mailboxes : 1;
}

/** The fullest, with their forecasts. */
export async function quotasOf(ctx: Ctx<Member>, keys: KeyRow[]) {
  const fullest = keys.toSorted((a, b) => fullness(b) - fullness(a)).slice(0, SHOWN_MAX);
  const recent = await countRecentMailboxes(
    ctx,
    fullest.map(({ id }) => id),
  );
  return fullest.map((key) => enrollmentKeyView(key, recent.get(key.id), ctx.now()));
}
