// What enrollment keys look like on the wire: their status, how fast they fill, and when they will be full.
import { getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { lowestId } from "../base/id-range.ts";
import { encodeId } from "../base/ids.ts";

const DAY_MS = 86_400_000;
/** The days that the forecast is made from. */
const WINDOW_DAYS = 14;
/** With mailboxes created on fewer days there is no pace to forecast from: one burst says nothing about tomorrow. */
const PACE_MIN_DAYS = 3;

const { secret_hash: _secret, ...shown } = getTableColumns(enrollmentKeys);

/** Counts of mailboxes are of the newest so many of a key. */
const COUNTED_INBOXES = 10_000;

/** The newest mailboxes of a key. Ordered in pairs, so that only the index on both columns has this order. */
export function newestInboxes(key: SQLWrapper | string): SQL {
  const { id, agent_id, status, created_at, enrollment_key_id } = inboxes;
  return sql`(select ${id}, ${agent_id}, ${status}, ${created_at} from ${inboxes} where ${enrollment_key_id} = ${key}
    order by ${enrollment_key_id} desc, ${id} desc limit ${COUNTED_INBOXES}) newest`;
}

/** All but the hash of the secret. */
export const keyColumns = shown;
export type KeyRow = Omit<typeof enrollmentKeys.$inferSelect, "secret_hash">;

/** What is left of a quota; never negative. */
export function quotaOf(key: Pick<KeyRow, "max_mailboxes" | "used_count">) {
  const remaining = Math.max(0, key.max_mailboxes - key.used_count);
  return { max_mailboxes: key.max_mailboxes, used_count: key.used_count, remaining };
}

/** @param recent of `countRecentMailboxes` */
export function enrollmentKeyView(row: KeyRow, recent: Recent | undefined, now: Date) {
  return {
    id: encodeId("ekey", row.id),
    name: row.name,
    org_id: encodeId("org", row.organization_id),
    status: statusOf(row, now),
    max_mailboxes: row.max_mailboxes,
    used_count: row.used_count,
    ...forecast(row, recent, now),
    prepaid: row.prepaid,
    allowed_domains: row.allowed_domains,
    inbox_access: row.inbox_access,
    scopes: row.scopes,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

/** An expired key enrolls no more agents; the agents that it has enrolled keep working. */
function statusOf(key: KeyRow, now: Date): "active" | "expired" | "revoked" | "exhausted" {
  if (key.revoked_at) return "revoked";
  if (key.expires_at && key.expires_at <= now) return "expired";
  return key.used_count >= key.max_mailboxes ? "exhausted" : "active";
}

const NOTHING = { created: 0, days: 0 };

/**
 * The mean of a day, over the days that the key exists, and in how many days the key is full at this pace: 0 when it is full,
 * null when mailboxes were created on too few days.
 */
function forecast(key: KeyRow, recent: Recent | undefined, now: Date) {
  const { created, days, since } = recent ?? { ...NOTHING, since: key.created_at };
  // The newest COUNTED_INBOXES may all be younger than the window.
  const from = created < COUNTED_INBOXES ? key.created_at : since;
  const age = (now.getTime() - from.getTime()) / DAY_MS;
  const perDay = Math.round((created / Math.min(Math.max(age, 1), WINDOW_DAYS)) * 100) / 100;
  const { remaining } = quotaOf(key);
  const left = days >= PACE_MIN_DAYS && perDay > 0 ? Math.ceil(remaining / perDay) : null;
  return { used_per_day: perDay, days_until_full: remaining === 0 ? 0 : left };
}

/**
 * `created`: mailboxes of the last 14 days, of the newest COUNTED_INBOXES; `days`: on how many UTC days; `since`: when
 * the oldest of them was created.
 */
type Recent = { created: number; days: number; since: Date };

/** By the key's UUID. Deleted mailboxes count. */
export async function countRecentMailboxes({ db, now }: Pick<Services, "db" | "now">, keyIds: string[]) {
  const start = new Date(now().getTime() - WINDOW_DAYS * DAY_MS);
  const rows = await db.execute<{ id: string; created: number; days: number; oldest: string | null }>(sql`
    select k.id, r.created, r.days, r.oldest from unnest(${sql.param(keyIds)}::uuid[]) as k(id) cross join lateral (
      select count(*)::int as created, min(newest.id::text) as oldest,
        count(distinct (newest.created_at at time zone 'UTC')::date)::int as days from ${newestInboxes(sql`k.id`)}
      where newest.id >= ${lowestId(start)}) r`);
  return new Map(
    rows.map(({ id, created, days, oldest }) => [id, { created, days, since: oldest ? timeOf(oldest) : start }]),
  );
}

/** The time of a UUIDv7. */
function timeOf(id: string): Date {
  return new Date(Number.parseInt(id.replace("-", "").slice(0, 12), 16));
}
