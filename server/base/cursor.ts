// Page cursors: opaque, authenticated, and valid only for the list, organization and filter they were created for.
import type { Services } from "./context.ts";
import { ServiceError } from "./errors.ts";

const UUID_BYTES = 16;
const CURSOR = /^[A-Za-z0-9_-]{43}$/;

/** Builds a keyset page from up to `limit` + 1 rows: at most `limit` rows, and the next cursor or null. */
export function toPage<Row extends { id: string }>(
  ctx: Pick<Services, "secrets">,
  list: string,
  rows: Row[],
  limit: number,
): { rows: Row[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next_cursor: rows.length > limit && last ? encodeCursor(ctx, list, last.id) : null };
}

/** The cursor of the page after the row `id`. */
export function encodeCursor(ctx: Pick<Services, "secrets">, list: string, id: string): string {
  const bytes = Buffer.from(id.replaceAll("-", ""), "hex");
  return Buffer.concat([bytes, ctx.secrets.mac(`${list}:${id}`)]).toString("base64url");
}

/**
 * Returns the id after which a page starts.
 * @param list what the cursor is bound to: list name, organization, filter
 * @throws ServiceError `invalid_cursor` if it is malformed, forged, or from another list
 */
export function readCursor(ctx: Pick<Services, "secrets">, list: string, cursor: string): string {
  const bytes = Buffer.from(cursor, "base64url");
  const id = bytes.toString("hex", 0, UUID_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  if (!CURSOR.test(cursor) || encodeCursor(ctx, list, id) !== cursor) {
    throw new ServiceError("invalid_cursor", "This is no cursor of this list and these filters.");
  }
  return id;
}

/** A cursor that holds an event position instead of an id: the position is written as the last digits of an id. */
export function writePosition(ctx: Pick<Services, "secrets">, list: string, position: number): string {
  return encodeCursor(ctx, list, `00000000-0000-0000-0000-${position.toString(16).padStart(12, "0")}`);
}

/** @throws ServiceError `invalid_cursor` */
export function readPosition(ctx: Pick<Services, "secrets">, list: string, cursor: string): number {
  return Number.parseInt(readCursor(ctx, list, cursor).slice(-12), 16);
}
