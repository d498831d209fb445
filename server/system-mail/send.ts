// Worker jobs: send the service's own mail, and notices to chats, with retries for two days.
import { and, eq, isNull, lte, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import type { NoticeChannel } from "#db/notice-topics.ts";
import { notices } from "#db/schema/events.ts";
import { noticeRoutes } from "#db/schema/team.ts";
import type { Ctx, System } from "../base/context.ts";
import { keepRenewing, leaseEnd } from "../base/lease.ts";
import { isHosted } from "../grants/hosted.ts";
import type { OutboundMail } from "../ports/outbound.ts";
import { HOSTED, LINK } from "./write.ts";

const SENDER = "no-reply";
const ROWS_MAX = 16;
/** The backoff doubles from the first to the longest. */
const PAUSE_FIRST_MS = 30_000;
const PAUSE_MAX_MS = 4 * 3_600_000;
const JITTER = 0.1;
export const GIVEN_UP_AFTER_MS = 2 * 86_400_000;
const ERROR_MAX_CHARS = 500;

const LOCAL = "not sent: OUTBOUND=local sends no mail to other services";

const { id, kind, organization_id, to_address, route_id, channel, subject, text, link, attempts, created_at } = notices;
const columns = { id, kind, organization_id, to_address, route_id, channel, subject, text, link, attempts, created_at };
type Row = Pick<typeof notices.$inferSelect, keyof typeof columns>;
/** `refused` is final. */
type Outcome = { outcome: "sent" } | { outcome: "retry" | "refused"; error: string; retryAfterMs?: number };

/** The longest due first; `attempts` counts the lease. */
async function claim({ db, now }: Ctx<System>, by: NoticeChannel, until: Date): Promise<Row[]> {
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
function mailOf({ settings, secrets }: Ctx<System>, row: Row): OutboundMail {
  const id = `notice-${row.id}`;
  return {
    id,
    from: { address: `${SENDER}@${settings.DEFAULT_DOMAIN}`, name: settings.SERVICE_NAME },
    to: [row.to_address],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: row.subject,
    text: row.link ? row.text.replaceAll(LINK, secrets.open(row.link, row.id)) : row.text,
    html: null,
    messageId: `${id}@${settings.DEFAULT_DOMAIN}`,
    inReplyTo: null,
    references: [],
    automatic: true,
    date: row.created_at,
    attachments: [],
  };
}

/**
 * Why an invitation or a password reset must not be sent now: a mailbox may have been created at its address since it
 * was written.
 */
async function refusal(ctx: Ctx<System>, { kind, to_address: to }: Row): Promise<string | undefined> {
  if (kind === "notice") return undefined;
  if (ctx.outbound.name === "local") return LOCAL;
  return (await isHosted(ctx.db, ctx, to)) ? HOSTED : undefined;
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
  return ctx.chat.post({ url: ctx.secrets.open(route.chatUrl, routeId), organizationId }, row);
}

async function mail(ctx: Ctx<System>, row: Row): Promise<Outcome> {
  const error = await refusal(ctx, row);
  return error ? { outcome: "refused", error } : ctx.outbound.send(mailOf(ctx, row));
}

async function handOver(ctx: Ctx<System>, row: Row): Promise<Outcome> {
  try {
    return await (row.route_id === null ? mail(ctx, row) : handOverTo(ctx, row.route_id, row));
  } catch (error) {
    ctx.log.error({ err: error, notice: row.id }, "a notice could not be sent");
    return { outcome: "retry", error: `internal: ${error instanceof Error ? error.message : error}` };
  }
}

/** The next attempt; null: it has failed. */
function nextAttempt(row: Row, outcome: Outcome, now: Date): Date | null {
  if (outcome.outcome !== "retry") return null;
  const pause = Math.min(PAUSE_FIRST_MS * 2 ** (row.attempts - 1), PAUSE_MAX_MS);
  const jittered = pause * (1 - JITTER + 2 * JITTER * Math.random());
  const next = now.getTime() + Math.max(jittered, outcome.retryAfterMs ?? 0);
  return next - row.created_at.getTime() > GIVEN_UP_AFTER_MS ? null : new Date(next);
}

async function send(ctx: Ctx<System>, row: Row): Promise<void> {
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
  await ctx.db
    .update(notices)
    .set({ next_attempt_at: next, sent_at: sent ? now : null, error, ...(next === null && { link: null }) })
    .where(and(eq(notices.id, row.id), eq(notices.attempts, row.attempts), isNull(notices.sent_at)));
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
    .where(anyOf(notices.id, ids));
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
  const due = await claim(ctx, by, leases[0] as Date);
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
