// Creates a test receiver: a webhook for all mailboxes that ends after an hour, and whose deliveries the engine answers
// in this process. It stores nothing beyond the delivery log.
import { plainOf } from "#db/client.ts";
import { WEBHOOK_KINDS } from "#db/event-kinds.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { newSigningSecret } from "../../base/secrets.ts";
import { capReached, lockRegistered } from "../caps.ts";
import { insertWebhooks } from "../insert.ts";
import { isReceiverHost, receiverUrl } from "../targets/receiver.ts";
import type { Receiver } from "./list.ts";

const LIVES_MS = 3_600_000;
/** Receivers of one organization at the same time. */
const RECEIVERS_MAX = 3;

/** @throws ServiceError `too_many_webhooks` */
export async function createReceiver(ctx: Ctx<Member>): Promise<Receiver> {
  const { organizationId } = ctx.actor;
  const id = newId();
  const secret = newSigningSecret();
  const createdAt = ctx.now();
  const expiresAt = new Date(createdAt.getTime() + LIVES_MS);
  const target = { id, url: receiverUrl(id), inboxId: null };
  await ctx.db.transaction(async (tx) => {
    const registered = await lockRegistered(plainOf(tx), [organizationId], ctx);
    const refusal = tooMany(registered.get(organizationId) ?? []);
    const reached = refusal ?? capReached(ctx.settings, registered, organizationId, target);
    if (reached) throw reached;
    const webhook = { ...target, events: WEBHOOK_KINDS, sealed: ctx.secrets.seal(secret, id), createdAt, expiresAt };
    await insertWebhooks(plainOf(tx), [{ organizationId, webhook }]);
  });
  return { id, secret, expiresAt };
}

function tooMany(registered: { url: string }[]): ServiceError | undefined {
  const receivers = registered.filter(({ url }) => isReceiverHost(new URL(url).hostname));
  if (receivers.length < RECEIVERS_MAX) return undefined;
  return new ServiceError(
    "too_many_webhooks",
    `Your organization has ${RECEIVERS_MAX} test receivers, which is the limit. Each ends after an hour.`,
  );
}
