// What restrains a mailbox belongs to its address: the next mailbox at the address gets it (docs/decisions/081).
import { and, eq } from "drizzle-orm";
import { listEntries, retentionPolicies, spamPolicies } from "#db/schema/lists.ts";
import { sendUsage, suppressions } from "#db/schema/mail.ts";
import { reviewPolicies } from "#db/schema/reviews.ts";
import { sendingStates } from "#db/schema/sending.ts";
import type { Services } from "../base/context.ts";
import { movePauses } from "../pauses/pause.ts";

// The window is first, as everywhere: a bounce that is being counted has it locked (recipients/limits/sending-pause.ts).
const TABLES = [sendingStates, sendUsage, suppressions, listEntries, reviewPolicies, retentionPolicies, spamPolicies];

/** In the transaction that makes the new mailbox live: until then it has no rows in these tables. */
export const takeOverRestraints: Services["takeOverRestraints"] = async (tx, { organizationId, from, to }) => {
  for (const table of TABLES) {
    const isOwn = and(eq(table.organization_id, organizationId), eq(table.inbox_id, from));
    await tx.update(table).set({ inbox_id: to }).where(isOwn);
  }
  await movePauses(tx, from, to);
};
