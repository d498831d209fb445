// Stores the attachments of an outbound message or a draft, in the transaction that stores it.
import type { Transaction } from "#db/client.ts";
import { attachments } from "#db/schema/content.ts";
import type { Place } from "../../base/ports/blobs.ts";

/** @param places of the files, in their order */
export async function insertFiles(
  tx: Transaction,
  own: { organization_id: string; message_id: string },
  files: { id: string }[],
  places: Place[],
): Promise<void> {
  if (files.length === 0) return;
  await tx.insert(attachments).values(files.map(({ id }, i) => ({ ...own, id, ...placeOf(places, i) })));
}

function placeOf(places: Place[], i: number): Place {
  const place = places[i];
  if (!place) throw new Error("unreachable: every file has a place");
  return place;
}
