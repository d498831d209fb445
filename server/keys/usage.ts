// How an enrollment key stands: its status, how fast it fills, and when it will be full.
import type { Sql } from "postgres";
import type { Services } from "../base/context.ts";
import { lowestId } from "../base/id-range.ts";

const DAY_MS = 86_400_000;
/** What the forecast looks back on. */
const WINDOW_DAYS = 14;

export type KeyStatus = "active" | "expired" | "revoked" | "exhausted";
type Standing = {
  max_mailboxes: number;
  used_count: number;
  expires_at: Date | null;
  revoked_at: Date | null;
  created_at: Date;
};

/** Expired: it enrolls no more agents; those it has enrolled go on. */
export function statusOf(key: Standing, now: Date): KeyStatus {
  if (key.revoked_at) return "revoked";
  if (key.expires_at && key.expires_at <= now) return "expired";
  return key.used_count >= key.max_mailboxes ? "exhausted" : "active";
}

/** Mailboxes created with each key since the window began, by the key's UUID. Deleted ones count. */
export async function createdLately({ sql, now }: Pick<Services, "now"> & { sql: Sql }, keyIds: string[]) {
  const since = new Date(now().getTime() - WINDOW_DAYS * DAY_MS);
  const rows = await sql<{ id: string; created: number }[]>`
    select k.id, (
      select count(*)::int from inboxes i where i.enrollment_key_id = k.id and i.id >= ${lowestId(since)}
    ) as created
    from unnest(${keyIds}::uuid[]) as k(id)`;
  return new Map(rows.map(({ id, created }) => [id, created]));
}

/**
 * @param created mailboxes of the last 14 days
 * @returns the mean of a day, of as many days as the key is there, and in how many days the key is full at this pace: 0 when
 *   it is, null when nothing was created
 */
export function forecast(key: Standing, created: number, now: Date) {
  const age = (now.getTime() - key.created_at.getTime()) / DAY_MS;
  const perDay = Math.round((created / Math.min(Math.max(age, 1), WINDOW_DAYS)) * 100) / 100;
  const left = Math.max(0, key.max_mailboxes - key.used_count);
  const days = perDay > 0 ? Math.ceil(left / perDay) : null;
  return { used_per_day: perDay, days_until_full: left === 0 ? 0 : days };
}
