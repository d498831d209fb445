// Takes back what a key did with webhooks: new webhooks are deleted, changed and deleted webhooks are as before.
import { and, eq } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { activity } from "#db/schema/activity.ts";
import { webhooks } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";
import {
  asJson,
  CHANGED_SINCE,
  GONE_SINCE,
  isAsLeft,
  type Net,
  type Reasons,
  settingBack,
  type TakeBack,
} from "../activity/net.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { capReached, countIn, lockRegistered } from "./caps.ts";
import { headersMayGo } from "./delivery/custom-headers.ts";
import { dropWebhooks } from "./remove.ts";
import { HEADERS_GONE, stateOf } from "./update.ts";

type Webhook = typeof webhooks.$inferSelect;

/** A webhook that returns signs with its earlier secret. Its deliveries were deleted with it. */
export const takeBackWebhooks: TakeBack = async (ctx, tx, nets, isDry) => {
  const reasons: Reasons = new Map();
  const { organizationId } = ctx.actor;
  const ids = nets.map(({ id }) => id);
  // Before the rows, as everywhere.
  const registered = isDry ? undefined : await lockRegistered(plainOf(tx), [organizationId], ctx);
  const own = and(anyOf(webhooks.id, ids), eq(webhooks.organization_id, organizationId));
  const rows = await tx.select().from(webhooks).where(own).orderBy(webhooks.id).for("update");
  const current = new Map(rows.map((row) => [row.id, row]));
  for (const net of nets) {
    const row = current.get(net.id);
    const before = net.was && asWebhook(net.was, organizationId);
    if (net.was === null) {
      if (!row) continue;
      if (!isAsLeft(net, asJson(row))) reasons.set(net.id, CHANGED_SINCE);
      else if (!isDry) await dropWebhooks(tx, [row.id]);
    } else if (net.is === null && before) {
      const target = { id: net.id, url: before.url, inboxId: before.inbox_id, agentId: before.agent_id };
      const tooMany = registered && capReached(ctx.settings, registered, organizationId, target);
      const kept = net.final ?? (row ? CHANGED_SINCE : tooMany?.message);
      const reason = kept ?? (await insertBack(ctx, tx, { net, before }, isDry));
      if (reason) reasons.set(net.id, reason);
      else if (registered) countIn(registered, organizationId, target);
    } else if (row) {
      const { set, reason: why = net.final } = settingBack(net, asJson(row));
      // They may be secrets of the later URL.
      const drops = row.headers !== null && set.url !== undefined && !headersMayGo(row.url, String(set.url));
      const reason = why ?? (drops ? HEADERS_GONE : null);
      if (reason) reasons.set(net.id, reason);
      if (!isDry && Object.keys(set).length > 0) {
        const state = typeof set.active === "boolean" && stateOf(set.active, ctx.now());
        await tx
          .update(webhooks)
          .set({ ...set, ...state, ...(drops && { headers: null, header_names: null }) })
          .where(eq(webhooks.id, row.id));
      }
    } else reasons.set(net.id, net.final ?? GONE_SINCE);
  }
  return reasons;
};

function asWebhook(was: object, organization_id: string): Webhook {
  const { disabled_at, created_at, expires_at, ...row } = was as Webhook;
  const at = (time: Date | null) => time && new Date(time);
  return {
    ...row,
    organization_id,
    disabled_at: at(disabled_at),
    created_at: new Date(created_at),
    expires_at: at(expires_at),
  };
}

type Gone = { net: Net; before: Webhook };

/** @returns why not */
async function insertBack(
  ctx: Ctx<Caller>,
  tx: Transaction,
  { net, before }: Gone,
  isDry: boolean,
): Promise<string | undefined> {
  const { organizationId } = ctx.actor;
  const [kept] = await tx
    .select({ secret: activity.secret })
    .from(activity)
    .where(and(eq(activity.id, net.kept ?? net.id), eq(activity.organization_id, organizationId)));
  if (!kept?.secret) return "Its signing secret is no longer kept.";
  if (before.inbox_id !== null) {
    const live = and(eq(inboxes.id, before.inbox_id), eq(inboxes.status, "live"));
    const own = and(live, eq(inboxes.organization_id, organizationId));
    const [inbox] = await tx.select({ id: inboxes.id }).from(inboxes).where(own).for("share");
    if (!inbox) return GONE_SINCE;
  }
  if (isDry) return;
  const secret = ctx.secrets.seal(ctx.secrets.open(kept.secret, net.kept ?? ""), net.id);
  const row = { ...before, id: net.id, secret, previous_secret: null, previous_secret_expires_at: null };
  await tx.insert(webhooks).values({ ...row, failing_since: null });
}
