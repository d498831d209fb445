// Changes what a route of the member is about, or removes it.
import type { NoticeTopic } from "#db/notice-topics.ts";
import { noticeRoutes } from "#db/schema/team.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { findRoute, isOwnRoute, type Route } from "./find.ts";

/** @throws ServiceError `notice_route_not_found` */
export async function changeTopics(ctx: Ctx<Member>, wireId: string, topics: NoticeTopic[]): Promise<Route> {
  const route = await findRoute(ctx, wireId);
  const changed = [...new Set(topics)];
  await ctx.db.update(noticeRoutes).set({ topics: changed }).where(isOwnRoute(ctx, route.id));
  return { ...route, topics: changed };
}

/**
 * Notices that are not sent yet are not sent there any more.
 * @throws ServiceError `notice_route_not_found`
 */
export async function removeRoute(ctx: Ctx<Member>, wireId: string): Promise<void> {
  const { id } = await findRoute(ctx, wireId);
  await ctx.db.delete(noticeRoutes).where(isOwnRoute(ctx, id));
}
