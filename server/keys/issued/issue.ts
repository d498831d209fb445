// POST /v1/keys: issues a key that may do no more than the caller's key.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { isInForce } from "#db/conditions.ts";
import { agentKeys } from "#db/schema/enrollment.ts";
import { hasScope, type InboxAccess } from "#db/scopes.ts";
import { record } from "../../activity/record.ts";
import type { Agent, Ctx, Scope } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { readTime } from "../../base/id-range.ts";
import { commitKeyed } from "../../base/idempotency.ts";
import { newId } from "../../base/ids.ts";
import { newToken, tokenHash } from "../../base/secrets.ts";
import { findInboxes } from "../issue-agent-key.ts";
import { lockKeys } from "../revoke.ts";
import type { IssueAgentKeyInput } from "./schema.ts";

/** How many keys stand between the first key and the last one. */
const DEPTH_MAX = 5;
/** Active keys below one enrolled key, at all depths. */
const BELOW_ENROLLED_KEYS_MAX = 1_000;

/**
 * @returns the UUID of the key, and `key`, the bearer token, which is shown nowhere else
 * @throws ServiceError `insufficient_scope` for a scope that the caller's key does not have, or at the greatest depth;
 * `invalid_request`, `inbox_not_found`, `too_many_agent_keys`, `unauthorized` if the caller's key has just ended
 */
export async function issueNarrowerKey(ctx: Ctx<Agent>, input: IssueAgentKeyInput) {
  const { actor, db } = ctx;
  const id = newId();
  const key = newToken("agent", id);
  const scopes = narrowed(actor, input.scopes);
  const inbox_access = narrowedAccess(actor, input.inbox_access);
  const inbox_ids = await restrictedTo(ctx, input.inboxes);
  await db.transaction(async (tx) => {
    await lockKeys(tx, actor.enrollmentKeyId);
    const parent = await lockParent(tx, ctx);
    await requireRoom(tx, ctx, parent);
    await tx.insert(agentKeys).values({
      id,
      organization_id: actor.organizationId,
      agent_id: actor.agentId,
      name: input.name ?? null,
      secret_hash: tokenHash(key),
      scopes,
      inbox_ids,
      inbox_access,
      ancestor_ids: [...parent.ancestor_ids, parent.id],
      send_budget: input.send_budget ?? null,
      budget_key_ids: [...parent.budget_key_ids, ...(input.send_budget === undefined ? [] : [id])],
      outgoing_delay_seconds: input.outgoing_delay_seconds,
      expires_at: earlier(ctx, parent.expires_at, input.expires_at),
      created_at: ctx.now(),
    });
    await record(ctx, tx, [{ kind: "key", id, before: null, after: {} }]);
    await commitKeyed(ctx, tx);
  });
  return { id, key };
}

/** Locked, because a process of the version before revokes keys without waiting for those that issue keys. */
async function lockParent(tx: Transaction, { actor, now }: Ctx<Agent>) {
  const own = and(eq(agentKeys.id, actor.keyId), eq(agentKeys.organization_id, actor.organizationId));
  const [parent] = await tx
    .select()
    .from(agentKeys)
    .where(and(own, isInForce(agentKeys, now())))
    .for("share");
  if (!parent) throw new ServiceError("unauthorized", "This agent key was revoked or has expired.");
  if (parent.ancestor_ids.length >= DEPTH_MAX) {
    throw new ServiceError("insufficient_scope", `A key at depth ${DEPTH_MAX} below the first one issues no keys.`);
  }
  return parent;
}

/** It revokes no older key to make room. A full key takes no room from an enrollment, nor from the keys above it. */
async function requireRoom(
  tx: Transaction,
  { actor, now, settings }: Ctx<Agent>,
  { id, ancestor_ids }: Pick<typeof agentKeys.$inferSelect, "id" | "ancestor_ids">,
): Promise<void> {
  const most = settings.MAX_ISSUED_KEYS_PER_KEY;
  const active = and(eq(agentKeys.agent_id, actor.agentId), isInForce(agentKeys, now()));
  const own = sql`${agentKeys.ancestor_ids}[cardinality(${agentKeys.ancestor_ids})] = ${id}::uuid`;
  if ((await tx.$count(agentKeys, and(active, own))) >= most) {
    throw tooManyIssued(`This key has issued ${most} active keys, the most that one key can have.`);
  }
  const enrolled = ancestor_ids[0] ?? id;
  const below = sql`${agentKeys.ancestor_ids}[1] = ${enrolled}::uuid`;
  if ((await tx.$count(agentKeys, and(active, below))) >= BELOW_ENROLLED_KEYS_MAX) {
    const message = `${BELOW_ENROLLED_KEYS_MAX} active keys were issued below the enrolled key, the most there can be.`;
    throw tooManyIssued(message);
  }
}

function tooManyIssued(message: string): ServiceError {
  return new ServiceError("too_many_agent_keys", message, {
    fix: "Revoke a key that is no longer used: GET /v1/keys lists those that this key issued, DELETE /v1/keys/{id} revokes one.",
  });
}

function narrowed(actor: Agent, wanted: Scope[]): Scope[] {
  const missing = wanted.find((scope) => !hasScope(actor.scopes, scope));
  if (missing) throw new ServiceError("insufficient_scope", `This key does not have the scope ${missing}.`);
  return [...new Set(wanted)];
}

/** Null: as the enrollment key has it. */
function narrowedAccess({ madeBy }: Agent, wanted: InboxAccess | undefined): "own" | null {
  if (madeBy !== null && wanted === "organization") {
    throw new ServiceError("insufficient_scope", "This key reaches only the inboxes that its agent created.");
  }
  return madeBy !== null || wanted === "own" ? "own" : null;
}

/** Null: every mailbox that the caller reaches. */
async function restrictedTo(ctx: Ctx<Agent>, wanted: string[] | undefined): Promise<string[] | null> {
  const { inboxIds } = ctx.actor;
  if (wanted === undefined) return inboxIds && [...inboxIds];
  const ids = await findInboxes(ctx, ctx.actor, wanted);
  return [...new Set(ids)];
}

/** @throws ServiceError `invalid_request` */
function earlier({ now }: Ctx<Agent>, parent: Date | null, given: string | undefined): Date | null {
  if (given === undefined) return parent;
  const at = readTime(given);
  const wrong = (message: string) => invalidField("expires_at", message);
  if (at <= now()) throw wrong("must be in the future");
  if (parent && at > parent)
    throw wrong(`this key expires at ${parent.toISOString()}, and the new key must not expire later`);
  return at;
}
