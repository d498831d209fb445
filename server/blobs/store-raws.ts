// Writes the raw bytes of planned mails to objects, before the rows that refer to them.
import type { Services } from "../base/context.ts";
import { storeContents } from "./store.ts";

type PlannedMail = { raw: Buffer; organization_id: string };

/** The object of each raw mail, by organization. */
export type StoredRaws = Map<Buffer, Map<string, string>>;

/**
 * Adds to `stored` what it lacks: a mail that is planned again is not written again.
 * @throws ServiceError `unavailable`
 */
export async function storeRaws(
  services: Pick<Services, "blobs" | "db" | "log">,
  messages: PlannedMail[],
  stored: StoredRaws,
): Promise<void> {
  const missing = new Map<Buffer, Set<string>>();
  for (const { raw, organization_id } of messages) {
    if (stored.get(raw)?.has(organization_id)) continue;
    missing.set(raw, (missing.get(raw) ?? new Set()).add(organization_id));
  }
  const each = [...missing].flatMap(([raw, organizations]) => [...organizations].map((id) => ({ raw, id })));
  await Promise.all(
    each.map(async ({ raw, id }) => {
      const [place] = await storeContents(services, id, [raw], "objects");
      if (!place?.blob) throw new Error("unreachable: the content is in an object");
      stored.set(raw, (stored.get(raw) ?? new Map()).set(id, place.blob));
    }),
  );
}

/** The object that a message refers to. */
export function storedOf(stored: StoredRaws, { raw, organization_id }: PlannedMail): string {
  const blob = stored.get(raw)?.get(organization_id);
  if (!blob) throw new Error("unreachable: every planned mail was stored");
  return blob;
}
