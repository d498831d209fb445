// The operators' commands that pause and resume an organization, with an entry in its audit log.
import type { Ctx, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { writeServiceAct } from "../../organizations/audit.ts";
import type { Target } from "../../pauses/pause.ts";
import { pause, resume } from "./pause.ts";
import { pauseOrganizationInput } from "./pause-schema.ts";

function writeAct(ctx: Ctx<System>, { organizationId }: Target, action: string): Promise<void> {
  const act = { organizationId, action, subject: encodeId("org", organizationId) };
  return ctx.db.transaction((tx) => writeServiceAct(tx, ctx, act));
}

/** @throws ServiceError `invalid_request` */
export async function pauseByOperator(ctx: Ctx<System>, target: Target, reason: string | undefined) {
  const given = pauseOrganizationInput.safeParse({ reason });
  if (!given.success) throw new ServiceError("invalid_request", `reason: ${given.error.issues[0]?.message}`);
  const paused = await pause(ctx, target, given.data.reason);
  await writeAct(ctx, target, "organization.pauseSending");
  return paused;
}

export async function resumeByOperator(ctx: Ctx<System>, target: Target) {
  const resumed = await resume(ctx, target);
  if (resumed.resumed) await writeAct(ctx, target, "organization.resumeSending");
  return resumed;
}
