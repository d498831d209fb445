// Issues an agent key: the row holds its hash, the answer the key itself, once. Active keys are capped.
import { and, count, eq } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf, isInForce } from "#db/conditions.ts";
import { agentKeys, agents, type enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import { hasScope } from "#db/scopes.ts";
import { readMailbox } from "../base/addresses.ts";
import type { Ctx, Member, Scope, Services, System } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { outgoingDelay } from "../base/fields.ts";
import { readTime } from "../base/id-range.ts";
import { encodeId, newId } from "../base/ids.ts";
import { newToken, tokenHash } from "../base/secrets.ts";
import { isReached, type Selection } from "../base/tenancy.ts";
import { ensureAgent, refuseMembersHandle } from "./ensure-agent.ts";
import { findEnrollmentKey } from "./find.ts";
import { readScope } from "./issue-enrollment-key.ts";
import type { MemberIssueInput } from "./members-schema.ts";
import { lockKeys, revokeWithIssued } from "./revoke.ts";
import { enrollInput } from "./schema.ts";

type IssueInput = {
  /** Wire id, `ekey_…`. */
  enrollment_key: string;
  handle: string;
  name?: string | undefined;
  /** Within the scopes of the enrollment key; absent: all of them. */
  scopes?: string[] | undefined;
  /** Addresses that the key is restricted to. */
  inboxes?: string[] | undefined;
  /** ISO 8601; absent: the key does not expire. */
  expires_at?: string | undefined;
  /** Absent: 0. */
  outgoing_delay_seconds?: number | undefined;
};

/**
 * Issues a key without redeeming the enrollment key.
 * @returns the key's id, its agent, and `key`, the bearer token `mb_agent_…`, which is shown nowhere else
 * @throws ServiceError `enrollment_key_not_found`, `inbox_not_found`, `invalid_request`, `too_many_agent_keys`
 */
export async function issueAgentKey(ctx: Ctx<System | Member>, input: IssueInput) {
  const enrollment = await findEnrollmentKey(ctx, input.enrollment_key);
  if (enrollment.revoked_at) {
    throw new ServiceError("enrollment_key_not_found", `The enrollment key ${input.enrollment_key} was revoked.`);
  }
  if (enrollment.expires_at && enrollment.expires_at <= ctx.now()) {
    throw new ServiceError("enrollment_key_not_found", "This enrollment key has expired. Choose another one.");
  }
  refuseMembersHandle(input.handle);
  const handle = enrollInput.shape.agent_handle.safeParse(input.handle);
  if (!handle.success) throw invalidField("handle", handle.error.issues[0]?.message ?? "is not valid");
  const scopes = input.scopes ? readScopes(input.scopes, enrollment.scopes) : enrollment.scopes;
  const expires_at = input.expires_at === undefined ? null : readTime(input.expires_at);
  const delay = outgoingDelay.default(0).safeParse(input.outgoing_delay_seconds);
  if (!delay.success) throw invalidField("outgoing_delay_seconds", delay.error.issues[0]?.message ?? "is not valid");
  await requireFreeKey(ctx, enrollment.id, handle.data);
  // Before the agent is made or renamed.
  const inbox_ids = input.inboxes
    ? await findInboxes(ctx, await reachedBy(ctx, enrollment, handle.data), input.inboxes)
    : null;
  const agent = await ensureAgent(ctx, enrollment, { handle: handle.data, name: input.name });
  const issued = await writeAgentKey(ctx, agent, { scopes, inbox_ids, expires_at, outgoing_delay_seconds: delay.data });
  return { id: encodeId("akey", issued.id), agent_id: encodeId("agt", agent.id), key: issued.key, scopes };
}

/**
 * Issues a key for the agent with a handle, as if the agent had enrolled: with an enrollment key that is neither revoked nor
 * expired, within its scopes, its limit of keys and its reach.
 * @throws ServiceError what `issueAgentKey` throws
 */
export async function issueAsMember(ctx: Ctx<Member>, { enrollment_key_id, agent_handle, ...grant }: MemberIssueInput) {
  if (grant.expires_at !== undefined && readTime(grant.expires_at) <= ctx.now()) {
    throw invalidField("expires_at", "must be in the future");
  }
  const { agent_name: name, ...limits } = grant;
  return issueAgentKey(ctx, { ...limits, enrollment_key: enrollment_key_id, handle: agent_handle, name });
}

function readScopes(wanted: string[], ceiling: Scope[]): Scope[] {
  return wanted.map((name) => {
    const scope = readScope(name);
    if (!hasScope(ceiling, scope)) {
      throw invalidField("scopes", `the enrollment key does not carry ${scope}`);
    }
    return scope;
  });
}

/** The mailboxes that the agent with a handle reaches, which may not exist yet. */
async function reachedBy(
  { db }: Services,
  { id, organization_id, inbox_access }: typeof enrollmentKeys.$inferSelect,
  handle: string,
): Promise<Selection> {
  const reached = { organizationId: organization_id, inboxIds: null, madeBy: null };
  if (inbox_access !== "own") return reached;
  const [agent] = await db.select({ id: agents.id }).from(agents).where(isNamed(id, handle));
  return agent ? { ...reached, madeBy: agent.id } : { ...reached, inboxIds: [] };
}

/**
 * The ids of live mailboxes that the key reaches.
 * @throws ServiceError `inbox_not_found`
 */
export async function findInboxes({ db }: Services, reached: Selection, addresses: string[]): Promise<string[]> {
  const wanted = addresses.map((address) => readMailbox(address) ?? address);
  const rows = await db
    .select({ id: inboxes.id, address: inboxes.address })
    .from(inboxes)
    .where(
      and(
        anyOf(inboxes.address, wanted),
        eq(inboxes.organization_id, reached.organizationId),
        eq(inboxes.status, "live"),
        isReached(reached, inboxes.id),
      ),
    );
  const missing = wanted.find((address) => !rows.some((row) => row.address === address));
  if (missing)
    throw new ServiceError("inbox_not_found", `inboxes: there is no inbox ${missing} that the key can reach.`);
  return rows.map((row) => row.id);
}

type AgentRow = typeof agents.$inferSelect;
type Grant = Pick<typeof agentKeys.$inferInsert, "scopes" | "inbox_ids" | "expires_at" | "outgoing_delay_seconds">;

/**
 * An agent that has MAX_KEYS_PER_AGENT active enrolled keys, or whose enrollment key has MAX_KEYS_PER_ENROLLMENT_KEY, loses its oldest
 * one, since some agents enroll at each start. Keys that agents issued have limits of their own (issued/issue.ts).
 * @param note writes more in the transaction that issues the key
 * @returns the key row's UUID and the bearer key, `mb_agent_…`, which is shown nowhere else
 * @throws ServiceError `too_many_agent_keys` for an agent without a key when the enrollment key has reached its limit
 */
export async function writeAgentKey(
  ctx: Services,
  agent: AgentRow,
  grant: Grant,
  note?: (tx: Transaction, id: string) => Promise<void>,
): Promise<{ id: string; key: string }> {
  const id = newId();
  const key = newToken("agent", id);
  const { id: agent_id, organization_id } = agent;
  await ctx.db.transaction(async (tx) => {
    // Keys of one enrollment key are issued one after the other, so the limits are exact.
    await lockKeys(tx, agent.enrollment_key_id);
    await revokeOldest(tx, ctx, agent);
    const row = { id, organization_id, agent_id, secret_hash: tokenHash(key), created_at: ctx.now(), ...grant };
    await tx.insert(agentKeys).values(row);
    await note?.(tx, id);
  });
  return { id, key };
}

async function revokeOldest(tx: Transaction, { settings, now }: Services, agent: AgentRow): Promise<void> {
  const at = now();
  const own = await tx
    .select({ id: agentKeys.id })
    .from(agentKeys)
    .where(and(eq(agentKeys.agent_id, agent.id), isEnrolled, isInForce(agentKeys, at)))
    .orderBy(agentKeys.id);
  const isFull = (await countActive(tx, agent.enrollment_key_id, at)) >= settings.MAX_KEYS_PER_ENROLLMENT_KEY;
  if (isFull && own.length === 0) throw tooMany(settings);
  const kept = isFull ? own.length - 1 : settings.MAX_KEYS_PER_AGENT - 1;
  const oldest = own.slice(0, Math.max(0, own.length - kept)).map(({ id }) => id);
  await revokeWithIssued(tx, oldest, at);
}

/** The condition that no agent issued the key. */
const isEnrolled = eq(agentKeys.ancestor_ids, []);

async function countActive(db: Database, enrollmentKeyId: string, at: Date): Promise<number> {
  const [row] = await db
    .select({ keys: count() })
    .from(agents)
    .innerJoin(agentKeys, eq(agentKeys.agent_id, agents.id))
    .where(and(eq(agents.enrollment_key_id, enrollmentKeyId), isEnrolled, isInForce(agentKeys, at)));
  return row?.keys ?? 0;
}

const isNamed = (enrollmentKeyId: string, handle: string) =>
  and(eq(agents.enrollment_key_id, enrollmentKeyId), eq(agents.handle, handle));

/**
 * Refuses a new agent when its enrollment key has reached its limit of keys, before the agent is made.
 * @throws ServiceError `too_many_agent_keys`
 */
export async function requireFreeKey(ctx: Services, enrollmentKeyId: string, handle: string): Promise<void> {
  const known = await ctx.db.$count(agents, isNamed(enrollmentKeyId, handle));
  if (known > 0) return;
  const active = await countActive(ctx.db, enrollmentKeyId, ctx.now());
  if (active >= ctx.settings.MAX_KEYS_PER_ENROLLMENT_KEY) throw tooMany(ctx.settings);
}

function tooMany({ MAX_KEYS_PER_ENROLLMENT_KEY: max }: Services["settings"]): ServiceError {
  return new ServiceError(
    "too_many_agent_keys",
    `Agents of this enrollment key have ${max} active enrolled keys, the most there can be.`,
  );
}
