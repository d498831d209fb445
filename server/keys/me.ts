// GET /v1/auth/me: the calling agent, its key, and what is left of its quota, read at this moment.
import type { Agent, Ctx } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { quotaOf } from "./view.ts";

type MeRow = {
  handle: string;
  name: string | null;
  organization: string;
  expires_at: Date | null;
  max_mailboxes: number;
  used_count: number;
  prepaid: number;
  paid_provisioning: boolean;
  inboxes: string[];
};

export async function me(ctx: Ctx<Agent>) {
  const { actor, sql } = ctx;
  const [row] = await sql<[MeRow]>`
    select a.handle, a.name, o.name as organization, k.expires_at, e.max_mailboxes, e.used_count, e.prepaid,
      o.paid_provisioning,
      array(select address from inboxes where id = any(k.inbox_ids) and status = 'live' order by id) as inboxes
    from agent_keys k
    join agents a on a.id = k.agent_id
    join enrollment_keys e on e.id = a.enrollment_key_id
    join organizations o on o.id = a.organization_id
    where k.id = ${actor.keyId} and a.organization_id = ${actor.organizationId}`;
  return {
    agent_id: encodeId("agt", actor.agentId),
    agent_handle: row.handle,
    agent_name: row.name,
    key_id: encodeId("akey", actor.keyId),
    org_id: encodeId("org", actor.organizationId),
    organization: row.organization,
    scopes: [...actor.scopes],
    inboxes: actor.inboxIds ? row.inboxes : null,
    allowed_domains: [...actor.allowedDomains],
    quota: { ...quotaOf(row), ...(row.paid_provisioning && { prepaid: row.prepaid }) },
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}
