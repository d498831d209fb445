// Adds a route: notices to the mail address of the member's account, or to the incoming webhook of a chat.
import { and, eq, isNull } from "drizzle-orm";
import type { NoticeTopic } from "#db/notice-topics.ts";
import { members, noticeRoutes } from "#db/schema/team.ts";
import type { Ctx, Member } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { checkWebhookUrl } from "../../webhooks/targets/target.ts";
import { ROUTES_MAX, type Route } from "./find.ts";

type Wish = { topics: NoticeTopic[]; chat_url?: string | undefined };

/**
 * A chat needs the role that a webhook needs: the service sends requests to its URL.
 * @throws ServiceError `insufficient_role`, `invalid_webhook_url`, `too_many_notice_routes`
 */
export async function addRoute(ctx: Ctx<Member>, { topics, chat_url: url }: Wish): Promise<Route> {
  const { organizationId, userId, role } = ctx.actor;
  if (url !== undefined && role === "member") {
    throw new ServiceError("insufficient_role", "Only admins and owners add chats. You can get notices by mail.");
  }
  if (url !== undefined) checkWebhookUrl(url, ctx);
  const id = newId();
  const chatUrl = url === undefined ? null : ctx.secrets.seal(url, id);
  const isOwn = and(eq(noticeRoutes.organizationId, organizationId), eq(noticeRoutes.userId, userId));
  return ctx.db.transaction(async (tx) => {
    // The lock makes the limits exact. A lower role deletes the chats of the member.
    const [member] = await tx
      .select({ role: members.role })
      .from(members)
      .where(and(eq(members.organizationId, organizationId), eq(members.userId, userId)))
      .for("update");
    if (member?.role !== role)
      throw new ServiceError("insufficient_role", "Your role has just changed. Reload the page.");
    if ((await tx.$count(noticeRoutes, isOwn)) >= ROUTES_MAX) {
      throw new ServiceError("too_many_notice_routes", `You get notices in ${ROUTES_MAX} places, which is the limit.`);
    }
    if (chatUrl === null && (await tx.$count(noticeRoutes, and(isOwn, isNull(noticeRoutes.chatUrl)))) > 0) {
      throw new ServiceError("too_many_notice_routes", "You get notices by mail already.");
    }
    const row = { id, organizationId, userId, topics: [...new Set(topics)], chatUrl, createdAt: ctx.now() };
    const [route] = await tx.insert(noticeRoutes).values(row).returning();
    if (!route) throw new Error("the route was not written");
    return route;
  });
}
