// The audit log: what members changed. A change by a procedure is recorded before it is made; changes of a person's own
// account, afterwards.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { auditEntries, members, users } from "#db/schema/team.ts";
import type { Ctx, Member, Services, System } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { lowestId } from "../base/id-range.ts";
import { encodeId, newId } from "../base/ids.ts";

const DAY_MS = 86_400_000;
const ROWS_PER_STEP = 1_000;
const SUBJECT_CHARS = 200;
/** Inputs that name the object of a change; the first present one is stored. No other input is. */
const NAMING = [
  "id",
  "addr",
  "email",
  "username",
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
  return (
    (named ?? originOf(Reflect.get(input, "url")))
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

/** Records a change of a person's own account in the log of every organization they belong to. */
export async function writeOwnAct({ db, now }: Pick<Services, "db" | "now">, userId: string, action: string) {
  const rows = await db
    .select({ organizationId: members.organizationId, name: users.name, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.userId, userId));
  const at = now();
  const entries = rows.map((row) => ({
    id: newId(),
    organization_id: row.organizationId,
    user_id: userId,
    actor: actorOf(row),
    action,
    outcome: "done",
    created_at: at,
  }));
  if (entries.length > 0) await db.insert(auditEntries).values(entries);
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

/** The organization's log, newest first.\n@throws ServiceError `invalid_cursor` */
export async function listAudit(ctx: Ctx<Member>, input: { limit: number; cursor?: string | undefined }) {
  const { actor, db } = ctx;
  const list = `audit:${actor.organizationId}`;
  const before = input.cursor === undefined ? undefined : lt(auditEntries.id, readCursor(ctx, list, input.cursor));
  const rows = await db
    .select({
      id: auditEntries.id,
      actor: auditEntries.actor,
      action: auditEntries.action,
      subject: auditEntries.subject,
      outcome: auditEntries.outcome,
      created_at: auditEntries.created_at,
    })
    .from(auditEntries)
    .where(and(eq(auditEntries.organization_id, actor.organizationId), before))
    .orderBy(desc(auditEntries.id))
    .limit(input.limit + 1);
  const page = toPage(ctx, list, rows, input.limit);
  return {
    data: page.rows.map((row) => ({
      ...row,
      id: encodeId("aud", row.id),
      created_at: row.created_at.toISOString(),
    })),
    next_cursor: page.next_cursor,
  };
}

/** Worker job: deletes lines past RETENTION_DAYS_AUDIT.\n@returns how many; 0 if none was old enough */
export async function pruneAudit({ db, now, settings }: Ctx<System>): Promise<number> {
  const before = new Date(now().getTime() - settings.RETENTION_DAYS_AUDIT * DAY_MS);
  const { id } = auditEntries;
  const old = db
    .select({ id })
    .from(auditEntries)
    .where(lt(id, lowestId(before)))
    .orderBy(id)
    .limit(ROWS_PER_STEP);
  const { count } = await db.delete(auditEntries).where(sql`${id} = any(array${old})`);
  return count;
}
