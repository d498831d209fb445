// Takes back what a key did with suppressions.
import { and, eq } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { suppressions } from "#db/schema/mail.ts";
import { asJson, CHANGED_SINCE, isAsLeft, type Reasons, type TakeBack } from "../../activity/net.ts";
import { suppressionEvents } from "./suppress.ts";

/** Added suppressions are removed, and removed suppressions return, unless the address is suppressed again. */
export const takeBackSuppressions: TakeBack = async (ctx, tx, nets, isDry, events) => {
  const reasons: Reasons = new Map();
  const { organizationId } = ctx.actor;
  const { id, organization_id } = suppressions;
  const isNamed = and(
    anyOf(
      id,
      nets.map((net) => net.id),
    ),
    eq(organization_id, organizationId),
  );
  const rows = await tx.select().from(suppressions).where(isNamed).orderBy(id).for("update");
  const current = new Map(rows.map((row) => [row.id, asJson(row)]));
  const added = nets.filter((net) => net.was === null && current.has(net.id));
  const extra = added.filter((net) => isAsLeft(net, current.get(net.id) ?? {}));
  for (const net of added) if (!extra.includes(net)) reasons.set(net.id, CHANGED_SINCE);
  const extraIds = extra.map((net) => net.id);
  if (!isDry) {
    await tx.delete(suppressions).where(and(anyOf(id, extraIds), eq(organization_id, organizationId)));
    const ended = rows.filter((row) => extraIds.includes(row.id));
    events.push(...(await suppressionEvents(tx, "suppression.removed", ended)));
  }
  for (const { id: gone, was, is } of nets) {
    if (is !== null || was === null) continue;
    const row = { ...(was as unknown as typeof suppressions.$inferSelect), organization_id: organizationId };
    const ofAddress = and(eq(suppressions.address, row.address), eq(suppressions.inbox_id, row.inbox_id));
    const [known] = await tx
      .select({ id })
      .from(suppressions)
      .where(and(ofAddress, eq(organization_id, organizationId)));
    if (known && !extraIds.includes(known.id)) reasons.set(gone, CHANGED_SINCE);
    else if (!isDry) {
      const values = { ...row, id: gone, created_at: new Date(row.created_at) };
      const { count } = await tx.insert(suppressions).values(values).onConflictDoNothing();
      if (count === 0) reasons.set(gone, CHANGED_SINCE);
      else events.push(...(await suppressionEvents(tx, "suppression.added", [row])));
    }
  }
  return reasons;
};
