// Erases the oldest deleted mail of a full mailbox or organization, so that the trash never keeps new mail out.
import { and, eq, not, type SQL, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { storageUsage, trashedMessages } from "#db/schema/mail.ts";
import { groupCommit } from "../../base/batching/group-commit.ts";
import type { Services } from "../../base/context.ts";
import { type Owner, STORED_MIN_BYTES, storageQuotas, storedBytes } from "../../inboxes/storage/count.ts";
import { eraseTrashed } from "../erase.ts";

/** Messages per call, of the mailbox and of the organization. */
const MESSAGES_PER_CALL = 200;

/** Calls that are made in turn. */
const BATCH_CALLS = 100;
/** Serializes the calls of processes for one organization. No other advisory lock of the service has it: "room" in ASCII. */
const ROOM_LOCK = 0x72_6f_6f_6d;

type Needs = Pick<Services, "db" | "settings" | "now">;
type Call = { owner: Owner; bytes: number };
type Taken = { ids: string[]; bytes: number };

/** One transaction at a time erases trash, so that a flood of mail to full mailboxes does not use up the pool. */
export function createTrashRoom(services: Needs): Services["trashRoom"] {
  const calls = groupCommit(services, (batch: Call[]) => giveInTurn(services, batch), {
    items: BATCH_CALLS,
    weight: BATCH_CALLS,
    inFlight: 1,
    weigh: () => 1,
  });
  return {
    of: (inboxIds) => trashOf(services, inboxIds),
    giveWay: (owner, size) => calls.add({ owner, bytes: storedBytes(size) }),
  };
}

/** The room that a call got stays free for it: its mail is stored after the batch. */
async function giveInTurn(services: Needs, batch: Call[]): Promise<boolean[]> {
  const promised = new Map<string, number>();
  const promisedTo = (id: string) => promised.get(id) ?? 0;
  const given: boolean[] = [];
  for (const { owner, bytes } of batch) {
    const wanted = {
      inbox: promisedTo(owner.id) + bytes,
      organization: promisedTo(owner.organization_id) + bytes,
    };
    const isGiven = await giveWay(services, owner, wanted);
    given.push(isGiven);
    if (!isGiven) continue;
    promised.set(owner.id, wanted.inbox);
    promised.set(owner.organization_id, wanted.organization);
  }
  return given;
}

/** Reads the oldest rows only. More trash than that counts as enough: each call of `giveWay` erases some of it. */
async function trashOf({ db }: Needs, inboxIds: string[]): ReturnType<Services["trashRoom"]["of"]> {
  const sum = (condition: SQL) => sql`(
    select case when count(*) = ${MESSAGES_PER_CALL}::int then 'Infinity'::float8 else coalesce(sum(greatest(size, ${STORED_MIN_BYTES}::int)), 0)::float8 end
    from (select t.size from trashed_messages t where ${condition} order by t.trash_id limit ${MESSAGES_PER_CALL}::int) oldest)`;
  const rows = await db.execute<{ id: string; inbox: number; organization: number }>(sql`
    select i.id, ${sum(sql`t.inbox_id = i.id`)} as inbox, ${sum(sql`t.organization_id = i.organization_id`)} as organization
    from inboxes i where i.id = any(${sql.param(inboxIds)}::uuid[])`);
  return new Map(rows.map(({ id, ...bytes }) => [id, bytes]));
}

async function giveWay(
  { db, settings }: Needs,
  owner: Owner,
  wanted: { inbox: number; organization: number },
): Promise<boolean> {
  const quotas = storageQuotas(settings);
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${ROOM_LOCK}, hashtext(${owner.organization_id}))`);
    const stored = await storedBy(tx, owner);
    const ofOrganization = eq(trashedMessages.organization_id, owner.organization_id);
    const ofInbox = and(ofOrganization, eq(trashedMessages.inbox_id, owner.id));
    const own = await oldest(tx, ofInbox, stored.inbox + wanted.inbox - quotas.inbox);
    if (!own) return false;
    const others = own.ids.length > 0 ? and(ofOrganization, not(anyOf(trashedMessages.id, own.ids))) : ofOrganization;
    const rest = await oldest(tx, others, stored.organization + wanted.organization - own.bytes - quotas.organization);
    if (!rest) return false;
    await eraseTrashed(tx, [...own.ids, ...rest.ids]);
    return true;
  });
}

async function storedBy(tx: Transaction, { id, organization_id }: Owner) {
  const { inbox_id, bytes } = storageUsage;
  const rows = await tx
    .select({ inbox_id, bytes })
    .from(storageUsage)
    .where(and(eq(storageUsage.organization_id, organization_id), anyOf(inbox_id, [EVERY_INBOX, id])));
  const of = (wanted: string) => rows.find((row) => row.inbox_id === wanted)?.bytes ?? 0;
  return { inbox: of(id), organization: of(EVERY_INBOX) };
}

/** The oldest trash that frees `needed` bytes; undefined if all of it is not enough: then nothing is erased. */
async function oldest(tx: Transaction, condition: SQL | undefined, needed: number): Promise<Taken | undefined> {
  const taken: Taken = { ids: [], bytes: 0 };
  if (needed <= 0) return taken;
  const rows = await tx
    .select({ id: trashedMessages.id, size: trashedMessages.size })
    .from(trashedMessages)
    .where(condition)
    .orderBy(trashedMessages.trash_id)
    .limit(MESSAGES_PER_CALL)
    .for("update", { skipLocked: true });
  for (const { id, size } of rows) {
    if (taken.bytes >= needed) break;
    taken.ids.push(id);
    taken.bytes += storedBytes(size);
  }
  return taken.bytes >= needed || rows.length === MESSAGES_PER_CALL ? taken : undefined;
}
