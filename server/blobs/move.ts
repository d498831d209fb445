// Moves stored content between the rows of PostgreSQL and objects, for the operators' command `blobs move`.
import { and, asc, eq, gt, isNotNull, type SQL } from "drizzle-orm";
import { attachments, rawMessages } from "#db/schema/content.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { FIRST_ID } from "../base/id-range.ts";
import type { Blobs, Place } from "../base/ports/blobs.ts";
import { CONTENT_TABLES, type ContentTable } from "./content-tables.ts";
import { loadContent } from "./load.ts";
import { storeContents } from "./store.ts";

const ROWS_PER_STEP = 500;
const ROWS_AT_ONCE = 4;

type Where = Blobs["newIn"];
type Row = { id: string; organization_id: string };
type Moved = { moved: number; unreadable: number };

/** Rows that are to be moved, among the next ones after `after`. */
async function nextRows({ db }: Services, { table, id }: ContentTable, { to, after }: { to: Where; after: string }) {
  const { organization_id, blob } = table;
  const rows = await db
    .select({ id, organization_id, blob })
    .from(table)
    .where(gt(id, after))
    .orderBy(asc(id))
    .limit(ROWS_PER_STEP);
  const due = rows.filter((row) => (row.blob === null) === (to === "objects"));
  return { due, last: rows.length < ROWS_PER_STEP ? undefined : rows.at(-1)?.id };
}

/** @returns false if the row was deleted or moved in the meantime */
async function moveRow(ctx: Services, { table, id }: ContentTable, row: Row, to: Where): Promise<boolean> {
  const which = and(eq(id, row.id), eq(table.organization_id, row.organization_id));
  const [placed] = await ctx.db.select({ bytes: table.bytes, blob: table.blob }).from(table).where(which);
  if (!placed || (placed.blob === null) !== (to === "objects")) return false;
  const content = await loadContent(ctx, row.organization_id, placed, { message: row.id });
  const [place] = await storeContents(ctx, row.organization_id, [content], to);
  const isThere = placed.blob === null ? isNotNull(table.bytes) : eq(table.blob, placed.blob);
  return place !== undefined && (await writePlace(ctx, table, and(which, isThere), place)) > 0;
}

async function writePlace({ db }: Services, table: ContentTable["table"], which: SQL | undefined, place: Place) {
  const { sha256, ...own } = place;
  const { count } =
    table === attachments
      ? await db
          .update(attachments)
          .set({ ...own, sha256 })
          .where(which)
      : await db.update(rawMessages).set(own).where(which);
  return count;
}

async function moveSome(ctx: Services, kind: ContentTable, { due, to }: { due: Row[]; to: Where }, moved: Moved) {
  for (let start = 0; start < due.length; start += ROWS_AT_ONCE) {
    const some = due.slice(start, start + ROWS_AT_ONCE).map(async (row) => {
      try {
        if (await moveRow(ctx, kind, row, to)) moved.moved += 1;
      } catch (error) {
        // One lost object does not keep the others where they are.
        if (!(error instanceof ServiceError) || error.code !== "content_unreadable") throw error;
        moved.unreadable += 1;
      }
    });
    await Promise.all(some);
  }
}

/**
 * Moves all content, in batches, while the service runs. It can be stopped and called again: each row says where its content
 * is. `unreadable`: contents that stay where they are, because they are lost or damaged.
 * @param report gets one line for each batch that moved something
 * @throws ServiceError `unavailable`; `invalid_request` without settings for S3
 */
export async function moveBlobs(ctx: Ctx<System>, to: Where, report: (line: string) => void): Promise<Moved> {
  if (!ctx.blobs.objects) throw new ServiceError("invalid_request", "S3_ENDPOINT is not set.");
  const moved: Moved = { moved: 0, unreadable: 0 };
  for (const kind of CONTENT_TABLES) {
    for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
      const { due, last } = await nextRows(ctx, kind, { to, after });
      await moveSome(ctx, kind, { due, to }, moved);
      if (due.length > 0) report(`${kind.name}: ${moved.moved} contents moved in all`);
      after = last;
    }
  }
  return moved;
}
