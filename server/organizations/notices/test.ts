// Sends a test notice by a route of the member: to a chat now, by mail through the queue of notices.
import { setTimeout } from "node:timers/promises";
import type { Ctx, Member } from "../../base/context.ts";
import { foreignLine } from "../../system-mail/foreign.ts";
import { writeTest } from "../../system-mail/write.ts";
import { CHAT_TIMEOUT_MS } from "../../webhooks/chat/post.ts";
import { findRoute, type Route } from "./find.ts";

const NOT_ACCEPTED = "The chat did not accept the notice. Check the URL, and that the chat allows it.";

export type TestOutcome = { state: "sent" | "queued" | "failed"; error: string | null };

/** @throws ServiceError `notice_route_not_found`, `rate_limited` */
export async function testRoute(ctx: Ctx<Member>, wireId: string): Promise<TestOutcome> {
  const { organizationId, email, name } = ctx.actor;
  const route = await findRoute(ctx, wireId);
  const text = `${foreignLine(name)} gets notices here. This is a test.`;
  const to = { to_address: email, route_id: route.id, channel: route.chatUrl ? ("chat" as const) : ("mail" as const) };
  await ctx.db.transaction((tx) => writeTest(tx, ctx, { organization_id: organizationId, ...to, text }));
  if (route.chatUrl) return testChat(ctx, { ...route, chatUrl: route.chatUrl }, text);
  ctx.signals.raise("outbound");
  return { state: "queued", error: null };
}

/**
 * Says only whether the chat accepted the notice. The URL is the member's choice: a status, an error or the time of a failure
 * would describe hosts and ports of other networks, so each failure is the same, after the same time.
 */
async function testChat(ctx: Ctx<Member>, route: Route & { chatUrl: Buffer }, text: string): Promise<TestOutcome> {
  const subject = `Test notice from ${ctx.settings.SERVICE_NAME}`;
  const place = { url: ctx.secrets.open(route.chatUrl, route.id), organizationId: ctx.actor.organizationId };
  const failed = setTimeout(CHAT_TIMEOUT_MS);
  const { outcome } = await ctx.chat.post(place, { subject, text });
  if (outcome === "sent") return { state: "sent", error: null };
  await failed;
  return { state: "failed", error: NOT_ACCEPTED };
}
