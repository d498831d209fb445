// The dashboard's first page: problems, quotas, recent mail and deliveries, send caps, and the first steps.
import { and, eq, exists, isNull, sql } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { webhooks } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { nearestToCap } from "../recipients/limits/send-cap.ts";
import { readDays } from "./days.ts";
import { needsOf } from "./needs.ts";
import { readProblems, worstOf } from "./problems.ts";
import { quotasOf, readUsableKeys } from "./quotas.ts";

const CAPS_MAX = 5;

/** Which of the first steps are done. */
async function readSteps({ db, actor }: Ctx<Member>) {
  const { organizationId } = actor;
  const live = db
    .select({ id: inboxes.id })
    .from(inboxes)
    .where(and(eq(inboxes.organization_id, organizationId), asInIndex(eq(inboxes.status, "live"))));
  const registered = db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(and(eq(webhooks.organization_id, organizationId), isNull(webhooks.expires_at)));
  const [row = { inbox: false, webhook: false }] = await db.execute<{ inbox: boolean; webhook: boolean }>(
    sql`select ${exists(live)} as inbox, ${exists(registered)} as webhook`,
  );
  return row;
}

export async function readOverview(ctx: Ctx<Member>) {
  const keys = await readUsableKeys(ctx);
  const [problems, quotas, days, send_caps, steps] = await Promise.all([
    readProblems(ctx, keys),
    quotasOf(ctx, keys),
    readDays(ctx),
    nearestToCap(ctx, CAPS_MAX),
    readSteps(ctx),
  ]);
  return {
    needs: await needsOf(ctx, problems),
    problems: worstOf(problems),
    keys: quotas,
    key_count: keys.length,
    days,
    send_caps,
    steps: { key: keys.length > 0, ...steps },
  };
}
