// Finds the routes of notices: where members get them, and about what.
import { and, asc, eq } from "drizzle-orm";
import { noticeRoutes } from "#db/schema/team.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";

/** Routes of one member in one organization. */
export const ROUTES_MAX = 5;

export type Route = typeof noticeRoutes.$inferSelect;

/** The routes of the calling member, oldest first. */
export async function listRoutes({ db, actor }: Ctx<Member>): Promise<Route[]> {
  const { organizationId, userId } = noticeRoutes;
  return db
    .select()
    .from(noticeRoutes)
    .where(and(eq(organizationId, actor.organizationId), eq(userId, actor.userId)))
    .orderBy(asc(noticeRoutes.id))
    .limit(ROUTES_MAX);
}

/** The condition that a route is this one, and the caller's. */
export function isOwnRoute({ actor }: Ctx<Member>, id: string) {
  return and(
    eq(noticeRoutes.id, id),
    eq(noticeRoutes.organizationId, actor.organizationId),
    eq(noticeRoutes.userId, actor.userId),
  );
}

/** @throws ServiceError `notice_route_not_found`, also for the route of another member */
export async function findRoute(ctx: Ctx<Member>, wireId: string): Promise<Route> {
  const id = decodeId("ntr", wireId);
  const [route] = id ? await ctx.db.select().from(noticeRoutes).where(isOwnRoute(ctx, id)) : [];
  if (!route) throw new ServiceError("notice_route_not_found", "You have no such route of notices.");
  return route;
}
