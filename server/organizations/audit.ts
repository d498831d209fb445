// The audit log: what members changed. A change by a procedure is recorded before it is made; changes of a person's own
// account, afterwards.
import type { Ctx, Member, Services } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { encodeId, newId } from "../base/ids.ts";

const SUBJECT_CHARS = 200;
/** Inputs that name the object of a change; the first present one is stored. No other input is. */
const NAMING = ["id", "addr", "email", "username", "name", "client_id", "organization"];

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
  const { sql, now } = services;
  const id = newId();
  await sql`
    insert into audit_entries (id, organization_id, user_id, actor, action, subject, outcome, request_id, created_at)
    values (${id}, ${member.organizationId}, ${member.userId}, ${actorOf(member)}, ${action}, ${subjectOf(input)},
      'begun', ${requestId}, ${now()})`;
  return async (outcome: string): Promise<void> => {
    await sql`update audit_entries set outcome = ${outcome} where id = ${id}`;
  };
}

function actorOf({ name, email }: { name: string; email: string }): string {
  return `${name} <${email}>`;
}

/** Records a change of a person's own account in the log of every organization they belong to. */
export async function writeOwnAct({ sql, now }: Pick<Services, "sql" | "now">, userId: string, action: string) {
  const rows = await sql<{ organization_id: string; name: string; email: string }[]>`
    select m.organization_id, u.name, u.email from members m join users u on u.id = m.user_id
    where m.user_id = ${userId}`;
  const at = now();
  const entries = rows.map((row) => ({
    id: newId(),
    organization_id: row.organization_id,
    user_id: userId,
    actor: actorOf(row),
    action,
    outcome: "done",
    created_at: at,
  }));
  if (entries.length > 0) await sql`insert into audit_entries ${sql(entries)}`;
}

type EntryRow = {
  id: string;
  actor: string;
  action: string;
  subject: string | null;
  outcome: string;
  created_at: Date;
};

/** The organization's log, newest first.\n@throws ServiceError `invalid_cursor` */
export async function listAudit(ctx: Ctx<Member>, input: { limit: number; cursor?: string | undefined }) {
  const { actor, sql } = ctx;
  const list = `audit:${actor.organizationId}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await sql<EntryRow[]>`
    select id, actor, action, subject, outcome, created_at from audit_entries
    where organization_id = ${actor.organizationId} ${before ? sql`and id < ${before}` : sql``}
    order by id desc limit ${input.limit + 1}`;
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
