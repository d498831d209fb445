// Lists the test receivers of an organization, newest first, with their secrets, which members verify deliveries with.
import { and, desc, eq, gt } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import type { Ctx, Member } from "../../base/context.ts";

const ROWS_MAX = 10;

export type Receiver = { id: string; secret: string; expiresAt: Date };

export async function listReceivers({ db, actor, now, secrets }: Ctx<Member>): Promise<Receiver[]> {
  const rows = await db
    .select({ id: webhooks.id, secret: webhooks.secret, expires_at: webhooks.expires_at })
    .from(webhooks)
    .where(and(eq(webhooks.organization_id, actor.organizationId), gt(webhooks.expires_at, now())))
    .orderBy(desc(webhooks.id))
    .limit(ROWS_MAX);
  return rows.flatMap(({ id, secret, expires_at: expiresAt }) =>
    expiresAt ? { id, secret: secrets.open(secret, id), expiresAt } : [],
  );
}
