// Worker jobs: send the service's own mail, and notices to chats, with retries for two days.
import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import type { NoticeChannel } from "#db/notice-topics.ts";
import { notices } from "#db/schema/events.ts";
import { invitations, noticeRoutes } from "#db/schema/team.ts";
import { jittered } from "../base/backoff.ts";
import { makeDue } from "../base/catch-up.ts";
import type { Ctx, System } from "../base/context.ts";
import { keepRenewing, leaseEnd } from "../base/lease.ts";
import type { OutboundMail } from "../base/ports/outbound.ts";
import { daysAgo, deleteOld } from "../base/retention.ts";
import { isHosted } from "../grants/hosted.ts";
import { getsNotices } from "./addresses.ts";
import { admit } from "./admit.ts";
import { LINK } from "./foreign.ts";
import { HOSTED, subjectOf } from "./write.ts";

const SENDER = "no-reply";
const ROWS_MAX = 16;
/** The backoff doubles from the first to the longest. */
const PAUSE_FIRST_MS = 30_000;
const PAUSE_MAX_MS = 4 * 3_600_000;
const GIVEN_UP_AFTER_MS = 2 * 86_400_000;
const ERROR_MAX_CHARS = 500;
/** Emails whose texts a merged email has; it names the number of the others. */
const SHOWN_MAX = 10;
const SEPARATOR = `\n\n${"-".repeat(40)}\n\n`;

const LOCAL = "not sent: OUTBOUND=local sends no mail to other services";
const CLOSED = "not sent: the address is not confirmed for notices, or no longer listed";
const WITHDRAWN = "not sent: the invitation was withdrawn";

const { id, kind, organization_id, to_address, route_id, channel, topic, things, subject, text, link } = notices;
const { attempts, passed_at, created_at } = notices;
const columns = {
  ...{ id, kind, organization_id, to_address, route_id, channel, topic, things, subject, text, link },
  ...{ attempts, passed_at, created_at },
};
type Row = Pick<typeof notices.$inferSelect, keyof typeof columns>;
/** `refused` is final. */
type Outcome = { outcome: "sent" } | { outcome: "retry" | "refused"; error: string; retryAfterMs?: number };

/** The longest due first; `attempts` counts the lease. */
async function lease({ db, now }: Ctx<System>, by: NoticeChannel, until: Date): Promise<Row[]> {
  const due = db
    .select({ id: notices.id })
    .from(notices)
    .where(and(lte(notices.next_attempt_at, now()), eq(notices.channel, by)))
    .orderBy(notices.next_attempt_at)
    .limit(ROWS_MAX)
    .for("update", { skipLocked: true });
  return db
    .update(notices)
    .set({ attempts: sql`${notices.attempts} + 1`, next_attempt_at: until })
    .where(sql`${notices.id} = any(array${due})`)
    .returning(columns);
}

/** A retry is the same message, so that recipients can detect a second copy. */
function mailOf({ settings }: Ctx<System>, row: Row, { subject, text }: Composed): OutboundMail {
  const id = `notice-${row.id}`;
  return {
    id,
    from: { address: `${SENDER}@${settings.DEFAULT_DOMAIN}`, name: settings.SERVICE_NAME },
    to: [row.to_address],
    cc: [],
    bcc: [],
    replyTo: [],
    subject,
    text,
    html: null,
    messageId: `${id}@${settings.DEFAULT_DOMAIN}`,
    inReplyTo: null,
    references: [],
    automatic: true,
    date: row.created_at,
    attachments: [],
  };
}

type Composed = { subject: string; text: string };

/** The email with the emails that were merged into it: their texts up to a number, and how many more there are. */
async function compose({ db, settings, secrets }: Ctx<System>, row: Row): Promise<Composed> {
  const withLink = (each: Pick<Row, "id" | "text" | "link">) =>
    each.link ? each.text.replaceAll(LINK, secrets.open(each.link, each.id)) : each.text;
  const isPart = eq(notices.merged_into, row.id);
  const [merged] = await db
    .select({ emails: sql<number>`count(*)::int`, things: sql<number>`coalesce(sum(${things}), 0)::int` })
    .from(notices)
    .where(isPart);
  if (!merged || merged.emails === 0 || row.topic === null) return { subject: row.subject, text: withLink(row) };
  const shown = await db
    .select({ id, text, link })
    .from(notices)
    .where(isPart)
    .orderBy(asc(id))
    .limit(SHOWN_MAX - 1);
  const texts = [row, ...shown].map((each) => withLink(each).trim());
  const more = merged.emails - shown.length;
  if (more > 0)
    texts.push(`${more} more are not shown here. See them at ${new URL("/dashboard", settings.PUBLIC_URL).href}`);
  return { subject: subjectOf(row.topic, settings, row.things + merged.things), text: `${texts.join(SEPARATOR)}\n` };
}

/** Why an email must not be sent now, though it could be when it was written. */
async function refusal(ctx: Ctx<System>, row: Row): Promise<string | undefined> {
  const { kind, to_address: to, organization_id: organizationId } = row;
  if (kind === "confirmation") return undefined;
  if (isForListed(ctx, row) && !(await getsNotices(ctx.db, organizationId, to))) return CLOSED;
  if (kind === "notice") return undefined;
  if (kind === "invitation" && row.topic !== null && !(await isOpenInvitation(ctx, row))) return WITHDRAWN;
  if (ctx.outbound.name === "local") return LOCAL;
  return (await isHosted(ctx.db, ctx, to)) ? HOSTED : undefined;
}

/** A notice to an address of the organization. An earlier version wrote no topic, and asked no address. */
function isForListed({ settings }: Ctx<System>, { kind, topic, route_id: routeId, to_address: to }: Row): boolean {
  const isNotice = kind === "notice" || kind === "review";
  return isNotice && topic !== null && routeId === null && to !== settings.POSTMASTER_ADDRESS;
}

async function isOpenInvitation({ db }: Ctx<System>, row: Row): Promise<boolean> {
  const { organizationId, email, status } = invitations;
  const isThis = and(eq(organizationId, row.organization_id), eq(email, row.to_address), eq(status, "pending"));
  return (await db.$count(invitations, isThis)) > 0;
}

/** By the route of a member. They may have removed it, or left the team, since the notice was written. */
async function handOverTo(ctx: Ctx<System>, routeId: string, row: Row): Promise<Outcome> {
  const { organization_id: organizationId } = row;
  const [route] = await ctx.db
    .select({ chatUrl: noticeRoutes.chatUrl })
    .from(noticeRoutes)
    .where(and(eq(noticeRoutes.id, routeId), eq(noticeRoutes.organizationId, organizationId)));
  if (!route) return { outcome: "refused", error: "the member no longer gets notices there" };
  if (!route.chatUrl) return mail(ctx, row);
  return ctx.chat.post({ url: ctx.secrets.open(route.chatUrl, routeId), organizationId }, await compose(ctx, row));
}

async function mail(ctx: Ctx<System>, row: Row): Promise<Outcome> {
  const error = await refusal(ctx, row);
  return error ? { outcome: "refused", error } : ctx.outbound.send(mailOf(ctx, row, await compose(ctx, row)));
}

async function handOver(ctx: Ctx<System>, row: Row): Promise<Outcome> {
  try {
    return await (row.route_id === null ? mail(ctx, row) : handOverTo(ctx, row.route_id, row));
  } catch (error) {
    ctx.log.error({ error, notice: row.id }, "a notice could not be sent");
    return { outcome: "retry", error: `internal: ${error instanceof Error ? error.message : error}` };
  }
}

/** The next attempt; null: it has failed. */
function nextAttempt(row: Row, outcome: Outcome, now: Date): Date | null {
  if (outcome.outcome !== "retry") return null;
  const pause = Math.min(PAUSE_FIRST_MS * 2 ** (row.attempts - 1), PAUSE_MAX_MS);
  const next = now.getTime() + Math.max(jittered(pause), outcome.retryAfterMs ?? 0);
  return next - row.created_at.getTime() > GIVEN_UP_AFTER_MS ? null : new Date(next);
}

async function send(ctx: Ctx<System>, row: Row): Promise<void> {
  if (row.passed_at === null && !(await admit(ctx, row, GIVEN_UP_AFTER_MS))) return;
  const outcome = await handOver(ctx, row);
  const now = ctx.now();
  const sent = outcome.outcome === "sent";
  const next = nextAttempt(row, outcome, now);
  const error = sent
    ? null
    : outcome.error
        .replace(/\p{Cc}+/gu, " ")
        .slice(0, ERROR_MAX_CHARS)
        .toWellFormed();
  // A row that was leased again must not be settled here.
  const settled = await ctx.db
    .update(notices)
    .set({ next_attempt_at: next, sent_at: sent ? now : null, error, ...(next === null && { link: null }) })
    .where(and(eq(notices.id, row.id), eq(notices.attempts, row.attempts), isNull(notices.sent_at)));
  if (next === null && settled.count > 0) await ctx.db.delete(notices).where(eq(notices.merged_into, row.id));
  if (!sent)
    ctx.log.warn({ notice: row.id, attempts: row.attempts, given_up: next === null, error }, "notice not sent");
}

/** Releases rows that were leased and not started. */
async function putBack({ db, now }: Ctx<System>, rows: Row[]): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  await db
    .update(notices)
    .set({ attempts: sql`${notices.attempts} - 1`, next_attempt_at: now() })
    .where(and(anyOf(notices.id, ids), isNull(notices.merged_into)));
}

/** Renews the leases of one batch; a row with a result no longer has a lease. */
async function renew({ db, now }: Ctx<System>, rows: Row[], leases: Date[]): Promise<void> {
  const held = leases.map((end) => end.toISOString());
  const until = leaseEnd(now());
  leases.push(until);
  const ids = rows.map((row) => row.id);
  await db
    .update(notices)
    .set({ next_attempt_at: until })
    .where(and(anyOf(notices.id, ids), anyOf(notices.next_attempt_at, held)));
}

/**
 * Runs one batch of a channel; returns how many notices were due. Chats have batches of their own and are called
 * concurrently, because members choose their hosts: one that does not answer must not delay mail, or many other chats.
 */
export async function sendNotices(
  ctx: Ctx<System>,
  stopping: AbortSignal,
  by: NoticeChannel = "mail",
): Promise<number> {
  const leases = [leaseEnd(ctx.now())];
  const due = await lease(ctx, by, leases[0] as Date);
  const left = [...due];
  const stopRenewing = keepRenewing(() => renew(ctx, due, leases), ctx.log);
  try {
    while (left.length > 0 && !stopping.aborted) {
      await Promise.all(left.splice(0, by === "chat" ? ROWS_MAX : 1).map((row) => send(ctx, row)));
    }
  } finally {
    stopRenewing();
  }
  await putBack(ctx, left);
  return due.length;
}

/** Deletes mail past RETENTION_DAYS_NOTICES, whether sent or failed. Pending mail stays. */
export const pruneNotices = deleteOld({
  table: notices,
  key: notices.id,
  isOver(ctx) {
    const before = daysAgo(ctx, ctx.settings.RETENTION_DAYS_NOTICES);
    return and(isNull(notices.next_attempt_at), sql`coalesce(${notices.sent_at}, ${notices.created_at}) < ${before}`);
  },
});

export const advanceNotices = makeDue({
  table: notices,
  key: notices.id,
  at: notices.next_attempt_at,
  withinMs: GIVEN_UP_AFTER_MS,
});
