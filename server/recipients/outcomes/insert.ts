// Creates the recipients of an outbound message, in the transaction that queues it.
import type { Transaction } from "#db/client.ts";
import { messageRecipients } from "#db/schema/mail.ts";

type Message = { id: string; organization_id: string; inbox_id: string };

/** In the order in which adapters send: To, Cc, Bcc. */
export async function insertRecipients(
  tx: Transaction,
  { id, organization_id, inbox_id }: Message,
  { to, cc, bcc }: { to: string[]; cc: string[]; bcc: string[] },
): Promise<void> {
  const own = { message_id: id, organization_id, inbox_id, status: "queued" as const };
  const addresses = [...to, ...cc, ...bcc];
  await tx.insert(messageRecipients).values(addresses.map((address, index) => ({ ...own, index, address })));
}
