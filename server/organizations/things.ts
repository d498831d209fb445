// Finds what ids of the API name: the name of each thing, and where the dashboard shows it. Of one organization, in one statement for each kind.
import { and, desc, eq } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { webhooks } from "#db/schema/events.ts";
import { inboxes, messages, threads, trashedMessages } from "#db/schema/mail.ts";
import { appConnections, oauthClients } from "#db/schema/oauth.ts";
import { drafts } from "#db/schema/outbox.ts";
import { members, users } from "#db/schema/team.ts";
import type { Services } from "../base/context.ts";
import { decodeId, encodeId, type IdKind } from "../base/ids.ts";

/** `inbox`, `thread_id`, `enrollment_key_id`: what its page is found by. `gone`: no page shows it. */
export type Thing = {
  name: string | null;
  inbox?: string;
  thread_id?: string;
  enrollment_key_id?: string;
  gone?: boolean;
};
type Found = Thing & { id: string };
/** The subject of a deleted thread is looked for in so many of the messages that were deleted last. */
const TRASH_SEARCHED = 1_000;

type Find = (services: Pick<Services, "db">, organizationId: string, ids: string[]) => Promise<Found[]>;

const FINDERS: Partial<Record<IdKind, Find>> = {
  ekey: ({ db }, organizationId, ids) =>
    db
      .select({ id: enrollmentKeys.id, name: enrollmentKeys.name })
      .from(enrollmentKeys)
      .where(and(anyOf(enrollmentKeys.id, ids), eq(enrollmentKeys.organization_id, organizationId))),
  akey: async ({ db }, organizationId, ids) =>
    (
      await db
        .select({ id: agentKeys.id, own: agentKeys.name, handle: agents.handle, key: agents.enrollment_key_id })
        .from(agentKeys)
        .innerJoin(agents, eq(agents.id, agentKeys.agent_id))
        .where(and(anyOf(agentKeys.id, ids), eq(agentKeys.organization_id, organizationId)))
    ).map(({ id, own, handle, key }) => ({ id, name: own ?? handle, enrollment_key_id: encodeId("ekey", key) })),
  agt: async ({ db }, organizationId, ids) =>
    (
      await db
        .select({ id: agents.id, name: agents.handle, key: agents.enrollment_key_id })
        .from(agents)
        .where(and(anyOf(agents.id, ids), eq(agents.organization_id, organizationId)))
    ).map(({ key, ...agent }) => ({ ...agent, enrollment_key_id: encodeId("ekey", key) })),
  inb: async ({ db }, organizationId, ids) =>
    (
      await db
        .select({ id: inboxes.id, name: inboxes.address, status: inboxes.status })
        .from(inboxes)
        .where(and(anyOf(inboxes.id, ids), eq(inboxes.organization_id, organizationId)))
    ).map(({ id, name, status }) => ({ id, name, inbox: name, gone: status !== "live" })),
  whk: async ({ db }, organizationId, ids) =>
    (
      await db
        .select({ id: webhooks.id, name: webhooks.name, url: webhooks.url })
        .from(webhooks)
        .where(and(anyOf(webhooks.id, ids), eq(webhooks.organization_id, organizationId)))
    ).map(({ id, name, url }) => ({ id, name: name ?? new URL(url).host })),
  dom: ({ db }, organizationId, ids) =>
    db
      .select({ id: domains.id, name: domains.domain })
      .from(domains)
      .where(and(anyOf(domains.id, ids), eq(domains.organization_id, organizationId))),
  usr: ({ db }, organizationId, ids) =>
    db
      .select({ id: users.id, name: users.name })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(anyOf(users.id, ids), eq(members.organizationId, organizationId))),
  app: ({ db }, organizationId, ids) =>
    db
      .select({ id: appConnections.id, name: oauthClients.name })
      .from(appConnections)
      .innerJoin(oauthClients, eq(oauthClients.clientId, appConnections.client_id))
      .where(and(anyOf(appConnections.id, ids), eq(appConnections.organization_id, organizationId))),
  ntr: async () => [],
  upl: async () => [],
  drf: async ({ db }, organizationId, ids) =>
    (
      await db
        .select({ id: drafts.id, fields: drafts.fields, sent: messages.subject })
        .from(drafts)
        .leftJoin(messages, and(eq(messages.id, drafts.sent_message_id), eq(messages.organization_id, organizationId)))
        .where(and(anyOf(drafts.id, ids), eq(drafts.organization_id, organizationId)))
    ).map(({ id, fields, sent }) => ({ id, name: sent ?? fields.subject ?? "" })),
  msg: async ({ db }, organizationId, ids) => {
    const kept = await db
      .select({ id: messages.id, name: messages.subject, thread: messages.thread_id, inbox: inboxes.address })
      .from(messages)
      .innerJoin(inboxes, eq(inboxes.id, messages.inbox_id))
      .where(and(anyOf(messages.id, ids), eq(messages.organization_id, organizationId)));
    const trashed = await db
      .select({ id: trashedMessages.id, name: trashedMessages.subject })
      .from(trashedMessages)
      .where(and(anyOf(trashedMessages.id, ids), eq(trashedMessages.organization_id, organizationId)));
    return [
      ...trashed.map((row) => ({ ...row, gone: true })),
      ...kept.map(({ thread, ...row }) => ({ ...row, thread_id: encodeId("thr", thread) })),
    ];
  },
  thr: async ({ db }, organizationId, ids) => {
    const kept = await db
      .select({ id: threads.id, name: threads.subject, inbox: inboxes.address })
      .from(threads)
      .innerJoin(inboxes, eq(inboxes.id, threads.inbox_id))
      .where(and(anyOf(threads.id, ids), eq(threads.organization_id, organizationId)));
    const { thread_id: id, subject, organization_id, trash_id } = trashedMessages;
    const newest = db
      .select({ id, name: subject })
      .from(trashedMessages)
      .where(eq(organization_id, organizationId))
      .orderBy(desc(trash_id))
      .limit(TRASH_SEARCHED)
      .as("newest");
    const trashed = kept.length < ids.length ? await db.select().from(newest).where(anyOf(newest.id, ids)) : [];
    return [
      ...trashed.map((row) => ({ ...row, gone: true })),
      ...kept.map((row) => ({ ...row, thread_id: encodeId("thr", row.id) })),
    ];
  },
};
const MAIL = ["msg", "thr", "drf"];

/** The kind of an id of the API that may name a thing. */
export function kindOf(text: string): IdKind | undefined {
  const kind = Object.keys(FINDERS).find((each): each is IdKind => decodeId(each as IdKind, text) !== undefined);
  return kind as IdKind | undefined;
}

/** Whether the name of the thing is content of mail. */
export function isMail(wireId: string): boolean {
  return MAIL.includes(kindOf(wireId) ?? "");
}

/** By the ids of the API. What does not exist, or belongs to another organization, is missing. */
export async function findThings(
  services: Pick<Services, "db">,
  organizationId: string,
  wireIds: string[],
): Promise<Map<string, Thing>> {
  const byKind = Map.groupBy(new Set(wireIds), kindOf);
  const found = [...byKind].map(async ([kind, of]): Promise<[string, Thing][]> => {
    if (kind === undefined) return [];
    const ids = of.flatMap((wireId) => decodeId(kind, wireId) ?? []);
    const rows = (await FINDERS[kind]?.(services, organizationId, ids)) ?? [];
    return rows.map(({ id, ...thing }) => [encodeId(kind, id), thing]);
  });
  return new Map((await Promise.all(found)).flat());
}
