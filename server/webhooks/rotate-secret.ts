// POST /v1/webhooks/{id}/rotate-secret: creates a new signing secret; the previous one also signs for a day.
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, sql } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { commitKeyed } from "../base/idempotency.ts";
import { newSigningSecret } from "../base/secrets.ts";
import { ENDPOINT_FRESH_MS } from "./delivery/endpoint.ts";
import { findWebhook, nameOf, noWebhook } from "./find.ts";

/** After this time, no process signs with data read before the rotation. */
const SETTLES_MS = ENDPOINT_FRESH_MS + 250;
const OVERLAP_MS = 24 * 3_600_000;

const ROTATED = "The new signing secret stays. Rotate it again.";

export type RotatedSecret = { id: string; secret: string; previousExpiresAt: Date };

/**
 * One statement, so that concurrent rotations each return a secret that was valid. A secret that is still in its
 * overlap is replaced: at most two sign. Answers when every later delivery is signed with the new secret.
 * @throws ServiceError `webhook_not_found`
 */
export async function rotateSecret(ctx: Ctx<Caller>, wireId: string): Promise<RotatedSecret> {
  const webhook = await findWebhook(ctx, wireId);
  const { id } = webhook;
  const secret = newSigningSecret();
  const previousExpiresAt = new Date(ctx.now().getTime() + OVERLAP_MS);
  await ctx.db.transaction(async (tx) => {
    const { count } = await tx
      .update(webhooks)
      .set({
        previous_secret: sql`${webhooks.secret}`,
        previous_secret_expires_at: previousExpiresAt,
        secret: ctx.secrets.seal(secret, id),
      })
      .where(and(eq(webhooks.id, id), eq(webhooks.organization_id, ctx.actor.organizationId)));
    if (count === 0) throw noWebhook();
    await record(ctx, tx, [{ kind: "webhook", id, name: nameOf(webhook), before: {}, after: {}, final: ROTATED }]);
    await commitKeyed(ctx, tx);
  });
  await delay(SETTLES_MS);
  return { id, secret, previousExpiresAt };
}
