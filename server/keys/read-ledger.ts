// Reads the ledger of an enrollment key: the mailboxes that count against its quota, and the prepaid mailboxes.
import { and, eq, isNull, or, sql, sum } from "drizzle-orm";
import { agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import { payments } from "#db/schema/payments.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { LAST_ID } from "../base/id-range.ts";
import { encodeId } from "../base/ids.ts";
import { findEnrollmentKey } from "./find.ts";

type KeyRow = typeof enrollmentKeys.$inferSelect;
/** `mailboxes`: 1 for a mailbox; the number of mailboxes bought for a prepaid entry. */
type EntryRow = Pick<typeof payments.$inferSelect, "id" | "mailboxes" | "agent_id"> & {
  kind: "mailbox" | "prepaid";
  at: Date;
  handle: string | null;
  address: string | null;
} & (Pick<typeof inboxes.$inferSelect, "status" | "deleted_at"> | { status: null; deleted_at: null });

/** The address of a deleted mailbox that its organization uses again belongs to the new one (server/inboxes/create.ts). */
const SUPERSEDED = "superseded %";

function entryView(row: EntryRow) {
  const base = {
    at: row.at.toISOString(),
    mailboxes: row.mailboxes,
    agent: row.handle === null ? null : { id: encodeId("agt", row.agent_id), handle: row.handle },
  };
  if (row.kind === "prepaid" || !row.status) {
    const id = encodeId("pay", row.id);
    return { ...base, kind: "prepaid" as const, id, address: null, status: null, deleted_at: null };
  }
  const { address, status } = row;
  const deleted_at = row.deleted_at?.toISOString() ?? null;
  return { ...base, kind: "mailbox" as const, id: encodeId("inb", row.id), address, status, deleted_at };
}

/**
 * Prepaid mailboxes come from purchases, and from payments whose mailbox could not be created (payments/fulfil.ts): such a
 * payment has no mailbox.
 */
function isPrepaid(key: KeyRow) {
  return and(
    eq(payments.organization_id, key.organization_id),
    eq(payments.enrollment_key_id, key.id),
    eq(payments.status, "fulfilled"),
    or(eq(payments.kind, "mailboxes"), isNull(payments.inbox_id)),
  );
}

/** The quota as a sum: issued + bought = max_mailboxes, created = used_count. */
async function readSums({ db }: Ctx<System | Member>, key: KeyRow) {
  const paid = db
    .select({ mailboxes: sql`coalesce(${sum(payments.mailboxes)}, 0)` })
    .from(payments)
    .where(isPrepaid(key));
  const [row] = await db
    .select({
      max_mailboxes: enrollmentKeys.max_mailboxes,
      used_count: enrollmentKeys.used_count,
      created: enrollmentKeys.used_count,
      bought: sql`${paid}`.mapWith(Number),
    })
    .from(enrollmentKeys)
    .where(eq(enrollmentKeys.id, key.id));
  if (!row) throw new Error(`the enrollment key ${key.id} has gone`);
  return { issued: row.max_mailboxes - row.bought, ...row };
}

function readEntries({ db }: Ctx<System | Member>, key: KeyRow, before: string, limit: number) {
  return db.execute<EntryRow>(sql`
    with entries as (
      (select ${inboxes.id}, 'mailbox' as kind, ${inboxes.created_at} as at, 1 as mailboxes, ${inboxes.agent_id},
          case when ${inboxes.address} not like ${SUPERSEDED} then ${inboxes.address} end as address, ${inboxes.status},
          ${inboxes.deleted_at}
        from ${inboxes}
        where ${inboxes.enrollment_key_id} = ${key.id} and ${inboxes.organization_id} = ${key.organization_id}
          and ${inboxes.id} < ${before}
        order by ${inboxes.id} desc limit ${limit})
      union all
      (select ${payments.id}, 'prepaid', coalesce(${payments.completed_at}, ${payments.created_at}), ${payments.mailboxes},
          ${payments.agent_id}, null, null, null
        from ${payments} where ${isPrepaid(key)} and ${payments.id} < ${before}
        order by ${payments.id} desc limit ${limit}))
    select entries.*, (select ${agents.handle} from ${agents} where ${agents.id} = entries.agent_id) as handle
    from entries order by entries.id desc limit ${limit}`);
}

/**
 * Newest first.
 * @throws ServiceError `enrollment_key_not_found`, `invalid_cursor`
 */
export async function readLedger(
  ctx: Ctx<System | Member>,
  input: { id: string; limit: number; cursor?: string | undefined },
) {
  const key = await findEnrollmentKey(ctx, input.id);
  const list = `ledger:${key.id}`;
  const before = input.cursor === undefined ? LAST_ID : readCursor(ctx, list, input.cursor);
  const [entries, quota] = await Promise.all([readEntries(ctx, key, before, input.limit + 1), readSums(ctx, key)]);
  const page = toPage(ctx, list, entries, input.limit);
  return { quota, data: page.rows.map(entryView), next_cursor: page.next_cursor };
}
