// Sends a test notice by a route of the member: to a chat now, by mail through the queue of notices.
import { and, eq, gt } from "drizzle-orm";
import { notices } from "#db/schema/events.ts";
import type { Ctx, Member } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { writeNotices } from "../system-mail/write.ts";
import { findRoute } from "./find.ts";

/** Notices to an address within the window, after which it gets no test. */
const NOTICES_MAX = 20;
const WINDOW_MS = 3_600_000;

export type TestOutcome = { state: "sent" | "queued" | "failed"; error: string | null };

/** @throws ServiceError `notice_route_not_found`, `rate_limited` */
export async function testRoute(ctx: Ctx<Member>, wireId: string): Promise<TestOutcome> {
  const { organizationId, email, name } = ctx.actor;
  const { id, chatUrl } = await findRoute(ctx, wireId);
  const subject = `Test notice from ${ctx.settings.SERVICE_NAME}`;
  const notice = { subject, text: `${name} gets notices here. This is a test.` };
  if (chatUrl) {
    const posted = await ctx.chat.post({ url: ctx.secrets.open(chatUrl, id), organizationId }, notice);
    return posted.outcome === "sent" ? { state: "sent", error: null } : { state: "failed", error: posted.error };
  }
  const written = [{ organization_id: organizationId, to_address: email, route_id: id, ...notice }];
  await checkRate(ctx);
  await ctx.db.transaction((tx) => writeNotices(tx, written, ctx.now()));
  ctx.signals.raise("outbound");
  return { state: "queued", error: null };
}

/** The address of an account may be another person's, who must not be flooded. */
async function checkRate({ db, actor, now }: Ctx<Member>): Promise<void> {
  const isRecent = and(
    eq(notices.organization_id, actor.organizationId),
    eq(notices.to_address, actor.email),
    gt(notices.created_at, new Date(now().getTime() - WINDOW_MS)),
  );
  if ((await db.$count(notices, isRecent)) < NOTICES_MAX) return;
  throw new ServiceError(
    "rate_limited",
    `Your address got ${NOTICES_MAX} notices in the last hour, which is the limit for tests.`,
    {
      headers: { "Retry-After": String(WINDOW_MS / 1_000) },
    },
  );
}
