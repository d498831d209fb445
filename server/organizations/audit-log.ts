// Reads the audit log: what members did and what agents changed, in one list, newest first.
import { and, desc, eq, gte, lt, sql } from "drizzle-orm";
import { type PgColumn, unionAll } from "drizzle-orm/pg-core";
import type { Change, SettingChange } from "#db/activity-parts.ts";
import { anyOf } from "#db/conditions.ts";
import { activity } from "#db/schema/activity.ts";
import { agentKeys, agents } from "#db/schema/enrollment.ts";
import { auditEntries } from "#db/schema/team.ts";
import { settingsIn, thingId } from "../activity/shown.ts";
import type { Ctx, Member } from "../base/context.ts";
import { encodeCursor, readCursor } from "../base/cursor.ts";
import { highestId, lowestId, readTime } from "../base/id-range.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { ENROLLED } from "./audit.ts";
import { findThings, kindOf, type Thing } from "./things.ts";

/** A page of a filtered list comes from at most so many entries; `next_cursor` continues after them. */
const SCANNED_MAX = 5_000;
const SCANNED_AT_ONCE = 500;
/** Of one call of an agent. */
const CHANGES_READ = 20;

type AuditFilters = {
  /** Only what members did, or what agents did. */
  who?: "members" | "agents" | undefined;
  /** `usr_…` */
  member?: string | undefined;
  /** The noun of the actions: `webhooks`. */
  noun?: string | undefined;
  outcome?: "done" | "refused" | "begun" | undefined;
  /** A part of what an entry shows: the name of its thing, the person or agent, the action. */
  q?: string | undefined;
  after?: string | undefined;
  before?: string | undefined;
};
type AuditInput = AuditFilters & { limit: number; cursor?: string | undefined };

/**
 * The organization's log. Changes by agents are kept as long as the activity of their keys. A filtered page may be short or empty before
 * the end.
 * @throws ServiceError `invalid_cursor`
 */
export async function listAudit(ctx: Ctx<Member>, { limit, cursor, ...filters }: AuditInput) {
  const { q, after, before, ...others } = filters;
  const isFiltered = [q, ...Object.values(others)].some((value) => value !== undefined);
  const list = `audit:${ctx.actor.organizationId}`;
  const size = isFiltered ? SCANNED_AT_ONCE : limit + 1;
  const found: (View & { key: string })[] = [];
  let last = cursor === undefined ? undefined : readCursor(ctx, list, cursor);
  for (let scanned = 0; scanned < SCANNED_MAX; scanned += size) {
    const rows = await scan(ctx, { after, before }, last, size);
    const views = await viewsOf(
      ctx,
      rows.filter((row) => matches(row, others)),
    );
    found.push(...views.filter((view) => q === undefined || shows(view, q)));
    last = rows.at(-1)?.id;
    const more = found.length > limit;
    if (more || rows.length < size) {
      const data = found.slice(0, limit);
      return {
        data: data.map(({ key: _, ...view }) => view),
        next_cursor: more ? encodeCursor(ctx, list, data.at(-1)?.key ?? "") : null,
      };
    }
  }
  return {
    data: found.map(({ key: _, ...view }) => view),
    next_cursor: last === undefined ? null : encodeCursor(ctx, list, last),
  };
}

type Row = Awaited<ReturnType<typeof scan>>[number];

/** Entries of both logs, newest first. Ids of both are of their times. */
function scan(
  { db, actor }: Ctx<Member>,
  period: Pick<AuditFilters, "after" | "before">,
  last: string | undefined,
  size: number,
) {
  const [since, until] = [period.after, period.before].map((time) => (time === undefined ? undefined : readTime(time)));
  const within = (id: PgColumn, at: PgColumn) =>
    and(
      since && gte(id, lowestId(since)),
      since && gte(at, since),
      until && lt(id, highestId(until)),
      until && lt(at, until),
      last === undefined ? undefined : lt(id, last),
    );
  const none = sql<string | null>`null::text`;
  const nobody = sql<string | null>`null::uuid`;
  const { id, user_id, action, subject, object_id, object_name, outcome, created_at } = auditEntries;
  const ofMembers = db
    .select({
      id,
      user_id,
      agent_id: nobody.as("agent_id"),
      key_id: nobody.as("key_id"),
      actor: auditEntries.actor,
      action,
      subject,
      object_id,
      object_name,
      outcome,
      created_at,
    })
    .from(auditEntries)
    .where(and(eq(auditEntries.organization_id, actor.organizationId), within(id, created_at)))
    .orderBy(desc(id))
    .limit(size);
  const ofAgents = db
    .select({
      id: activity.id,
      user_id: nobody.as("user_id"),
      agent_id: sql<string | null>`${activity.agent_id}`.as("agent_id"),
      key_id: sql<string | null>`${activity.key_id}`.as("key_id"),
      actor: sql<string>`''`.as("actor"),
      action: activity.verb,
      subject: none.as("subject"),
      object_id: none.as("object_id"),
      object_name: none.as("object_name"),
      outcome: sql<string>`'done'`.as("outcome"),
      created_at: activity.created_at,
    })
    .from(activity)
    .where(and(eq(activity.organization_id, actor.organizationId), within(activity.id, activity.created_at)))
    .orderBy(desc(activity.id))
    .limit(size);
  return unionAll(ofMembers, ofAgents).orderBy(sql`id desc`).limit(size);
}

function matches(row: Row, { who, member, noun, outcome }: Omit<AuditFilters, "q" | "after" | "before">): boolean {
  const isRefused = row.outcome !== "done" && row.outcome !== "begun";
  return (
    (who === undefined || (who === "agents") === (row.agent_id !== null || row.action === ENROLLED)) &&
    (member === undefined || (row.user_id !== null && encodeId("usr", row.user_id) === member)) &&
    (noun === undefined || row.action.startsWith(`${noun}.`)) &&
    (outcome === undefined || (outcome === "refused" ? isRefused : row.outcome === outcome))
  );
}

/** Whether the text is a part of what the entry shows, in upper or lower case. */
function shows({ actor, action, subject, object, changes }: View, q: string): boolean {
  const texts = [actor, action, subject, object?.name, object?.id, ...changes.flatMap(({ from, to }) => [from, to])];
  return texts.some((text) => text?.toLowerCase().includes(q.toLowerCase()));
}

type View = Awaited<ReturnType<typeof viewsOf>>[number];

/** Rows with their changes, their agents, and the things that they are about. */
async function viewsOf(ctx: Ctx<Member>, found: Row[]) {
  if (found.length === 0) return [];
  const { db, actor } = ctx;
  const { organizationId } = actor;
  const rows = await withEnrolled(ctx, found);
  const ofAgents = rows.filter(({ agent_id }) => agent_id !== null);
  const idsOf = (of: Row[]) => of.map(({ id }) => id);
  const [settings, calls, people] = await Promise.all([
    db
      .select({ id: auditEntries.id, changes: auditEntries.changes })
      .from(auditEntries)
      .where(and(anyOf(auditEntries.id, idsOf(rows)), eq(auditEntries.organization_id, organizationId))),
    db
      .select({
        id: activity.id,
        changes: sql<Change[]>`jsonb_path_query_array(${activity.changes}, ${`$[0 to ${CHANGES_READ - 1}]`}::jsonpath)`,
        count: sql<number>`jsonb_array_length(${activity.changes})`,
      })
      .from(activity)
      .where(and(anyOf(activity.id, idsOf(ofAgents)), eq(activity.organization_id, organizationId))),
    db
      .select({ id: agents.id, handle: agents.handle, name: agents.name, key: agents.enrollment_key_id })
      .from(agents)
      .where(
        and(
          anyOf(
            agents.id,
            ofAgents.flatMap(({ agent_id }) => agent_id ?? []),
          ),
          eq(agents.organization_id, organizationId),
        ),
      ),
  ]);
  const [settingsOf, callOf, agentOf] = [settings, calls, people].map(
    (all) => new Map(all.map((row) => [row.id, row])),
  ) as [
    Map<string, (typeof settings)[number]>,
    Map<string, (typeof calls)[number]>,
    Map<string, (typeof people)[number]>,
  ];
  const wireIds = rows.flatMap((row) => wireIdOf(row, callOf.get(row.id)?.changes[0]) ?? []);
  const things = await findThings(ctx, organizationId, wireIds);
  return rows.map((row) => {
    const call = callOf.get(row.id);
    const [first] = call?.changes ?? [];
    const agent = row.agent_id === null ? undefined : agentOf.get(row.agent_id);
    const wireId = wireIdOf(row, first);
    return {
      key: row.id,
      id: encodeId(call ? "act" : "aud", row.id),
      actor: agent ? (agent.name ?? agent.handle) : row.actor,
      agent:
        agent && row.key_id !== null
          ? {
              id: encodeId("agt", agent.id),
              handle: agent.handle,
              agent_key_id: encodeId("akey", row.key_id),
              enrollment_key_id: encodeId("ekey", agent.key),
            }
          : null,
      action: row.action,
      subject: row.subject,
      object: objectOf(row, wireId, first, wireId === null ? undefined : things.get(wireId)),
      more: Math.max((call?.count ?? 1) - 1, 0),
      changes: (call ? settingsIn(call.changes) : settingsOf.get(row.id)?.changes) ?? ([] as SettingChange[]),
      outcome: row.outcome,
      created_at: row.created_at.toISOString(),
    };
  });
}

/** An enrollment is an entry of the audit log that has the key that it issued as its subject: with the agent of that key. */
async function withEnrolled({ db, actor }: Ctx<Member>, rows: Row[]): Promise<Row[]> {
  const keyOf = ({ action, subject }: Row) => (action === ENROLLED ? decodeId("akey", subject ?? "") : undefined);
  const ids = rows.flatMap((row) => keyOf(row) ?? []);
  if (ids.length === 0) return rows;
  const keys = await db
    .select({ id: agentKeys.id, agent_id: agentKeys.agent_id })
    .from(agentKeys)
    .where(and(anyOf(agentKeys.id, ids), eq(agentKeys.organization_id, actor.organizationId)));
  const agentOf = new Map(keys.map(({ id, agent_id }) => [id, agent_id]));
  return rows.map((row) => {
    const key_id = keyOf(row);
    const agent_id = key_id && agentOf.get(key_id);
    return key_id && agent_id ? { ...row, key_id, agent_id } : row;
  });
}

/** Entries before version 0.2 have the id in `subject` alone. */
function wireIdOf({ object_id, subject }: Row, change: Change | undefined): string | null {
  if (change) return thingId(change);
  return object_id ?? (subject !== null && kindOf(subject) !== undefined ? subject : null);
}

/** Its name now, or the last one that is known. `gone`: no page shows it. */
function objectOf(row: Row, wireId: string | null, change: Change | undefined, thing: Thing | undefined) {
  const { inbox = null, thread_id = null, enrollment_key_id = null, gone = wireId !== null && !thing } = thing ?? {};
  const { entry, address, url } = { ...change?.before, ...change?.after };
  const known = [entry, address, url && URL.parse(String(url))?.host].find((each) => typeof each === "string");
  const name = thing?.name ?? row.object_name ?? change?.name ?? known ?? (wireId === null ? row.subject : null);
  if (wireId === null && name === null) return null;
  return { id: wireId, kind: change?.kind ?? null, name, inbox, thread_id, enrollment_key_id, gone };
}
