// Compares what leaves with what a member approved.
import { hash } from "node:crypto";
import type { Database } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { reviews } from "#db/schema/reviews.ts";
import { type Content, contentHash } from "./content-hash.ts";

/** The hash of the approved content of messages that were held, by message; null: none was approved. */
export async function approvedHashes(db: Database, sent: { id: string }[]): Promise<Map<string, Buffer | null>> {
  const { message_id, status } = reviews;
  const ids = sent.map(({ id }) => id);
  const rows = await db.select({ message_id, status, hash: reviews.hash }).from(reviews).where(anyOf(message_id, ids));
  return new Map(rows.map((row) => [row.message_id, row.status === "approved" ? row.hash : null]));
}

/** @param approved undefined: the message was never held */
export function isAsApproved(
  approved: Buffer | null | undefined,
  content: Content,
  files: Map<string, Buffer>,
): boolean {
  if (approved === undefined) return true;
  const attached = content.attachments.map(({ id }) => files.get(id) ?? Buffer.alloc(0));
  const hashes = content.attachments.map(({ id }, i): [string, string] => [id, hash("sha256", attached[i] as Buffer)]);
  return approved?.equals(contentHash(content, new Map(hashes))) ?? false;
}
