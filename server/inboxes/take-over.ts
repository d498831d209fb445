// Gives what restrains an address to the new mailbox of the organization there (docs/decisions/081).
import { eq, or } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";

type Heir = { organizationId: string; from: string; to: string };

declare module "../base/context.ts" {
  interface Services {
    /** Moves the rows that restrain the deleted mailbox `from` to the mailbox `to` at the same address. */
    takeOverRestraints(tx: Transaction, heir: Heir): Promise<void>;
  }
}

/** In the transaction that makes the mailbox `to` live. What comes late for earlier mailboxes finds it by `superseded_by`. */
export async function takeOver(tx: Transaction, services: Pick<Services, "takeOverRestraints">, heir: Heir) {
  const isEarlier = or(eq(inboxes.id, heir.from), eq(inboxes.superseded_by, heir.from));
  await tx.update(inboxes).set({ superseded_by: heir.to }).where(isEarlier);
  await services.takeOverRestraints(tx, heir);
}
