// The signed-in person, and their organizations.
import { asc, eq } from "drizzle-orm";
import { organizations } from "#db/schema/enrollment.ts";
import { members } from "#db/schema/team.ts";
import type { Ctx, Member } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";

export async function me({ actor, db, payments }: Ctx<Member>) {
  const { id, name, paid_provisioning: paid } = organizations;
  const rows = await db
    .select({ id, name, role: members.role, paid })
    .from(members)
    .innerJoin(organizations, eq(id, members.organizationId))
    .where(eq(members.userId, actor.userId))
    .orderBy(asc(name));
  const own = rows.map((row) => ({ id: encodeId("org", row.id), name: row.name, role: row.role }));
  const here = rows.find((row) => row.id === actor.organizationId);
  return {
    user: { id: encodeId("usr", actor.userId), name: actor.name, email: actor.email },
    organization: { id: encodeId("org", actor.organizationId), name: here?.name ?? "" },
    role: actor.role,
    organizations: own,
    payments: Boolean(payments && here?.paid),
  };
}
