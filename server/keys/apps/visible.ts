// Which connections a member may see and end.
import { eq, type SQL } from "drizzle-orm";
import { appConnections } from "#db/schema/oauth.ts";
import type { Member } from "../../base/context.ts";

/** Members see their own; admins and owners see all. */
export function isVisible({ role, userId }: Member): SQL | undefined {
  return role === "member" ? eq(appConnections.user_id, userId) : undefined;
}
