// How many webhooks an organization may have: in all, for one mailbox, and for one target. Exact, by a lock per organization.
import type { TransactionSql } from "postgres";
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";

/** The first key of the advisory lock; the second is made of the organization's id. "whk" in ASCII. */
const LOCK = 0x77686b;
/** Webhooks for the same mailbox (or for all mailboxes) with the same URL: more only multiply requests. */
const SAME_MAX = 50;

/** `inboxId` null: for all mailboxes. */
export type Target = { id: string; inboxId: string | null; url: string };
type Known = Target & { origin: string };
type Caps = Pick<Settings, "MAX_WEBHOOKS_PER_ORGANIZATION" | "MAX_WEBHOOKS_PER_MAILBOX" | "MAX_WEBHOOKS_PER_ORIGIN">;

/** What organizations have registered, by their UUIDs, as it stays until the transaction ends. */
export type Registered = Map<string, Known[]>;

function withOrigin(target: Target): Known {
  return { ...target, origin: new URL(target.url).origin };
}

/**
 * Locks the registrations of organizations until the transaction ends, in the order of their ids, and reads what they have.
 * Webhooks that paid creates have reserved count as well.
 */
export async function lockRegistered(tx: TransactionSql, organizationIds: string[]): Promise<Registered> {
  const ids = [...new Set(organizationIds)].sort();
  if (ids.length === 0) return new Map();
  await tx`select pg_advisory_xact_lock(${LOCK}::int, hashtext(id)) from unnest(${ids}::text[]) as id`;
  const rows = await tx<(Target & { organization_id: string })[]>`
    select id, organization_id, inbox_id as "inboxId", url from webhooks where organization_id = any(${ids}::uuid[])
    union all
    select (webhook->>'id')::uuid, organization_id, inbox_id, webhook->>'url' from payments
    where organization_id = any(${ids}::uuid[]) and status in ('verified', 'settling', 'settled') and webhook is not null`;
  const registered: Registered = new Map(ids.map((id) => [id, []]));
  for (const { organization_id, ...target } of rows) registered.get(organization_id)?.push(withOrigin(target));
  return registered;
}

function refusal(message: string): ServiceError {
  return new ServiceError("too_many_webhooks", message);
}

/**
 * Judges a webhook that is to be registered, or to get another URL: then its id is known, and it counts once.
 * @returns `too_many_webhooks`; undefined when this transaction may write it
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
  const sameMailbox = others.filter(({ inboxId }) => inboxId === wish.inboxId);
  const mailbox = wish.inboxId === null ? "all mailboxes" : "this mailbox";
  const sameOrigin = others.filter((other) => other.origin === origin).length;
  if (isNew && others.length >= caps.MAX_WEBHOOKS_PER_ORGANIZATION) {
    return refusal(`Your organization has ${others.length} webhooks, the most it may have.`);
  }
  if (isNew && sameMailbox.length >= caps.MAX_WEBHOOKS_PER_MAILBOX) {
    return refusal(`There are ${sameMailbox.length} webhooks for ${mailbox}, the most there may be.`);
  }
  if (sameMailbox.filter(({ url }) => url === wish.url).length >= SAME_MAX) {
    return refusal(`There are ${SAME_MAX} webhooks for ${mailbox} with this URL, the most there may be.`);
  }
  if (sameOrigin >= caps.MAX_WEBHOOKS_PER_ORIGIN) {
    return refusal(`Your organization has ${sameOrigin} webhooks at ${origin}, the most it may have there.`);
  }
  return undefined;
}

/** Counts a webhook that this transaction writes. */
export function countIn(registered: Registered, organizationId: string, webhook: Target): void {
  registered.get(organizationId)?.push(withOrigin(webhook));
}
