// Creates the test receiver of an organization: a webhook for all mailboxes that ends after an hour, and whose deliveries the engine answers
// in this process. It stores nothing beyond the delivery log.
import { and, desc, eq, gt } from "drizzle-orm";
import { plainOf } from "#db/client.ts";
import { WEBHOOK_KINDS } from "#db/event-kinds.ts";
import { webhooks } from "#db/schema/events.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import { newSigningSecret } from "../../base/secrets.ts";
import { capReached, lockRegistered } from "../caps.ts";
import { insertWebhooks } from "../insert.ts";
import { receiverUrl } from "../targets/target.ts";

// Lists the test receivers of an organization, newest first, with their secrets, which members verify deliveries with.
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

const LIVES_MS = 3_600_000;
const NAME = "Test receiver";

/**
 * The receiver of the organization: the one that lives, or a new one.
 * @throws ServiceError `too_many_webhooks`
 */
export async function createReceiver(ctx: Ctx<Member>): Promise<Receiver> {
  const { organizationId } = ctx.actor;
  const id = newId();
  const secret = newSigningSecret();
  const createdAt = ctx.now();
  const expiresAt = new Date(createdAt.getTime() + LIVES_MS);
  const target = { id, url: receiverUrl(id), inboxId: null };
  return ctx.db.transaction(async (tx) => {
    const registered = await lockRegistered(plainOf(tx), [organizationId], ctx);
    const [living] = await listReceivers({ ...ctx, db: tx });
    if (living) return living;
    const reached = capReached(ctx.settings, registered, organizationId, target);
    if (reached) throw reached;
    const webhook = {
      ...target,
      name: NAME,
      events: WEBHOOK_KINDS,
      sealed: ctx.secrets.seal(secret, id),
      createdAt,
      expiresAt,
    };
    await insertWebhooks(plainOf(tx), [{ organizationId, webhook }]);
    return { id, secret, expiresAt };
  });
}
