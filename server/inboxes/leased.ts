// Names the mailboxes that are leased for a verification. Their addresses are never given to anyone again.
import type { InboxRow } from "../base/tenancy.ts";

const PREFIX = "verification:";

/** The `client_id` of the mailbox of a lease. */
export function leasedClientId(leaseId: string): string {
  return `${PREFIX}${leaseId}`;
}

export function isLeased({ client_id }: Pick<InboxRow, "client_id">): boolean {
  return client_id?.startsWith(PREFIX) ?? false;
}
