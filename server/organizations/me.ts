// The signed-in person, and their organizations.
import type { Ctx, Member, Role } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";

export async function me({ actor, sql, payments }: Ctx<Member>) {
  const rows = await sql<{ id: string; name: string; role: Role; paid: boolean }[]>`
    select o.id, o.name, m.role, o.paid_provisioning as paid
    from members m join organizations o on o.id = m.organization_id
    where m.user_id = ${actor.userId} order by o.name`;
  const organizations = rows.map(({ id, name, role }) => ({ id: encodeId("org", id), name, role }));
  const here = rows.find(({ id }) => id === actor.organizationId);
  return {
    user: { id: encodeId("usr", actor.userId), name: actor.name, email: actor.email },
    organization: { id: encodeId("org", actor.organizationId), name: here?.name ?? "" },
    role: actor.role,
    organizations,
    payments: Boolean(payments && here?.paid),
  };
}
