// Limits the webhooks of an organization: in total, for one mailbox, and for one target. A lock per organization makes
// the limits exact.
import type { TransactionSql } from "postgres";
import type { webhooks } from "#db/schema/events.ts";
import type { Services } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";

/** The first key of the advisory lock; the second is derived from the organization's id. "whk" in ASCII. */
const LOCK = 0x77686b;
/** Webhooks for the same mailbox (or for all mailboxes) with the same URL: more would only multiply requests. */
const SAME_MAX = 50;

type WebhookRow = typeof webhooks.$inferSelect;
/** `inboxId` null: for all mailboxes. */
export type Target = Pick<WebhookRow, "id" | "url"> & {
  inboxId: WebhookRow["inbox_id"];
  /** Of those for all mailboxes: the agent whose mailboxes are meant. */
  agentId?: WebhookRow["agent_id"];
};
type Known = Target & { origin: string };
type Caps = Pick<Settings, "MAX_WEBHOOKS_PER_ORGANIZATION" | "MAX_WEBHOOKS_PER_MAILBOX" | "MAX_WEBHOOKS_PER_ORIGIN">;

/** The registered webhooks of organizations, by their UUIDs, unchanged until the transaction ends. */
export type Registered = Map<string, Known[]>;

function withOrigin(target: Target): Known {
  return { ...target, origin: new URL(target.url).origin };
}

/**
 * Locks the registrations of organizations until the transaction ends, in the order of their ids, and reads them.
 * Webhooks reserved by paid creates count too; where payments are off there are none.
 */
export async function lockRegistered(
  tx: TransactionSql,
  organizationIds: string[],
  { payments }: Pick<Services, "payments">,
): Promise<Registered> {
  const ids = [...new Set(organizationIds)].sort();
  if (ids.length === 0) return new Map();
  await tx`select pg_advisory_xact_lock(${LOCK}::int, hashtext(id)) from unnest(${ids}::text[]) as id`;
  const reserved = tx`
    union all
    select (webhook->>'id')::uuid, organization_id, inbox_id, null, webhook->>'url' from payments
    where organization_id = any(${ids}::uuid[]) and status in ('verified', 'settling', 'settled') and webhook is not null`;
  const rows = await tx<(Target & Pick<WebhookRow, "organization_id">)[]>`
    select id, organization_id, inbox_id as "inboxId", agent_id as "agentId", url from webhooks where organization_id = any(${ids}::uuid[])
    ${payments ? reserved : tx``}`;
  const registered: Registered = new Map(ids.map((id) => [id, []]));
  for (const { organization_id, ...target } of rows) registered.get(organization_id)?.push(withOrigin(target));
  return registered;
}

function refusal(message: string): ServiceError {
  return new ServiceError("too_many_webhooks", message);
}

/**
 * Checks the limits for a new webhook, or for a webhook that gets another URL: then `id` is given, and it counts once.
 * @returns `too_many_webhooks`; undefined if this transaction may write it
 */
export function capReached(
  caps: Caps,
  registered: Registered,
  organizationId: string,
  wish: Target,
): ServiceError | undefined {
  const all = registered.get(organizationId) ?? [];
  const others = all.filter(({ id }) => id !== wish.id);
  const isNew = others.length === all.length;
  const { origin } = withOrigin(wish);
  const sameMailbox = others.filter(
    ({ inboxId, agentId = null }) => inboxId === wish.inboxId && agentId === (wish.agentId ?? null),
  );
  const mailbox = wish.inboxId === null ? "all mailboxes" : "this mailbox";
  const sameOrigin = others.filter((other) => other.origin === origin).length;
  if (isNew && others.length >= caps.MAX_WEBHOOKS_PER_ORGANIZATION) {
    return refusal(`Your organization has ${others.length} webhooks, which is the limit.`);
  }
  if (isNew && sameMailbox.length >= caps.MAX_WEBHOOKS_PER_MAILBOX) {
    return refusal(`There are ${sameMailbox.length} webhooks for ${mailbox}, which is the limit.`);
  }
  if (sameMailbox.filter(({ url }) => url === wish.url).length >= SAME_MAX) {
    return refusal(`There are ${SAME_MAX} webhooks for ${mailbox} with this URL, which is the limit.`);
  }
  if (sameOrigin >= caps.MAX_WEBHOOKS_PER_ORIGIN) {
    return refusal(`Your organization has ${sameOrigin} webhooks at ${origin}, which is the limit.`);
  }
  return undefined;
}

/** Counts a webhook that this transaction writes. */
export function countIn(registered: Registered, organizationId: string, webhook: Target): void {
  registered.get(organizationId)?.push(withOrigin(webhook));
}
