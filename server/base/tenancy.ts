// Finds the mailbox that a caller names by address or id, if the caller may see it.
import { inboxes } from "#db/schema/mail.ts";
import { readAddress } from "./addresses.ts";
import type { Caller, Ctx } from "./context.ts";
import { ServiceError } from "./errors.ts";
import { decodeId } from "./ids.ts";

const { id, organization_id, address, domain, display_name, metadata, client_id, status, created_at } = inboxes;

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
};
export type InboxRow = Pick<typeof inboxes.$inferSelect, keyof typeof inboxColumns>;

/**
 * @param addr the address or the inbox id
 * @throws ServiceError `inbox_not_found`, also if the inbox was deleted or belongs to another organization
 */
export async function findInbox({ actor, sql, facts }: Ctx<Caller>, addr: string): Promise<InboxRow> {
  const id = decodeId("inb", addr);
  const address = id ? undefined : readAddress(addr)?.address.toLowerCase();
  if (!id && !address) throw notFound();
  const [row] = await sql<InboxRow[]>`
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at from inboxes
    where ${id ? sql`id = ${id}` : sql`address = ${address as string}`}
      and organization_id = ${actor.organizationId} and status = 'live'`;
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
