// Takes back what a key did with the allow and block lists.
import { and, eq } from "drizzle-orm";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { listEntries } from "#db/schema/lists.ts";
import { inboxes } from "#db/schema/mail.ts";
import { asJson, CHANGED_SINCE, GONE_SINCE, isAsLeft, type Reasons, type TakeBack } from "../../activity/net.ts";
import { lockLists } from "./owner.ts";

/** Added entries are removed, and removed entries return, unless another caller added them again. */
export const takeBackEntries: TakeBack = async (ctx, tx, nets, isDry) => {
  const reasons: Reasons = new Map();
  const { organizationId } = ctx.actor;
  const ofOrganization = eq(listEntries.organization_id, organizationId);
  if (!isDry) await lockLists(tx, ctx);
  const ids = nets.map(({ id }) => id);
  const rows = await tx
    .select()
    .from(listEntries)
    .where(and(anyOf(listEntries.id, ids), ofOrganization));
  const current = new Map(rows.map((row) => [row.id, asJson(row)]));
  const added = nets.filter((net) => net.was === null && current.has(net.id));
  const extra = added.filter((net) => isAsLeft(net, current.get(net.id) ?? {}));
  // An entry that a member added again is the member's.
  for (const net of added) if (!extra.includes(net)) reasons.set(net.id, CHANGED_SINCE);
  const extraIds = extra.map(({ id }) => id);
  if (!isDry) await tx.delete(listEntries).where(and(anyOf(listEntries.id, extraIds), ofOrganization));
  for (const { id, was, is } of nets) {
    if (is !== null || was === null) continue;
    const row = { ...(was as unknown as typeof listEntries.$inferSelect), organization_id: organizationId };
    const isLive = and(eq(inboxes.id, row.inbox_id), eq(inboxes.status, "live"));
    const owned = and(isLive, eq(inboxes.organization_id, organizationId));
    const isThere = row.inbox_id === EVERY_INBOX || (await tx.$count(inboxes, owned)) > 0;
    const { inbox_id, direction, list, entry } = listEntries;
    const isSame = and(eq(inbox_id, row.inbox_id), eq(direction, row.direction), eq(list, row.list));
    const same = and(ofOrganization, isSame, eq(entry, row.entry));
    const [known] = await tx.select({ id: listEntries.id }).from(listEntries).where(same);
    const isTaken = known !== undefined && !extraIds.includes(known.id);
    if (isTaken || !isThere) reasons.set(id, isThere ? CHANGED_SINCE : GONE_SINCE);
    else if (!isDry) await tx.insert(listEntries).values({ ...row, id, created_at: new Date(row.created_at) });
  }
  return reasons;
};
