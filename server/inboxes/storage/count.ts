// The storage quota: bytes of stored mail of each mailbox and organization, counted in the transaction that stores or
// erases the mail.
import { and, count, eq, ne, type SQL, sql } from "drizzle-orm";
import type { ISql, PendingQuery, Row } from "postgres";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes, messages, storageUsage, trashedMessages } from "#db/schema/mail.ts";
import { drafts, draftVersions, uploads } from "#db/schema/outbox.ts";
import type { Services } from "../../base/context.ts";
import type { Settings } from "../../base/env.ts";
import { ServiceError } from "../../base/errors.ts";

/** The minimum size of a message: its row, indexes and event are larger than a short mail. */
export const STORED_MIN_BYTES = 4_096;
/** The row of a whole organization; the lowest UUID, so that it is locked before those of its mailboxes. */
export const WHOLE_ORGANIZATION = "00000000-0000-0000-0000-000000000000";
const CHECK_VIOLATION = "23514";
const CONSTRAINT = "storage_usage_within_quota";

/** Bytes; `Infinity` without a quota. */
export type Quotas = { inbox: number; organization: number };
export type StorageChange = { organization_id: string; inbox_id: string; bytes: number };

export function storageQuotas(settings: Settings): Quotas {
  const { STORAGE_QUOTA_PER_INBOX, STORAGE_QUOTA_PER_ORGANIZATION } = settings;
  return {
    inbox: STORAGE_QUOTA_PER_INBOX || Number.POSITIVE_INFINITY,
    organization: STORAGE_QUOTA_PER_ORGANIZATION || Number.POSITIVE_INFINITY,
  };
}

/** The counted size of a message of this size (`messages.size`). */
export function storedBytes(size: number): number {
  return Math.max(size, STORED_MIN_BYTES);
}

/**
 * Adds to the counters of mailboxes and organizations; a statement, or the body of a CTE. The counters stay locked
 * until the commit, always in the same order: lock mailboxes, threads and messages before, and only `event_positions`
 * after. Fails with an error that `isOverQuota` recognizes, if a counter would exceed its quota.
 * @param quotas undefined when mail is erased, because a counter above its quota may decrease
 * @param condition nothing is counted if it is false
 */
export function countStorage(
  plain: ISql,
  changes: StorageChange[],
  quotas: Quotas | undefined,
  condition: PendingQuery<Row[]>,
) {
  const sums = new Map<string, StorageChange & { quota: number | null }>();
  const add = (organization_id: string, inbox_id: string, bytes: number, quota = Number.POSITIVE_INFINITY) => {
    const key = `${organization_id} ${inbox_id}`;
    const before = sums.get(key)?.bytes ?? 0;
    sums.set(key, { organization_id, inbox_id, bytes: before + bytes, quota: Number.isFinite(quota) ? quota : null });
  };
  for (const { organization_id, inbox_id, bytes } of changes) {
    add(organization_id, WHOLE_ORGANIZATION, bytes, quotas?.organization);
    if (inbox_id !== WHOLE_ORGANIZATION) add(organization_id, inbox_id, bytes, quotas?.inbox);
  }
  return plain`
    insert into storage_usage as u (organization_id, inbox_id, bytes, quota)
    select organization_id, inbox_id, bytes, quota from json_to_recordset(${JSON.stringify([...sums.values()])}::text::json)
      as r(organization_id uuid, inbox_id uuid, bytes bigint, quota bigint)
    where ${condition} order by organization_id, inbox_id
    on conflict (organization_id, inbox_id) do update set bytes = greatest(0, u.bytes + excluded.bytes), quota = excluded.quota
    returning 1`;
}

/**
 * The condition that messages up to `s` surely fit into the quotas: `bytes_in_inbox` and `bytes_in_organization` are sums of
 * what `storedBytes` says. `countStorage` must follow, since others may count at the same time.
 */
export function fitsStorage({ inbox, organization }: Quotas): SQL {
  const fits = (quota: number, inboxId: SQL, bytes: SQL) =>
    Number.isFinite(quota)
      ? sql`coalesce((select u.bytes from ${storageUsage} u
          where u.organization_id = s.organization_id and u.inbox_id = ${inboxId}), 0) + ${bytes} <= ${quota}::bigint`
      : sql`true`;
  const whole = fits(organization, sql`${WHOLE_ORGANIZATION}::uuid`, sql`s.bytes_in_organization`);
  return sql`(${whole} and ${fits(inbox, sql`s.inbox_id`, sql`s.bytes_in_inbox`)})`;
}

/** Whether a statement failed because a counter would exceed its quota. */
export function isOverQuota(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === CHECK_VIOLATION &&
    "constraint_name" in error &&
    error.constraint_name === CONSTRAINT
  );
}

/** `id`: the mailbox, or `WHOLE_ORGANIZATION` for what is in none. */
export type Owner = { id: string; organization_id: string };

/** Calls of `giveWay` for one mail or message. */
const ROOM_ROUNDS = 5;

declare module "../../base/context.ts" {
  interface Services {
    /** The trash of full mailboxes (messages/trash/give-way.ts). */
    trashRoom: {
      /** Mailbox → the bytes that its trash, and that of its organization, could free. */
      of(inboxIds: string[]): Promise<Map<string, { inbox: number; organization: number }>>;
      /**
       * Erases the oldest trash until a message of this size fits, or some of it.
       * @returns whether to try again; false, without a change, if all trash is not enough
       */
      giveWay(owner: Owner, size: number): Promise<boolean>;
    };
  }
}

/**
 * Repeats work that a quota refused, after the trash gave way. Only the refusal costs more.
 * @param fullOf whose quota refused it, and the size of the message; undefined if none did
 */
export async function withRoom<Result>(
  { trashRoom }: Pick<Services, "trashRoom">,
  work: () => Promise<Result>,
  fullOf: (outcome: { result?: Result; error?: unknown }) => { owner: Owner; size: number } | undefined,
): Promise<Result> {
  for (let round = 0; ; round += 1) {
    const outcome = await work().then(
      (result) => ({ result }),
      (error: unknown) => ({ error }),
    );
    const full = round < ROOM_ROUNDS ? fullOf(outcome) : undefined;
    if (full && (await trashRoom.giveWay(full.owner, full.size))) continue;
    if ("error" in outcome) throw outcome.error;
    return outcome.result;
  }
}

/** Whether `takeStorage` refused it. */
export function isStorageFull(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "storage_quota_exceeded";
}

/** @throws ServiceError `storage_quota_exceeded` */
export function takeStorage(ctx: Services, tx: Transaction, inbox: Owner, size: number): Promise<void> {
  return countBytes(ctx, tx, inbox, { size, bytes: storedBytes(size) });
}

/**
 * Counts a stored message anew that had another size.
 * @throws ServiceError `storage_quota_exceeded`
 */
export function changeStorage(
  ctx: Services,
  tx: Transaction,
  inbox: Owner,
  { size, before }: { size: number; before: number },
): Promise<void> {
  return countBytes(ctx, tx, inbox, { size, bytes: storedBytes(size) - storedBytes(before) });
}

/**
 * Counts messages that were stored together.
 * @throws an error that `isOverQuota` recognizes, if not all of them fit
 */
export async function countStored(
  { settings }: Pick<Services, "settings">,
  tx: Transaction,
  stored: { organization_id: string; inbox_id: string; size: number }[],
): Promise<void> {
  const plain = plainOf(tx);
  const changes = stored.map(({ size, ...own }) => ({ ...own, bytes: storedBytes(size) }));
  await countStorage(plain, changes, storageQuotas(settings), plain`true`);
}

async function countBytes(
  { settings }: Services,
  tx: Transaction,
  inbox: Owner,
  { size, bytes }: { size: number; bytes: number },
): Promise<void> {
  const change = { organization_id: inbox.organization_id, inbox_id: inbox.id, bytes };
  try {
    const plain = plainOf(tx);
    await countStorage(plain, [change], storageQuotas(settings), plain`true`);
  } catch (error) {
    if (!isOverQuota(error)) throw error;
    throw new ServiceError(
      "storage_quota_exceeded",
      `Its ${size} bytes exceed the storage quota of the mailbox or of the organization.`,
    );
  }
}

/** Gives back the storage of a message or draft of this size. */
export async function freeStorage(
  tx: Transaction,
  { size, ...of }: { organization_id: string; inbox_id: string; size: number },
): Promise<void> {
  await moveStorage(tx, { ...of, bytes: -storedBytes(size) });
}

/** Changes the counters by bytes that were counted before in another place: no quota refuses it. */
export async function moveStorage(tx: Transaction, { organization_id, inbox_id, bytes }: StorageChange): Promise<void> {
  const plain = plainOf(tx);
  await countStorage(plain, [{ organization_id, inbox_id, bytes }], undefined, plain`true`);
}

/** The columns `stored` and `organization_stored` of the mailbox `i`, in bytes. */
export function storageColumns(plain: ISql) {
  const bytes = (inboxId: PendingQuery<Row[]>) => plain`
    coalesce((select u.bytes from storage_usage u
      where u.organization_id = i.organization_id and u.inbox_id = ${inboxId}), 0)::float8`;
  return plain`${bytes(plain`i.id`)} as stored, ${bytes(plain`${WHOLE_ORGANIZATION}::uuid`)} as organization_stored`;
}

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
  const isWhole = eq(storageUsage.inbox_id, WHOLE_ORGANIZATION);
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
    when case when ${eq(inbox_id, WHOLE_ORGANIZATION)} then ${ofOrganization} else ${ofInbox} end then 'nearly'
    else 'full' end)`;
}

/** The worse state of a mailbox and of its organization, as SQL. */
export function storageState(settings: Settings, organizationId: string, inboxId: SQL): SQL {
  const { organization_id, inbox_id } = storageUsage;
  return sql`(select min(${stateOf(settings)}) from ${storageUsage}
    where ${organization_id} = ${organizationId} and ${inbox_id} in (${inboxId}, ${WHOLE_ORGANIZATION}::uuid))`;
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
  const isWhole = eq(inbox_id, WHOLE_ORGANIZATION);
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

/** Deletes the counter of a mailbox whose mail was erased. */
export async function forgetStorage(tx: Transaction, inboxId: string): Promise<void> {
  await tx.delete(storageUsage).where(eq(storageUsage.inbox_id, inboxId));
}

/**
 * Counts all stored mail again. Mail that arrives during the count waits.
 * @returns how many mailboxes have stored mail, and its total bytes
 */
export async function recountStorage({ db }: Pick<Services, "db">) {
  return db.transaction(async (tx) => {
    // The lock waits for running changes of counters and blocks new ones: each message is counted once.
    await tx.execute(sql`lock table ${storageUsage} in exclusive mode`);
    await tx.delete(storageUsage);
    const { organization_id, inbox_id, size } = messages;
    await tx.execute(sql`
      insert into storage_usage (organization_id, inbox_id, bytes)
      select organization_id, coalesce(inbox_id, ${WHOLE_ORGANIZATION}), sum(greatest(size, ${STORED_MIN_BYTES}::bigint))
      from (select ${organization_id}, ${inbox_id}, ${size} from ${messages} union all
        select ${trashedMessages.organization_id}, ${trashedMessages.inbox_id}, ${trashedMessages.size} from ${trashedMessages} union all
        select ${drafts.organization_id}, ${drafts.inbox_id}, ${drafts.size} from ${drafts}
        where ${drafts.sent_message_id} is null union all
        select ${draftVersions.organization_id}, ${draftVersions.inbox_id}, ${draftVersions.size} from ${draftVersions} union all
        select ${uploads.organization_id}, null, ${uploads.size} from ${uploads}) stored
      group by grouping sets ((organization_id, inbox_id), (organization_id))
      having grouping(inbox_id) = 1 or inbox_id is not null`);
    const [row = { mailboxes: 0, bytes: 0 }] = await tx
      .select({ mailboxes: count(), bytes: sql<number>`coalesce(sum(${storageUsage.bytes}), 0)::float8` })
      .from(storageUsage)
      .where(ne(storageUsage.inbox_id, WHOLE_ORGANIZATION));
    return row;
  });
}
