// Adds addresses to the suppression list.
import type { Transaction } from "#db/client.ts";
import { suppressions } from "#db/schema/mail.ts";
import { newId } from "../../base/ids.ts";

/** `inbox_id` of a suppression for a whole organization. */
export const EVERY_INBOX = "00000000-0000-0000-0000-000000000000";

/** `inbox_id` null: for every mailbox of the organization. */
export type NewSuppression = {
  organization_id: string;
  inbox_id: string | null;
  address: string;
  reason: string;
  message_id: string | null;
};

/** Keeps an existing entry as it is. Sorted, so that two transactions never wait for each other. */
export async function suppress(tx: Transaction, added: NewSuppression[], now: Date): Promise<void> {
  const rows = added.map((each) => ({
    ...each,
    id: newId(),
    inbox_id: each.inbox_id ?? EVERY_INBOX,
    address: each.address.toLowerCase(),
    created_at: now,
  }));
  if (rows.length === 0) return;
  rows.sort((a, b) => (a.address < b.address ? -1 : 1));
  await tx.insert(suppressions).values(rows).onConflictDoNothing();
}
