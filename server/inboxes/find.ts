// Finds the live mailbox that a caller names by address or id, if the caller may see it.
import { readAddress } from "../addresses.ts";
import type { Agent, Ctx } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { decodeId } from "../ids.ts";
import type { InboxRow } from "./create.ts";

/**
 * @param addr the address or the inbox id
 * @throws ServiceError `inbox_not_found`, the same for what never existed, was deleted, or is another organization's
 */
export async function findInbox({ actor, sql }: Ctx<Agent>, addr: string): Promise<InboxRow> {
  const id = decodeId("inb", addr);
  const address = id ? undefined : readAddress(addr)?.address.toLowerCase();
  if (!id && !address) throw notFound();
  const [row] = await sql<InboxRow[]>`
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at from inboxes
    where ${id ? sql`id = ${id}` : sql`address = ${address as string}`}
      and organization_id = ${actor.organizationId} and status = 'live'`;
  if (!row || !maySee({ actor }, row.id)) throw notFound();
  return row;
}

/** Whether the caller's key is not restricted to other inboxes. */
export function maySee({ actor }: Pick<Ctx<Agent>, "actor">, inboxId: string): boolean {
  return actor.inboxIds === null || actor.inboxIds.includes(inboxId);
}

function notFound(): ServiceError {
  return new ServiceError("inbox_not_found", "There is no such inbox.");
}
