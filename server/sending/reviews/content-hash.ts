// The SHA-256 of everything that leaves with a message: what an approval is bound to.
import { hash } from "node:crypto";
import { asc, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { attachments } from "#db/schema/content.ts";
import type { messages } from "#db/schema/mail.ts";

export type Content = Pick<
  typeof messages.$inferSelect,
  | "from_address"
  | "from_name"
  | "to_addresses"
  | "cc_addresses"
  | "bcc_addresses"
  | "reply_to"
  | "recipient_names"
  | "subject"
  | "text"
  | "html"
  | "rfc_message_id"
  | "in_reply_to"
  | "references"
  | "list_unsubscribe"
  | "headers"
  | "attachments"
>;

/** SHA-256 of the bytes of each attachment, in hex, by its id. */
type FileHashes = Map<string, string>;

/** Of the sender, the recipients, the headers, the bodies, and the bytes of the attachments. */
export function contentHash(content: Content, files: FileHashes): Buffer {
  const attached = content.attachments.map(({ id, filename, content_type, content_id }) => {
    const named = content_id === undefined ? [] : [content_id];
    return [filename, content_type, files.get(id), ...named];
  });
  const parts = [
    [content.from_address, content.from_name],
    [content.to_addresses, content.cc_addresses, content.bcc_addresses, content.reply_to],
    [content.subject, content.text, content.html],
    [content.rfc_message_id, content.in_reply_to, content.references, content.list_unsubscribe],
    attached,
    // Without any of these, the hash is that of earlier versions, whose approvals stay valid.
    ...(content.headers === null ? [] : [content.headers]),
    ...(content.recipient_names === null ? [] : [{ names: content.recipient_names }]),
  ];
  return hash("sha256", JSON.stringify(parts), "buffer");
}

export async function hashFiles(tx: Transaction, messageId: string): Promise<FileHashes> {
  const rows = await tx
    .select({
      id: attachments.id,
      sha256: sql<string>`coalesce(${attachments.sha256}, encode(sha256(${attachments.bytes}), 'hex'))`,
    })
    .from(attachments)
    .where(eq(attachments.message_id, messageId))
    .orderBy(asc(attachments.id));
  return new Map(rows.map(({ id, sha256 }) => [id, sha256]));
}
