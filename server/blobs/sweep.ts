// Removes objects that no row refers to: a worker job, and the operators' command `blobs sweep`.
import { and, asc, eq, gt, gte, isNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { blobOrphans } from "#db/schema/content.ts";
import { organizations } from "#db/schema/enrollment.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { BlobError, ServiceError } from "../base/errors.ts";
import { FIRST_ID } from "../base/id-range.ts";
import type { BlobObjects } from "../base/ports/blobs.ts";
import { CONTENT_TABLES } from "./content-tables.ts";
import { asServiceError, factsOf } from "./failure.ts";

/** An object without a row is removed if it still has none after this time. Content is written within seconds. */
const GRACE_MS = 24 * 3_600_000;
/** Between two passes over all objects. */
const PASS_EVERY_MS = 6 * 3_600_000;
/** A removal without a result is repeated after this time: until then, its request may still arrive at S3. */
const REMOVAL_REPEATED_MS = 15 * 60_000;
const BATCH_REMOVALS = 200;
const CONCURRENT_REMOVALS = 16;

type Counts = { objects: number; unreferenced: number };
/** Where a pass continues: in this organization, after this object. */
type Position = { organizationId: string; after: string | undefined };

const { organization_id, blob, found_at, removing_at } = blobOrphans;

/** The first organization for which this holds. */
async function firstOrganization({ db }: Services, condition: SQL): Promise<string | undefined> {
  const { id } = organizations;
  const [row] = await db.select({ id }).from(organizations).where(condition).orderBy(asc(id)).limit(1);
  return row?.id;
}

/** Those of the objects that a message, a draft or a mail refers to. */
async function referredTo({ db }: Services, organizationId: string, blobs: string[]): Promise<Set<string>> {
  const found = await Promise.all(
    CONTENT_TABLES.map(({ table }) =>
      db
        .selectDistinct({ blob: table.blob })
        .from(table)
        .where(and(eq(table.organization_id, organizationId), anyOf(table.blob, blobs))),
    ),
  );
  return new Set(found.flat().flatMap((row) => row.blob ?? []));
}

/** Lists one page of objects, and notes those without a row. @returns what it counted; `next`: where to continue, undefined at the end */
async function listPage(
  ctx: Services,
  objects: BlobObjects,
  { organizationId, after }: Position,
): Promise<Counts & { next: Position | undefined }> {
  const page = await objects.list(organizationId, after);
  const used = await referredTo(ctx, organizationId, page.blobs);
  const orphans = page.blobs.filter((name) => !used.has(name));
  const counts = { objects: page.blobs.length, unreferenced: orphans.length };
  if (orphans.length > 0) {
    const rows = orphans.map((name) => ({ organization_id: organizationId, blob: name, found_at: ctx.now() }));
    await ctx.db.insert(blobOrphans).values(rows).onConflictDoNothing();
  }
  if (page.after !== undefined && page.after !== after)
    return { ...counts, next: { organizationId, after: page.after } };
  const nextId = await firstOrganization(ctx, gt(organizations.id, organizationId));
  return { ...counts, next: nextId === undefined ? undefined : { organizationId: nextId, after: undefined } };
}

/** Whether a row refers to the object of an orphan. */
const isReferredTo = or(
  ...CONTENT_TABLES.map(
    ({ table }) =>
      sql`exists (select 1 from ${table} where ${table.organization_id} = ${organization_id} and ${table.blob} = ${blob})`,
  ),
);

type Orphan = Pick<typeof blobOrphans.$inferSelect, "organization_id" | "blob">;

/** A condition for each organization of these rows. */
function conditionsOf(rows: Orphan[]): (SQL | undefined)[] {
  const own = Map.groupBy(rows, (row) => row.organization_id);
  return [...own].map(([id, each]) => {
    const names = each.map((row) => row.blob);
    return and(eq(organization_id, id), anyOf(blob, names));
  });
}

/**
 * Takes the orphans that may be removed now. After the commit, a writer of the same content waits for its removal
 * (server/blobs/store.ts).
 */
async function takeRemovals({ db, now }: Services, graceMs: number): Promise<{ at: Date; rows: Orphan[] }> {
  const at = now();
  const isOld = and(isNull(removing_at), lte(found_at, new Date(at.getTime() - graceMs)));
  const isLeft = lt(removing_at, new Date(at.getTime() - REMOVAL_REPEATED_MS));
  const rows = await db.transaction(async (tx) => {
    const due = await tx
      .select({ organization_id, blob, used: sql<boolean>`(${isReferredTo})` })
      .from(blobOrphans)
      .where(or(isOld, isLeft))
      .orderBy(asc(found_at))
      .limit(BATCH_REMOVALS)
      .for("update", { skipLocked: true });
    for (const used of conditionsOf(due.filter((row) => row.used))) await tx.delete(blobOrphans).where(used);
    const unused = due.filter((row) => !row.used);
    for (const taken of conditionsOf(unused)) await tx.update(blobOrphans).set({ removing_at: at }).where(taken);
    return unused;
  });
  return { at, rows };
}

/** Removes one batch. @returns how many objects were removed; the others are tried again later */
async function removeDue(ctx: Services, objects: BlobObjects, graceMs: number): Promise<number> {
  const { at, rows } = await takeRemovals(ctx, graceMs);
  const removed: Orphan[] = [];
  for (let start = 0; start < rows.length; start += CONCURRENT_REMOVALS) {
    const some = rows.slice(start, start + CONCURRENT_REMOVALS);
    const results = await Promise.allSettled(some.map((row) => objects.remove(row.organization_id, row.blob)));
    for (const [i, result] of results.entries()) {
      const row = some[i];
      if (result.status === "fulfilled" && row) removed.push(row);
      else if (result.status === "rejected") ctx.log.warn(factsOf(result.reason), "could not remove an object");
    }
  }
  for (const gone of conditionsOf(removed)) {
    await ctx.db.delete(blobOrphans).where(and(gone, eq(removing_at, at)));
  }
  return removed.length;
}

async function firstPosition(ctx: Services): Promise<Position | undefined> {
  const organizationId = await firstOrganization(ctx, gte(organizations.id, FIRST_ID));
  return organizationId === undefined ? undefined : { organizationId, after: undefined };
}

/** The worker job: each run removes a batch and lists a page, until a pass over all objects has ended. */
export function createSweep(ctx: Ctx<System>): () => Promise<number> {
  const { objects } = ctx.blobs;
  let position: Position | undefined;
  let nextPassAt = 0;
  const step = async (store: BlobObjects) => {
    const removed = await removeDue(ctx, store, GRACE_MS);
    const at = ctx.now().getTime();
    if (position) {
      position = (await listPage(ctx, store, position)).next;
    } else if (at >= nextPassAt) {
      nextPassAt = at + PASS_EVERY_MS;
      position = await firstPosition(ctx);
    }
    return removed + (position ? 1 : 0);
  };
  return async () => {
    try {
      return objects ? await step(objects) : 0;
    } catch (error) {
      if (!(error instanceof BlobError)) throw error;
      // Not every second while S3 is away. A wrong setting shows here when the service starts.
      ctx.log.warn(factsOf(error), "could not list the objects in S3; will retry");
      return 0;
    }
  };
}

/**
 * Lists all objects, and removes each that was without a row for the grace period.
 * @returns counts; `waiting`: objects without a row that are not removed yet
 * @throws ServiceError `invalid_request` without settings for S3
 */
export async function sweepBlobs(ctx: Ctx<System>, graceMs = GRACE_MS) {
  const { objects } = ctx.blobs;
  if (!objects) throw new ServiceError("invalid_request", "S3_ENDPOINT is not set: nothing is stored in S3.");
  const counts: Counts = { objects: 0, unreferenced: 0 };
  let removed = 0;
  try {
    for (let position = await firstPosition(ctx); position; ) {
      const { next, ...page } = await listPage(ctx, objects, position);
      counts.objects += page.objects;
      counts.unreferenced += page.unreferenced;
      position = next;
    }
  } catch (error) {
    throw asServiceError(error);
  }
  // A batch without a success ends the command: what is left is tried again later.
  for (let batch = await removeDue(ctx, objects, graceMs); batch > 0; batch = await removeDue(ctx, objects, graceMs)) {
    removed += batch;
  }
  return { ...counts, removed, waiting: await ctx.db.$count(blobOrphans) };
}
