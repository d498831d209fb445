// Who looks after keys: the operators' command after all there are, a member of the team after those of the organization.
import { eq } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Ctx, Member, System } from "../base/context.ts";

export type Keeper = System | Member;

/** The condition that rows are the keeper's to see; none for the operators. */
export function isKept({ actor }: Ctx<Keeper>, organizationId: PgColumn) {
  return actor.kind === "member" ? eq(organizationId, actor.organizationId) : undefined;
}
