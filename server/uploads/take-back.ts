// Takes back uploads of a key: they expire, and a worker job erases them.
import { and, eq } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { uploads } from "#db/schema/outbox.ts";
import type { TakeBack } from "../activity/net.ts";

export const takeBackUploads: TakeBack = async (ctx, tx, nets, isDry) => {
  const ids = nets.map(({ id }) => id);
  const own = and(anyOf(uploads.id, ids), eq(uploads.organization_id, ctx.actor.organizationId));
  if (!isDry) await tx.update(uploads).set({ expires_at: ctx.now() }).where(own);
  return new Map();
};
