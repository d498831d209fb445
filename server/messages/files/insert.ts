// Stores the attachments of an outbound message, in the transaction that queues it.
import type { Transaction } from "#db/client.ts";
import { attachments } from "#db/schema/mail.ts";

export async function insertFiles(
  tx: Transaction,
  organizationId: string,
  messageId: string,
  files: { id: string; bytes: Buffer }[],
): Promise<void> {
  if (files.length === 0) return;
  const rows = files.map(({ id, bytes }) => ({ id, organization_id: organizationId, message_id: messageId, bytes }));
  await tx.insert(attachments).values(rows);
}
