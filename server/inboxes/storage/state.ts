// What the API and the dashboard show of the storage of mailboxes and organizations: its use, and whether it is nearly full.

import { and, eq, type SQL, sql } from "drizzle-orm";
import { EVERY_INBOX } from "#db/conditions.ts";
import { inboxes, storageUsage, trashedMessages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import type { Settings } from "../../base/env.ts";
import { type Owner, STORED_MIN_BYTES } from "./count.ts";

/** The mailbox's usage of its quota, for the API. */
export async function readStorage({ db, settings }: Services, inbox: Owner) {
  const { organization_id, inbox_id, bytes } = storageUsage;
  const [row] = await db
    .select({ bytes })
    .from(storageUsage)
    .where(and(eq(organization_id, inbox.organization_id), eq(inbox_id, inbox.id)));
  return { used_bytes: row?.bytes ?? 0, limit_bytes: settings.STORAGE_QUOTA_PER_INBOX || null };
}

/** `full`: new mail is refused. `nearly`: NEARLY_FULL of the quota are used, or all of it, and trash gives way to new mail. */
export const STORAGE_STATES = ["nearly", "full"] as const;
export type StorageState = (typeof STORAGE_STATES)[number];
const NEARLY_FULL = 0.9;

/** The quota of the row of `storage_usage`: of a mailbox, or of the organization. Null: none. */
function quotaOf({ STORAGE_QUOTA_PER_INBOX, STORAGE_QUOTA_PER_ORGANIZATION }: Settings): SQL {
  const isWhole = eq(storageUsage.inbox_id, EVERY_INBOX);
  return sql`(case when ${isWhole} then nullif(${STORAGE_QUOTA_PER_ORGANIZATION}::bigint, 0)
    else nullif(${STORAGE_QUOTA_PER_INBOX}::bigint, 0) end)`;
}

/** The state of the row of `storage_usage`, as SQL; null: it has room. */
function stateOf(settings: Settings): SQL {
  const { organization_id, inbox_id, bytes } = storageUsage;
  const quota = quotaOf(settings);
  const ofOrganization = sql`exists (select from ${trashedMessages} where ${trashedMessages.organization_id} = ${organization_id})`;
  const ofInbox = sql`exists (select from ${trashedMessages} where ${trashedMessages.inbox_id} = ${inbox_id})`;
  return sql`(case when ${bytes} < ${quota} * ${NEARLY_FULL}::float8 or ${quota} is null then null
    when ${bytes} + ${STORED_MIN_BYTES}::int <= ${quota} then 'nearly'
    when case when ${eq(inbox_id, EVERY_INBOX)} then ${ofOrganization} else ${ofInbox} end then 'nearly'
    else 'full' end)`;
}

/** The worse state of a mailbox and of its organization, as SQL. */
export function storageState(settings: Settings, organizationId: string, inboxId: SQL): SQL {
  const { organization_id, inbox_id } = storageUsage;
  return sql`(select min(${stateOf(settings)}) from ${storageUsage}
    where ${organization_id} = ${organizationId} and ${inbox_id} in (${inboxId}, ${EVERY_INBOX}::uuid))`;
}

type FullRow = Record<"used" | "quota", number> & {
  state: StorageState;
  address: (typeof inboxes.$inferSelect)["address"] | null;
};

/** Live mailboxes that are full or nearly full, the fullest first; `address` null: the organization. */
export async function fullStorage(
  { db, settings }: Pick<Services, "db" | "settings">,
  organizationId: string,
  limit: number,
) {
  const { inbox_id, bytes } = storageUsage;
  const isWhole = eq(inbox_id, EVERY_INBOX);
  return db.execute<FullRow>(sql`
    select ${inboxes.address}, ${bytes} as used, q.quota, s.state
    from ${storageUsage}
    left join ${inboxes} on ${inboxes.id} = ${inbox_id} and ${inboxes.status} = 'live'
    cross join lateral (select ${quotaOf(settings)} as quota) q
    cross join lateral (select ${stateOf(settings)} as state) s
    where ${eq(storageUsage.organization_id, organizationId)} and (${inboxes.id} is not null or ${isWhole})
      and s.state is not null
    order by ${bytes} / q.quota::float8 desc, ${inbox_id} limit ${limit}`);
}
