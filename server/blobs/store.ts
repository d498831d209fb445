// Decides where new content is stored, and writes it there before the row that refers to it.
import { setTimeout as delay } from "node:timers/promises";
import { and, eq, isNull } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { rolledBack } from "#db/rolled-back.ts";
import { blobOrphans } from "#db/schema/content.ts";
import type { Services } from "../base/context.ts";
import { BlobError } from "../base/errors.ts";
import type { Blobs, Place } from "../base/ports/blobs.ts";
import { asServiceError, factsOf } from "./failure.ts";

/** How long a removal is waited for. */
const REMOVAL_WAIT_MS = 3_000;
const REMOVAL_LOOK_MS = 100;

type Needs = Pick<Services, "blobs" | "db" | "log">;

/** For rows of a transaction whose changes are discarded. */
export const NOWHERE: Place = { bytes: Buffer.alloc(0), blob: null, sha256: null };

/**
 * Where each content is. Rows must refer to objects within the grace period of the sweep.
 * @throws ServiceError `unavailable`
 */
export async function storeContents(
  { blobs, db, log }: Needs,
  organizationId: string,
  contents: Buffer[],
  where: Blobs["newIn"] = blobs.newIn,
): Promise<Place[]> {
  const how = { where, claim: (blob: string) => claimName(db, organizationId, blob) };
  try {
    return await Promise.all(contents.map((content) => blobs.store(organizationId, content, how)));
  } catch (error) {
    if (error instanceof BlobError) {
      log.error({ organization: organizationId, ...factsOf(error) }, "could not store content");
    }
    throw asServiceError(error);
  }
}

/**
 * Before an object is written, its name is taken off the list of the sweep. From then on the sweep removes it only if it finds
 * it without a row, and again after the grace period. A removal that has begun is waited for: it would remove what is
 * written.
 * @throws BlobError if the removal does not end
 */
async function claimName(db: Services["db"], organizationId: string, name: string): Promise<void> {
  const { organization_id, blob, removing_at } = blobOrphans;
  const own = and(eq(organization_id, organizationId), eq(blob, name));
  const isListed = async () => (await db.select({ blob }).from(blobOrphans).where(own)).length > 0;
  if (!(await isListed())) return;
  await db.delete(blobOrphans).where(and(own, isNull(removing_at)));
  for (let waited = 0; waited < REMOVAL_WAIT_MS; waited += REMOVAL_LOOK_MS) {
    if (!(await isListed())) return;
    await delay(REMOVAL_LOOK_MS);
  }
  throw new BlobError("unavailable", "a sweep is removing the same content");
}

/**
 * Runs `work` in a transaction, with the places of `contents`. Where objects are written, `work` runs before that too, and
 * is rolled back: what it refuses writes no object.
 * @throws ServiceError `unavailable`, and errors of `work`
 */
export async function storeWith<Result>(
  ctx: Needs,
  organizationId: string,
  contents: Buffer[],
  work: (tx: Transaction, places: Place[]) => Promise<Result>,
): Promise<Result> {
  const writesObjects = ctx.blobs.newIn === "objects" && contents.length > 0;
  if (writesObjects) {
    await rolledBack(ctx.db, async (tx) => {
      await work(
        tx,
        contents.map(() => NOWHERE),
      );
    });
  }
  const places = await storeContents(ctx, organizationId, contents);
  return ctx.db.transaction((tx) => work(tx, places));
}

// Writes the raw bytes of planned mails to objects, before the rows that refer to them.
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
