// Adds addresses to the suppression list.
import { and, eq, ne, notInArray } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { inboxes, suppressions } from "#db/schema/mail.ts";
import { newId } from "../../base/ids.ts";
import { type NewEvent, newEvent } from "../../events/record.ts";
import type { SetBy } from "./set-by.ts";

/** The mailbox of a recorded change; none if it concerns the organization. */
export function ofInbox(id: string): { inbox_id: string | null } {
  return { inbox_id: id === EVERY_INBOX ? null : id };
}

/** The recipient asked for these: an agent does not write to them again on its own. */
export const BY_RECIPIENT = ["unsubscribed", "complained"];

/** Of bounces, complaints and unsubscriptions. */
export const BY_SERVICE = { set_by: "service" as const, set_by_key: null };

/** `inbox_id` null: for every mailbox of the organization. */
export type NewSuppression = {
  organization_id: string;
  inbox_id: string | null;
  address: string;
  reason: string;
  message_id: string | null;
} & SetBy<"member" | "agent" | "service">;

type Row = Omit<NewSuppression, "inbox_id"> & { inbox_id: string };

/**
 * Keeps an existing entry, but makes it the recipient's or a member's when they add it too, so that no agent removes it.
 * Sorted, so that two transactions never wait for each other.
 * @returns the entries that are new, and their events for the end of the transaction
 */
export async function suppress(tx: Transaction, added: NewSuppression[], now: Date): Promise<Suppressed> {
  const rows = added.map((each) => ({
    ...each,
    id: newId(),
    inbox_id: each.inbox_id ?? EVERY_INBOX,
    address: each.address.toLowerCase(),
    created_at: now,
  }));
  if (rows.length === 0) return { added: [], events: [] };
  rows.sort((a, b) => (a.address < b.address ? -1 : 1));
  const inserted = await tx.insert(suppressions).values(rows).onConflictDoNothing().returning();
  for (const row of rows) await takeOver(tx, row);
  return { added: inserted, events: await suppressionEvents(tx, "suppression.added", inserted) };
}

type Suppressed = { added: (typeof suppressions.$inferSelect)[]; events: NewEvent[] };
type Entry = Pick<typeof suppressions.$inferSelect, "organization_id" | "inbox_id" | "address" | "reason">;

/** Keys that are restricted to some mailboxes may not read suppressions, so the events are of no mailbox. */
export async function suppressionEvents(
  tx: Transaction,
  event: "suppression.added" | "suppression.removed",
  entries: Entry[],
): Promise<NewEvent[]> {
  const own = entries.map((row) => row.inbox_id).filter((inboxId) => inboxId !== EVERY_INBOX);
  const named =
    own.length > 0
      ? await tx.select({ id: inboxes.id, address: inboxes.address }).from(inboxes).where(anyOf(inboxes.id, own))
      : [];
  const addresses = new Map(named.map((row) => [row.id, row.address]));
  return entries.map(({ organization_id, inbox_id, address, reason }) => {
    const inbox = addresses.get(inbox_id) ?? null;
    return newEvent({ organization_id, inbox_id: null }, { event, inbox, suppression: { address, reason } });
  });
}

/** Of an entry that is not a member's and not the recipient's already. */
async function takeOver(tx: Transaction, { organization_id, inbox_id, address, ...by }: Row): Promise<void> {
  const { set_by, set_by_key, reason, message_id } = by;
  const isRecipients = set_by === "service" && BY_RECIPIENT.includes(reason);
  if (set_by !== "member" && !isRecipients) return;
  const { organization_id: organization, inbox_id: inbox, address: stored } = suppressions;
  const isThis = and(eq(organization, organization_id), eq(inbox, inbox_id), eq(stored, address));
  const isOther = and(isThis, ne(suppressions.set_by, "member"));
  const changes = { set_by, set_by_key };
  await (isRecipients
    ? tx
        .update(suppressions)
        .set({ ...changes, reason, message_id })
        .where(and(isOther, notInArray(suppressions.reason, BY_RECIPIENT)))
    : tx.update(suppressions).set(changes).where(isOther));
}
