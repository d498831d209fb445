// Issues an agent key: the row holds its hash, the answer the key itself, once. Active keys are capped.
import type { TransactionSql } from "postgres";
import type { Scope, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { newToken, tokenHash } from "../base/secrets.ts";

type Grant = {
  organizationId: string;
  enrollmentKeyId: string;
  agentId: string;
  scopes: readonly Scope[];
  inboxIds?: string[] | null;
  expiresAt?: Date | null;
};

/**
 * An agent that has MAX_KEYS_PER_AGENT active keys, or whose enrollment key has MAX_KEYS_PER_ENROLLMENT_KEY, loses its oldest one,
 * since some agents enroll at each start.
 * @returns the key row's UUID and the bearer key, `mb_agent_…`, which is shown nowhere else
 * @throws ServiceError `too_many_agent_keys` for an agent without a key when the enrollment key has its fill
 */
export async function issueAgentKey(ctx: Services, grant: Grant): Promise<{ id: string; key: string }> {
  const id = newId();
  const key = newToken("agent", id);
  const row = {
    id,
    organization_id: grant.organizationId,
    agent_id: grant.agentId,
    secret_hash: tokenHash(key),
    scopes: [...grant.scopes],
    inbox_ids: grant.inboxIds ?? null,
    expires_at: grant.expiresAt ?? null,
    created_at: ctx.now(),
  };
  await ctx.sql.begin(async (tx) => {
    // Redemptions of one enrollment key take turns, so that the caps are exact.
    await tx`select pg_advisory_xact_lock(hashtextextended(${`agent-keys:${grant.enrollmentKeyId}`}, 0))`;
    await makeRoom(tx, ctx, grant);
    await tx`insert into agent_keys ${tx(row)}`;
  });
  return { id, key };
}

async function makeRoom(tx: TransactionSql, { settings, now }: Services, { agentId, enrollmentKeyId }: Grant) {
  const at = now();
  const own = await tx<{ id: string }[]>`
    select id from agent_keys where agent_id = ${agentId} and revoked_at is null
      and (expires_at is null or expires_at > ${at}) order by id`;
  const isFull = (await countActive(tx, enrollmentKeyId, at)) >= settings.MAX_KEYS_PER_ENROLLMENT_KEY;
  if (isFull && own.length === 0) throw tooMany(settings);
  const kept = isFull ? own.length - 1 : settings.MAX_KEYS_PER_AGENT - 1;
  const oldest = own.slice(0, Math.max(0, own.length - kept)).map(({ id }) => id);
  if (oldest.length > 0) await tx`update agent_keys set revoked_at = ${at} where id = any(${oldest})`;
}

async function countActive(sql: Services["sql"] | TransactionSql, enrollmentKeyId: string, at: Date): Promise<number> {
  const [row] = await sql<[{ keys: number }]>`
    select count(*)::int as keys from agents a join agent_keys k on k.agent_id = a.id
    where a.enrollment_key_id = ${enrollmentKeyId} and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > ${at})`;
  return row.keys;
}

/**
 * Refuses a new agent of an enrollment key that has its fill of keys, before the agent is made.
 * @throws ServiceError `too_many_agent_keys`
 */
export async function requireRoomForAgent(ctx: Services, enrollmentKeyId: string, handle: string): Promise<void> {
  const known = await ctx.sql`select 1 from agents where enrollment_key_id = ${enrollmentKeyId} and handle = ${handle}`;
  if (known.length > 0) return;
  const active = await countActive(ctx.sql, enrollmentKeyId, ctx.now());
  if (active >= ctx.settings.MAX_KEYS_PER_ENROLLMENT_KEY) throw tooMany(ctx.settings);
}

function tooMany({ MAX_KEYS_PER_ENROLLMENT_KEY: max }: Services["settings"]): ServiceError {
  return new ServiceError(
    "too_many_agent_keys",
    `Agents of this enrollment key have ${max} active keys, the most there can be.`,
  );
}
