// Lists current and upcoming problems with keys, webhooks, domains and outbound mail, and what to do.
import { and, desc, eq, isNotNull, not, or, sql } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { fullStorage } from "../inboxes/storage/state.ts";
import type { KeyRow } from "../keys/view.ts";
import { isFailure } from "../messages/dismiss-failures.ts";
import { BY_REQUEST } from "../webhooks/update.ts";
import { fullness } from "./quotas.ts";
import { domainProblems, type Problem, pausedProblems } from "./sending-problems.ts";

const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
const NEARLY_FULL = 0.9;
const EXPIRES_SOON_DAYS = 7;
const WEBHOOKS_MAX = 50;
const FULL_MAX = 50;
const FAILED_MAX = 200;
/** Of each kind. */
const TOLD_MAX = 10;

function keyProblem(key: KeyRow, now: Date): Problem | undefined {
  const where = { kind: "key" as const, id: encodeId("ekey", key.id) };
  const name = key.name || where.id;
  const used = `${key.used_count} of ${key.max_mailboxes} mailboxes`;
  if (key.used_count >= key.max_mailboxes) {
    const fix =
      "Raise its quota (Edit on the page of the key), issue a new key to its agents, or buy mailboxes if your organization pays for them. Deleting a mailbox does not free quota.";
    return { severity: "critical", text: `The key “${name}” is used up: ${used}.`, fix, since: null, where };
  }
  if (fullness(key) >= NEARLY_FULL) {
    const fix = "Raise its quota (Edit on the page of the key), or issue a new key to its agents.";
    return { severity: "warning", text: `The key “${name}” is nearly used up: ${used}.`, fix, since: null, where };
  }
  const days = key.expires_at ? (key.expires_at.getTime() - now.getTime()) / DAY_MS : Number.POSITIVE_INFINITY;
  if (days > EXPIRES_SOON_DAYS) return;
  const when = days < 1 ? "within a day" : `in ${Math.floor(days)} ${days < 2 ? "day" : "days"}`;
  const fix = "Issue a new key for new agents. Enrolled agents keep working.";
  return { severity: "warning", text: `The key “${name}” expires ${when}.`, fix, since: null, where };
}

const { id, url, name, active, disabled_reason, disabled_at, failing_since } = webhooks;
const webhookColumns = { id, url, name, active, disabled_reason, disabled_at, failing_since };
type WebhookRow = Pick<typeof webhooks.$inferSelect, keyof typeof webhookColumns>;

function webhookProblem({ id, url, name, active, disabled_reason, disabled_at, failing_since }: WebhookRow): Problem {
  const where = { kind: "webhook" as const, id: encodeId("whk", id) };
  const what = name === null ? `The webhook to ${url}` : `The webhook “${name}”`;
  if (!active) {
    const fix = "Fix the endpoint, enable the webhook again, then replay the missed events.";
    const since = disabled_at?.toISOString() ?? null;
    return { severity: "critical", text: `${what} was disabled: ${disabled_reason}`, fix, since, where };
  }
  const since = failing_since?.toISOString() ?? null;
  const fix = "Check what the endpoint answers and fix it. After five days of failures the webhook is disabled.";
  return { severity: "warning", text: `${what} is failing.`, fix, since, where };
}

async function webhookProblems({ db, actor }: Ctx<Member>): Promise<Problem[]> {
  // From the failure on, as the page of the webhook says it.
  const isBroken = or(isNotNull(failing_since), not(active));
  const isUnwanted = or(active, sql`${disabled_reason} is distinct from ${BY_REQUEST}`);
  const rows = await db
    .select(webhookColumns)
    .from(webhooks)
    .where(and(eq(webhooks.organization_id, actor.organizationId), isBroken, isUnwanted))
    .orderBy(active, desc(id))
    .limit(WEBHOOKS_MAX);
  return rows.map(webhookProblem);
}

/** One for each inbox, about its newest message. Not what a member dismissed. */
async function failedMail(ctx: Ctx<Member>): Promise<Problem[]> {
  const { db } = ctx;
  const { thread_id, inbox_id, organization_id, error, created_at } = messages;
  const newest = db
    .select({ id: messages.id, thread_id, inbox_id, error, created_at })
    .from(messages)
    .where(isFailure(ctx))
    .orderBy(desc(organization_id), desc(messages.id))
    .limit(FAILED_MAX)
    .as("newest");
  const address = db
    .select({ address: inboxes.address })
    .from(inboxes)
    .where(and(eq(inboxes.id, newest.inbox_id), eq(inboxes.status, "live")));
  const rows = await db
    .select({
      id: newest.id,
      thread_id: newest.thread_id,
      error: newest.error,
      created_at: newest.created_at,
      address: sql<string | null>`${address}`,
    })
    .from(newest)
    .orderBy(desc(newest.id));
  return failedProblems(rows.flatMap((row) => (row.address === null ? [] : { ...row, address: row.address })));
}

type FailedRow = Pick<typeof messages.$inferSelect, "id" | "thread_id" | "error" | "created_at"> &
  Pick<typeof inboxes.$inferSelect, "address">;

function failedProblems(rows: FailedRow[]): Problem[] {
  const perInbox = Map.groupBy(rows, (row) => row.address);
  return [...perInbox].map(([inbox, failed]) => {
    const { id = "", thread_id = "", error, created_at } = failed[0] ?? {};
    const what = failed.length === 1 ? "A message" : `${failed.length} messages`;
    return {
      severity: "warning",
      text: `${what} from ${inbox} did not reach every recipient${error ? `: ${error}` : "."}`,
      fix: "Open the message to see whom it did not reach. Send it again only to them, at the corrected address.",
      since: created_at?.toISOString() ?? null,
      where: { kind: "message", id: encodeId("msg", id), inbox, thread_id: encodeId("thr", thread_id) },
    };
  });
}

/** Mailboxes and the organization that have used nearly all of their storage quota. Trash gives way to new mail, so that one with trash takes mail. */
async function storageProblems(ctx: Ctx<Member>): Promise<Problem[]> {
  const full = await fullStorage(ctx, ctx.actor.organizationId, FULL_MAX);
  return full.map(({ address, used, quota, state }) => ({
    severity: state === "full" ? "critical" : "warning",
    text:
      state === "full"
        ? `${address ?? "Your organization"} is full: its storage quota of ${inMib(quota)} MiB is used up. New mail is refused.`
        : `${address ?? "Your organization"} uses ${Math.floor((100 * used) / quota)}% of its storage quota of ${inMib(quota)} MiB.`,
    fix: "Delete messages or threads, or ask the operator for a larger quota. Deleted mail is erased when new mail needs the room. Without room, mail is refused in both directions.",
    since: null,
    where: { kind: "storage", id: address ?? "" },
  }));
}

function inMib(bytes: number): string {
  return (bytes / MIB).toLocaleString("en", { maximumFractionDigits: 1 });
}

/** The most severe first, at most TOLD_MAX of each kind. */
export function worstOf(problems: Problem[]): Problem[] {
  const kinds = Map.groupBy(problems, ({ where }) => where.kind);
  return [...kinds.values()].flatMap((kind) => kind.slice(0, TOLD_MAX)).sort(bySeverity);
}

function bySeverity(a: Problem, b: Problem): number {
  return a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0;
}

/**
 * The most severe first.
 * @param keys that agents can enroll with
 */
export async function readProblems(ctx: Ctx<Member>, keys: KeyRow[]): Promise<Problem[]> {
  const [webhooks, domains, paused, storage, failed] = await Promise.all([
    webhookProblems(ctx),
    domainProblems(ctx),
    pausedProblems(ctx),
    storageProblems(ctx),
    failedMail(ctx),
  ]);
  const ofKeys = keys.flatMap((key) => keyProblem(key, ctx.now()) ?? []);
  return [webhooks, domains, paused, storage, ofKeys, failed].flat().sort(bySeverity);
}
