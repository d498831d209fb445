// Finds the mailbox that a caller names by address or id, if the caller may see it.
import type { Sql } from "postgres";
import { inboxes } from "#db/schema/mail.ts";
import { readAddress } from "./addresses.ts";
import { type Caller, type Ctx, callerId } from "./context.ts";
import { ServiceError } from "./errors.ts";
import { decodeId } from "./ids.ts";

const { id, organization_id, address, domain, display_name, metadata, client_id, status, created_at, address_since } =
  inboxes;

/** What verbs need of a mailbox. */
export const inboxColumns = {
  id,
  organization_id,
  address,
  domain,
  display_name,
  metadata,
  client_id,
  status,
  created_at,
  address_since,
};
export type InboxRow = Pick<typeof inboxes.$inferSelect, keyof typeof inboxColumns>;

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
    select i.id, i.organization_id, i.address, i.domain, i.display_name, i.metadata, i.client_id, i.status, i.created_at,
      i.address_since, asked.place
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
  const restricted = row && actor.inboxIds && !actor.inboxIds.includes(row.id);
  if (!row || restricted) throw notFound();
  facts.note({ inbox: row.id });
  return row;
}

function notFound(): ServiceError {
  return new ServiceError("inbox_not_found", "The inbox does not exist.");
}

/** Mailboxes of an organization. `inboxIds` null: all of them. */
export type Selection = { organizationId: string; inboxIds: readonly string[] | null };

/**
 * Selects the mailbox that a caller names, or all that the caller may see.
 * @throws ServiceError `inbox_not_found`
 */
export async function readSelection(
  ctx: Ctx<Caller>,
  addr: string | undefined,
): Promise<Selection & { inbox?: InboxRow }> {
  const { organizationId, inboxIds } = ctx.actor;
  if (addr === undefined) return { organizationId, inboxIds };
  const inbox = await findInbox(ctx, addr);
  return { organizationId, inboxIds: [inbox.id], inbox };
}
