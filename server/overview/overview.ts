// The dashboard's first page: problems, quotas, recent mail and deliveries, send caps, and the first steps.
import type { Ctx, Member } from "../base/context.ts";
import { nearestToCap } from "../messages/outbound/send-cap.ts";
import { readDays } from "./days.ts";
import { readProblems } from "./problems.ts";
import { quotasOf, readUsableKeys } from "./quotas.ts";

const CAPS_MAX = 5;

/** Which of the first steps are done. */
async function readSteps({ sql, actor }: Ctx<Member>) {
  const { organizationId } = actor;
  const [row] = await sql<[{ inbox: boolean; webhook: boolean }]>`
    select exists (select from inboxes where organization_id = ${organizationId} and status = 'live') as inbox,
      exists (select from webhooks where organization_id = ${organizationId}) as webhook`;
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
  return { problems, keys: quotas, key_count: keys.length, days, send_caps, steps: { key: keys.length > 0, ...steps } };
}
