// Reads stored content, wherever its row says that it is.
import { eq } from "drizzle-orm";
import { rawMessages } from "#db/schema/content.ts";
import type { Services } from "../base/context.ts";
import type { Placed } from "../base/ports/blobs.ts";
import { asServiceError, factsOf } from "./failure.ts";

type Needs = Pick<Services, "blobs" | "log">;

/** @throws ServiceError `unavailable`, `content_unreadable` */
export async function loadContent(
  { blobs, log }: Needs,
  organizationId: string,
  placed: Placed,
  about: { message?: string; attachment?: string },
): Promise<Buffer> {
  if (placed.bytes) return placed.bytes;
  try {
    return await blobs.load(organizationId, placed);
  } catch (error) {
    const facts = { organization: organizationId, blob: placed.blob, ...about, ...factsOf(error) };
    log.error(facts, "could not read stored content");
    throw asServiceError(error);
  }
}

const { organization_id, bytes, blob } = rawMessages;

/**
 * The bytes of an inbound mail; undefined if it does not exist.
 * @throws ServiceError `unavailable`, `content_unreadable`
 */
export async function loadRaw(ctx: Needs & Pick<Services, "db">, id: string): Promise<Buffer | undefined> {
  const { db } = ctx;
  const [row] = await db
    .select({ organization_id, bytes, blob })
    .from(rawMessages)
    .where(eq(rawMessages.message_id, id));
  return row && loadContent(ctx, row.organization_id, row, { message: id });
}
