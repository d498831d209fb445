// Finds the mailbox that a caller names by address or id, if the caller may see it.
import { and, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { Sql } from "postgres";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import { readAddress } from "./addresses.ts";
import { type Caller, type Ctx, callerId } from "./context.ts";
import { ServiceError } from "./errors.ts";
import { decodeId } from "./ids.ts";

/** What verbs need of a mailbox. */
export const inboxColumns = {
  id: inboxes.id,
  organization_id: inboxes.organization_id,
  agent_id: inboxes.agent_id,
  address: inboxes.address,
  domain: inboxes.domain,
  display_name: inboxes.display_name,
  metadata: inboxes.metadata,
  client_id: inboxes.client_id,
  status: inboxes.status,
  created_at: inboxes.created_at,
  address_since: inboxes.address_since,
};
export type InboxRow = Pick<typeof inboxes.$inferSelect, keyof typeof inboxColumns>;
const COLUMNS_OF_I = Object.keys(inboxColumns).map((name) => `i.${name}`);

declare module "./context.ts" {
  interface Services {
    /** Look-ups share queries (batching/inbox-lookups.ts). `size`: calls that wait for one. */
    inboxLookups: { add(asked: Asked): Promise<InboxRow | undefined>; readonly size: number };
  }
}

/** A mailbox that a caller names: by its id or its address, the other one is null. */
export type Asked = { organizationId: string; caller: string; id: string | null; address: string | null };

/** Finds each of them: undefined if the organization that asks has no such mailbox. */
export async function lookUp(sql: Sql, asked: Asked[]): Promise<(InboxRow | undefined)[]> {
  const rows = await sql<(InboxRow & { place: number })[]>`
    select ${sql(COLUMNS_OF_I)}, asked.place
    from unnest(${asked.map(({ organizationId }) => organizationId)}::uuid[], ${asked.map(({ id }) => id)}::uuid[],
      ${asked.map(({ address }) => address)}::text[]) with ordinality as asked (organization_id, id, address, place)
    cross join lateral (
      select * from inboxes where id = asked.id union all select * from inboxes where address = asked.address) i
    where i.organization_id = asked.organization_id and i.status = 'live'`;
  const found: (InboxRow | undefined)[] = asked.map(() => undefined);
  for (const row of rows) found[row.place - 1] = row;
  return found;
}

/**
 * @param addr the address or the inbox id
 * @throws ServiceError `inbox_not_found`, also if the inbox was deleted or belongs to another organization
 */
export async function findInbox({ actor, inboxLookups, facts }: Ctx<Caller>, addr: string): Promise<InboxRow> {
  const id = decodeId("inb", addr) ?? null;
  const address = id ? null : (readAddress(addr)?.address.toLowerCase() ?? null);
  if (!id && !address) throw notFound();
  const row = await inboxLookups.add({ organizationId: actor.organizationId, caller: callerId(actor), id, address });
  if (!row || !reaches(actor, row)) throw notFound();
  facts.note({ inbox: row.id });
  return row;
}

/**
 * The id that a policy is stored under: of a mailbox, or without an address of the whole organization.
 * @throws ServiceError `inbox_not_found`
 */
export async function findPolicyInbox(ctx: Ctx<Caller>, addr: string | undefined): Promise<string> {
  return addr === undefined ? EVERY_INBOX : (await findInbox(ctx, addr)).id;
}

function notFound(): ServiceError {
  return new ServiceError("inbox_not_found", "The inbox does not exist.");
}

/**
 * Mailboxes of an organization: those of `inboxIds` (null: all of them), and of these only those that the agent `madeBy` created
 * (null: whoever created them).
 */
export type Selection = { organizationId: string; inboxIds: readonly string[] | null; madeBy: string | null };

/** Whether the mailbox, which is of the organization, is of the selection. */
function reaches({ inboxIds, madeBy }: Selection, { id, agent_id }: Pick<InboxRow, "id" | "agent_id">): boolean {
  return (inboxIds?.includes(id) ?? true) && (madeBy === null || madeBy === agent_id);
}

/** The condition that rows are of mailboxes of the selection. A look-up for each row: a join could read all mailboxes first. */
export function isReached({ inboxIds, madeBy }: Selection, inboxId: PgColumn): SQL | undefined {
  const named = inboxIds ? anyOf(inboxId, inboxIds) : undefined;
  const own = sql`(select made.agent_id from ${inboxes} made where made.id = ${inboxId}) = ${madeBy}::uuid`;
  return and(named, madeBy === null ? undefined : own);
}

/**
 * Whether the caller reaches only some mailboxes, so that what applies to all of the organization is not for it. @returns why, as a
 * sentence of an error
 */
export function whyNarrow({ inboxIds, madeBy }: Selection): string | undefined {
  if (inboxIds) return "This key is restricted to some inboxes.";
  if (madeBy !== null) return "This key reaches only the inboxes that its agent created.";
  return;
}

/**
 * Selects the mailbox that a caller names, or all that the caller may see.
 * @throws ServiceError `inbox_not_found`
 */
export async function readSelection(
  ctx: Ctx<Caller>,
  addr: string | undefined,
): Promise<Selection & { inbox?: InboxRow }> {
  const { organizationId, inboxIds, madeBy } = ctx.actor;
  if (addr === undefined) return { organizationId, inboxIds, madeBy };
  const inbox = await findInbox(ctx, addr);
  return { organizationId, inboxIds: [inbox.id], madeBy: null, inbox };
}
