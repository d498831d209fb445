// The audit log: what members changed. A change by a procedure is recorded before it is made; changes of a person's own
// account, afterwards.
import { and, eq, lt, type SQL, sql } from "drizzle-orm";
import type { SettingChange } from "#db/activity-parts.ts";
import type { Database, Transaction } from "#db/client.ts";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import { auditEntries, members, users } from "#db/schema/team.ts";
import type { Ctx, Member, Services } from "../base/context.ts";
import { lowestId } from "../base/id-range.ts";
import { encodeId, newId } from "../base/ids.ts";
import { daysAgo, deleteOld } from "../base/retention.ts";
import { findThings, isMail, kindOf } from "./things.ts";

const SUBJECT_CHARS = 200;
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

/**
 * Records that `member` starts a change. `note` adds settings that it changes, in the transaction of the change; `end` records its result:
 * `done`, with what the call answered, or an error code.
 */
export async function beginAct(services: Services, member: Member, { action, input, requestId }: Act) {
  const { db, now } = services;
  const id = newId();
  const subject = subjectOf(input);
  const thing = await thingOf(
    services,
    member,
    subject === null ? null : await idOf(services, member, action, subject),
  );
  await db.insert(auditEntries).values({
    id,
    organization_id: member.organizationId,
    user_id: member.userId,
    actor: actorOf(member),
    action,
    subject,
    ...thing,
    outcome: "begun",
    request_id: requestId,
    created_at: now(),
  });
  const isThis = eq(auditEntries.id, id);
  return {
    async note(tx: Database, changes: SettingChange[]): Promise<void> {
      if (changes.length === 0) return;
      const all = sql`coalesce(${auditEntries.changes}, '[]') || ${JSON.stringify(changes)}::text::jsonb`;
      await tx.update(auditEntries).set({ changes: all }).where(isThis);
    },
    /** The change is committed, so a line that cannot be written does not fail the call: it stays `begun`. */
    async end(outcome: string, made?: unknown): Promise<void> {
      try {
        const answered = typeof made === "object" && made !== null ? Reflect.get(made, "id") : undefined;
        const isNew = thing.object_id === null && typeof answered === "string";
        const object = isNew ? await thingOf(services, member, answered) : {};
        await db
          .update(auditEntries)
          .set({ ...object, outcome })
          .where(isThis);
      } catch (error) {
        services.log.error({ error }, "could not write the result of a change to the audit log");
      }
    },
  };
}

/** The id of what the input names by its address or domain. */
async function idOf({ db }: Pick<Services, "db">, { organizationId }: Member, action: string, subject: string) {
  const [noun = ""] = action.split(".");
  if (noun === "inboxes" || noun === "reviews" || action === "messages.setSpamPolicy") {
    const own = and(eq(inboxes.organization_id, organizationId), eq(inboxes.status, "live"));
    const [inbox] = await db
      .select({ id: inboxes.id })
      .from(inboxes)
      .where(and(eq(inboxes.address, subject), own));
    if (inbox) return encodeId("inb", inbox.id);
  }
  if (noun === "domains") {
    const own = and(eq(domains.domain, subject), eq(domains.organization_id, organizationId));
    const [domain] = await db.select({ id: domains.id }).from(domains).where(own);
    if (domain) return encodeId("dom", domain.id);
  }
  return subject;
}

/** What an id of the API names, with its name now, which stays when the thing is deleted. Mail has no name here. */
async function thingOf(
  services: Pick<Services, "db">,
  { organizationId }: Pick<Member, "organizationId">,
  wireId: string | null,
) {
  if (wireId === null || kindOf(wireId) === undefined) return { object_id: null, object_name: null };
  const things = isMail(wireId) ? undefined : await findThings(services, organizationId, [wireId]);
  return { object_id: wireId, object_name: things?.get(wireId)?.name ?? null };
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

/** Records that a member changed an account, in another organization of that account, in the transaction of the change. */
export async function writeActElsewhere(
  tx: Transaction,
  { actor, now }: Ctx<Member>,
  { organizationId, action, subject }: { organizationId: string; action: string; subject: string },
): Promise<void> {
  await tx.insert(auditEntries).values({
    id: newId(),
    organization_id: organizationId,
    user_id: actor.userId,
    actor: actorOf(actor),
    action,
    subject,
    ...(await thingOf({ db: tx }, { organizationId }, subject)),
    outcome: "done",
    created_at: now(),
  });
}

/** The action of an agent that redeems an enrollment key. */
export const ENROLLED = "keys.enroll";

type Enrolled = {
  organizationId: string;
  /** API ids. */
  enrollmentKey: { id: string; name: string };
  agentKey: string;
  agent: string;
  requestId: string;
  /** The address of the client. */
  remote: string;
};

/** Records that an agent redeemed an enrollment key, in the transaction that issues its key. */
export async function writeEnrolled(tx: Transaction, { now }: Pick<Services, "now">, act: Enrolled): Promise<void> {
  await tx.insert(auditEntries).values({
    id: newId(),
    organization_id: act.organizationId,
    actor: act.agent,
    action: ENROLLED,
    subject: act.agentKey,
    object_id: act.enrollmentKey.id,
    object_name: act.enrollmentKey.name,
    changes: [
      { name: "agent_key", from: null, to: act.agentKey },
      { name: "remote_address", from: null, to: act.remote },
    ],
    outcome: "done",
    request_id: act.requestId,
    created_at: now(),
  });
}

/** Records a wrong code after a right password, or where a code turns the second factor off. */
export function writeWrongCode(services: Pick<Services, "db" | "now">, userId: string): Promise<void> {
  return writeOwn(services, eq(users.id, userId), { action: "session.second_factor", outcome: "wrong_code" });
}

/** Deletes lines past RETENTION_DAYS_AUDIT. */
export const pruneAudit = deleteOld({
  table: auditEntries,
  key: auditEntries.id,
  isOver: (ctx) => lt(auditEntries.id, lowestId(daysAgo(ctx, ctx.settings.RETENTION_DAYS_AUDIT))),
  oldestFirst: auditEntries.id,
});
