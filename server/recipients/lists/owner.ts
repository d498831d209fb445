// Finds whose lists a call names: those of one mailbox, or those of the organization.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { EVERY_INBOX } from "#db/conditions.ts";
import { listEntries } from "#db/schema/lists.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { findInbox, whyNarrow } from "../../base/tenancy.ts";
import type { Direction, Rule } from "./verdict.ts";

/** The first key of the advisory lock; the second is derived from the organization's id. "lst" in ASCII. */
const LOCK = 0x6c7374;

export type ListName = { direction: Direction; list: Rule["list"]; inbox?: string | undefined };

/** `address` null: the organization, whose `id` is that of its rows. */
export type Owner = { id: string; address: string | null };

/** @throws ServiceError `inbox_not_found`; `insufficient_scope` if the key reaches only some inboxes and names none */
export async function findOwner(ctx: Ctx<Caller>, inbox: string | undefined): Promise<Owner> {
  if (inbox !== undefined) return findInbox(ctx, inbox);
  const why = whyNarrow(ctx.actor);
  if (!why) return { id: EVERY_INBOX, address: null };
  throw new ServiceError(
    "insufficient_scope",
    `${why} The lists of the organization apply to all inboxes. Pass one of the inboxes of this key as \`inbox\`.`,
  );
}

export function listCondition({ actor }: Ctx<Caller>, owner: Owner, { direction, list }: ListName): SQL | undefined {
  return and(
    eq(listEntries.organization_id, actor.organizationId),
    eq(listEntries.inbox_id, owner.id),
    eq(listEntries.direction, direction),
    eq(listEntries.list, list),
  );
}

/** Until the transaction ends, no other process changes lists of the organization. */
export async function lockLists(tx: Transaction, { actor }: Ctx<Caller>): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCK}::int, hashtext(${actor.organizationId}))`);
}
