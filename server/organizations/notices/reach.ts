// Reads about which topics an organization gets notices, and whether the service sends mail at all.
import { and, eq, isNotNull } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { NOTICE_TOPICS, type NoticeTopic } from "#db/notice-topics.ts";
import { noticeRoutes } from "#db/schema/team.ts";
import type { Ctx, Member, Services } from "../../base/context.ts";
import { newId } from "../../base/ids.ts";
import { isOpen, listAddresses } from "../../system-mail/addresses.ts";

/** Without `postmaster`: strangers cause those notices. */
const DEFAULT_TOPICS: NoticeTopic[] = ["webhook_disabled", "domain", "approval", "sending"];
/** Routes of an organization that are read, as many as a notice is sent to (server/system-mail/write.ts). */
const ROUTES_MAX = 100;

export type Reach = { sends_mail: boolean; reached_topics: NoticeTopic[] };

/** With OUTBOUND=local only chats get notices. */
export async function readReach({ db, actor, settings }: Ctx<Member>): Promise<Reach> {
  const sends_mail = settings.OUTBOUND !== "local";
  const addresses = sends_mail ? await listAddresses(db, actor.organizationId) : [];
  if (addresses.some(isOpen)) return { sends_mail, reached_topics: [...NOTICE_TOPICS] };
  const isUsable = sends_mail ? undefined : isNotNull(noticeRoutes.chatUrl);
  const routes = await db
    .select({ topics: noticeRoutes.topics })
    .from(noticeRoutes)
    .where(and(eq(noticeRoutes.organizationId, actor.organizationId), isUsable))
    .orderBy(noticeRoutes.id)
    .limit(ROUTES_MAX);
  const reached = new Set(routes.flatMap(({ topics }) => topics));
  return { sends_mail, reached_topics: NOTICE_TOPICS.filter((topic) => reached.has(topic)) };
}

/** Gives a new owner notices by mail, where the service sends mail. */
export async function addDefaultRoute(
  tx: Transaction,
  { settings, now }: Pick<Services, "settings" | "now">,
  owner: { organizationId: string; userId: string },
): Promise<void> {
  if (settings.OUTBOUND === "local") return;
  const route = { id: newId(), ...owner, topics: DEFAULT_TOPICS, chatUrl: null, createdAt: now() };
  await tx.insert(noticeRoutes).values(route).onConflictDoNothing();
}
