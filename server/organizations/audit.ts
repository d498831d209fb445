// The audit log: what members changed. A change by a procedure is recorded before it is made; changes of a person's own
// account, afterwards.
import { and, desc, eq, gte, like, lt, notInArray, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { auditEntries, members, users } from "#db/schema/team.ts";
import type { Ctx, Member, Services } from "../base/context.ts";
import { encodeCursor, readCursor, toPage } from "../base/cursor.ts";
import { FIRST_ID, highestId, lowestId, readTime } from "../base/id-range.ts";
import { decodeId, encodeId, newId } from "../base/ids.ts";
import { daysAgo, deleteOld } from "../base/retention.ts";

const SUBJECT_CHARS = 200;
/** A page of a filtered list comes from at most so many entries; `next_cursor` continues after them. */
const SCANNED_MAX = 5_000;
/** Inputs that name the object of a change; the first present one is stored. No other input is. */
const NAMING = [
  "id",
  "addr",
  "email",
  "username",
  "agent_handle",
  "name",
  "client_id",
  "organization",
  "domain",
  "address",
  "entry",
  "inbox",
];

type Act = { action: string; input: unknown; requestId: string };

function subjectOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const named = NAMING.map((name) => Reflect.get(input, name)).find((value) => typeof value === "string");
  const ids: unknown = Reflect.get(input, "ids");
  const several = Array.isArray(ids) ? ids.slice(0, SUBJECT_CHARS).join(", ") : undefined;
  return (
    (named ?? several ?? originOf(Reflect.get(input, "url")))
      ?.replace(/\p{Cc}+/gu, " ")
      .slice(0, SUBJECT_CHARS)
      .toWellFormed() ?? null
  );
}

/** Only the origin of a URL, whose path may contain a token. */
function originOf(url: unknown): string | undefined {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** Records that `member` starts a change; the returned function records its result: `done`, or an error code. */
export async function beginAct(services: Services, member: Member, { action, input, requestId }: Act) {
  const { db, now } = services;
  const id = newId();
  await db.insert(auditEntries).values({
    id,
    organization_id: member.organizationId,
    user_id: member.userId,
    actor: actorOf(member),
    action,
    subject: subjectOf(input),
    outcome: "begun",
    request_id: requestId,
    created_at: now(),
  });
  return async (outcome: string): Promise<void> => {
    await db.update(auditEntries).set({ outcome }).where(eq(auditEntries.id, id));
  };
}

function actorOf({ name, email }: { name: string; email: string }): string {
  return `${name} <${email}>`;
}

type Own = { action: string; outcome: string };

/** Records an act on a person's own account in the log of every organization they belong to. */
async function writeOwn({ db, now }: Pick<Services, "db" | "now">, person: SQL, { action, outcome }: Own) {
  const rows = await db
    .select({ organizationId: members.organizationId, userId: users.id, name: users.name, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(person);
  const at = now();
  const entries = rows.map((row) => ({
    id: newId(),
    organization_id: row.organizationId,
    user_id: row.userId,
    actor: actorOf(row),
    action,
    outcome,
    created_at: at,
  }));
  if (entries.length > 0) await db.insert(auditEntries).values(entries);
}

export function writeOwnAct(services: Pick<Services, "db" | "now">, userId: string, action: string): Promise<void> {
  return writeOwn(services, eq(users.id, userId), { action, outcome: "done" });
}

/** Records a sign-in with a wrong password. The limits of attempts bound how many there are. */
export function writeWrongPassword(services: Pick<Services, "db" | "now">, email: string): Promise<void> {
  return writeOwn(services, eq(users.email, email.toLowerCase()), {
    action: "session.sign_in",
    outcome: "wrong_password",
  });
}

/** Records a change that the service made without a member, in the transaction of the change. */
export async function writeServiceAct(
  tx: Transaction,
  { settings, now }: Pick<Services, "settings" | "now">,
  { organizationId, ...act }: { organizationId: string; action: string; subject: string },
): Promise<void> {
  const entry = { id: newId(), organization_id: organizationId, actor: settings.SERVICE_NAME, ...act };
  await tx.insert(auditEntries).values({ ...entry, outcome: "done", created_at: now() });
}

type AuditFilters = {
  /** `usr_…` */
  member?: string | undefined;
  /** The noun of the actions: `webhooks`. */
  noun?: string | undefined;
  outcome?: "done" | "refused" | "begun" | undefined;
  after?: string | undefined;
  before?: string | undefined;
};
type AuditInput = AuditFilters & { limit: number; cursor?: string | undefined };

const { id, user_id, action, outcome, created_at } = auditEntries;
const shown = { id, actor: auditEntries.actor, action, subject: auditEntries.subject, outcome, created_at };

function matching({ member, noun, outcome: wanted }: AuditFilters): SQL | undefined {
  const refused = notInArray(outcome, ["done", "begun"]);
  return and(
    member === undefined ? undefined : sql`${user_id} = ${decodeId("usr", member) ?? FIRST_ID}`,
    noun === undefined ? undefined : like(action, `${noun}.%`),
    wanted === undefined ? undefined : wanted === "refused" ? refused : eq(outcome, wanted),
  );
}

/** In the order of the index, so that the entries of a period are read from it. */
function inPeriod({ after, before }: AuditFilters): SQL | undefined {
  const [since, until] = [after, before].map((time) => (time === undefined ? undefined : readTime(time)));
  return and(
    since && gte(id, lowestId(since)),
    since && gte(created_at, since),
    until && lt(id, highestId(until)),
    until && lt(created_at, until),
  );
}

/**
 * The organization's log, newest first. A filtered page may be short or empty before the end.
 * @throws ServiceError `invalid_cursor`
 */
export async function listAudit(ctx: Ctx<Member>, { limit, cursor, ...filters }: AuditInput) {
  const { actor, db } = ctx;
  const list = `audit:${actor.organizationId}`;
  const start = cursor === undefined ? undefined : lt(id, readCursor(ctx, list, cursor));
  const all = and(eq(auditEntries.organization_id, actor.organizationId), inPeriod(filters), start);
  const scanned = db
    .select({ ...shown, user_id })
    .from(auditEntries)
    .where(all)
    .orderBy(desc(id))
    .limit(SCANNED_MAX);
  const rows = await db
    .select(shown)
    .from(scanned.as("audit_entries"))
    .where(matching(filters))
    .orderBy(desc(id))
    .limit(limit + 1);
  const page = toPage(ctx, list, rows, limit);
  const [last] =
    page.next_cursor === null && matching(filters)
      ? await db
          .select({ id })
          .from(auditEntries)
          .where(all)
          .orderBy(desc(id))
          .offset(SCANNED_MAX - 1)
          .limit(1)
      : [];
  return {
    data: page.rows.map((row) => ({
      ...row,
      id: encodeId("aud", row.id),
      created_at: row.created_at.toISOString(),
    })),
    next_cursor: last ? encodeCursor(ctx, list, last.id) : page.next_cursor,
  };
}

/** Deletes lines past RETENTION_DAYS_AUDIT. */
export const pruneAudit = deleteOld({
  table: auditEntries,
  key: id,
  isOver: (ctx) => lt(id, lowestId(daysAgo(ctx, ctx.settings.RETENTION_DAYS_AUDIT))),
  oldestFirst: id,
});
