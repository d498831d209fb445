// Agent keys, as operators issue, list and revoke them, and as members revoke them.
import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import { readMailbox } from "../base/addresses.ts";
import { type Ctx, SCOPES, type Scope, type System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { ensureAgent } from "./agents.ts";
import { issueAgentKey } from "./issue-agent-key.ts";
import { isKept, type Keeper } from "./key-admin.ts";
import { enrollInput } from "./schema.ts";

export type AgentGrant = {
  /** Wire id, `ekey_…`. */
  enrollmentKey: string;
  handle: string;
  /** Within those of the enrollment key; absent: all of them. */
  scopes?: string[] | undefined;
  /** Addresses the key is restricted to. */
  inboxes?: string[] | undefined;
  expiresAt?: Date | undefined;
};

/**
 * @returns the key's id, its agent, and `key`, the bearer token `mb_agent_…`, which is shown nowhere else
 * @throws ServiceError `not_found`, `invalid_request`, `too_many_agent_keys`
 */
export async function issueKeyForAgent(ctx: Ctx<System>, grant: AgentGrant) {
  const id = decodeId("ekey", grant.enrollmentKey);
  const [enrollment] = id ? await ctx.db.select().from(enrollmentKeys).where(eq(enrollmentKeys.id, id)) : [];
  if (!enrollment || enrollment.revoked_at) {
    throw new ServiceError("not_found", `There is no enrollment key ${grant.enrollmentKey}, or it was revoked.`);
  }
  const handle = enrollInput.shape.agent_handle.safeParse(grant.handle);
  if (!handle.success) throw new ServiceError("invalid_request", `handle: ${handle.error.issues[0]?.message}`);
  const scopes = readScopes(grant.scopes ?? enrollment.scopes, enrollment.scopes);
  const inboxIds = grant.inboxes ? await readInboxes(ctx, enrollment.organization_id, grant.inboxes) : null;
  const agentId = await ensureAgent(ctx, enrollment, { handle: handle.data });
  const issued = await issueAgentKey(ctx, {
    organizationId: enrollment.organization_id,
    enrollmentKeyId: enrollment.id,
    agentId,
    scopes,
    inboxIds,
    expiresAt: grant.expiresAt ?? null,
  });
  return { id: encodeId("akey", issued.id), agent_id: encodeId("agt", agentId), key: issued.key, scopes };
}

function readScopes(wanted: string[], ceiling: string[]): Scope[] {
  const unknown = wanted.find((scope) => !SCOPES.includes(scope as Scope));
  if (unknown) throw new ServiceError("invalid_request", `scopes: ${unknown} is none of ${SCOPES.join(" ")}`);
  const beyond = wanted.find((scope) => !ceiling.includes(scope));
  if (beyond) throw new ServiceError("invalid_request", `scopes: the enrollment key does not carry ${beyond}`);
  return wanted as Scope[];
}

async function readInboxes(ctx: Ctx<System>, organizationId: string, addresses: string[]): Promise<string[]> {
  const wanted = addresses.map((address) => readMailbox(address) ?? address);
  const rows = await ctx.db
    .select({ id: inboxes.id, address: inboxes.address })
    .from(inboxes)
    .where(
      and(inArray(inboxes.address, wanted), eq(inboxes.organization_id, organizationId), eq(inboxes.status, "live")),
    );
  const missing = wanted.find((address) => !rows.some((row) => row.address === address));
  if (missing) throw new ServiceError("not_found", `inboxes: the organization has no inbox ${missing}.`);
  return rows.map((row) => row.id);
}

/** Every agent key, newest first, without secrets. */
export async function listAgentKeys(ctx: Ctx<System>) {
  const rows = await ctx.db
    .select({ key: agentKeys, agent: agents })
    .from(agentKeys)
    .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
    .orderBy(desc(agentKeys.id));
  return rows.map(agentKeyView);
}

function agentKeyView({ key, agent }: { key: typeof agentKeys.$inferSelect; agent: typeof agents.$inferSelect }) {
  return {
    id: encodeId("akey", key.id),
    agent_id: encodeId("agt", agent.id),
    handle: agent.handle,
    enrollment_key_id: encodeId("ekey", agent.enrollment_key_id),
    scopes: key.scopes,
    inbox_ids: key.inbox_ids?.map((inboxId) => encodeId("inb", inboxId)) ?? null,
    expires_at: key.expires_at?.toISOString() ?? null,
    revoked_at: key.revoked_at?.toISOString() ?? null,
    created_at: key.created_at.toISOString(),
  };
}

/** @throws ServiceError `agent_key_not_found` */
export async function revokeAgentKey(ctx: Ctx<Keeper>, wireId: string) {
  const id = decodeId("akey", wireId);
  const named = id && and(eq(agentKeys.id, id), isKept(ctx, agentKeys.organization_id));
  if (named) {
    await ctx.db
      .update(agentKeys)
      .set({ revoked_at: ctx.now() })
      .where(and(named, isNull(agentKeys.revoked_at)));
  }
  const [row] = named
    ? await ctx.db
        .select({ key: agentKeys, agent: agents })
        .from(agentKeys)
        .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
        .where(named)
    : [];
  if (!row) throw new ServiceError("agent_key_not_found", `There is no agent key ${wireId}.`);
  return agentKeyView(row);
}
