// Refuses a message to suppressed addresses, and finds those that were suppressed after it was queued.
import { and, asc, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { z } from "zod";
import type { Transaction } from "#db/client.ts";
import { anyOf, EVERY_INBOX } from "#db/conditions.ts";
import { suppressions } from "#db/schema/mail.ts";
import { ServiceError } from "../../base/errors.ts";
import { moment } from "../../base/fields.ts";

/** Named in the message; the answer lists all. */
const SHOWN = 3;
const ADDRESSES_MAX = 100;

const suppressedRecipient = z
  .object({
    address: z.string().meta({ description: "The address, in lower case." }),
    reason: z.string().meta({ description: "Why it is suppressed." }),
    since: moment("When it was suppressed."),
  })
  .meta({ description: "One suppressed recipient." });

/** Beside `error` in the body of a 422 of a send. */
export const suppressedRecipients = z
  .object({
    addresses: z.array(suppressedRecipient).optional().meta({
      description: "The suppressed recipients. Present with `recipient_suppressed`.",
      maxItems: ADDRESSES_MAX,
    }),
  })
  .meta({ id: "SuppressedRecipients", description: "The suppressed recipients in a 422 answer." });

/** The condition that a row of `suppressions` is one for a recipient. */
export function suppresses(recipient: Record<"organization_id" | "inbox_id" | "address", PgColumn>): SQL | undefined {
  const { organization_id, inbox_id, address } = suppressions;
  return and(
    eq(organization_id, recipient.organization_id),
    eq(address, sql`lower(${recipient.address})`),
    sql`${inbox_id} in (${EVERY_INBOX}::uuid, ${recipient.inbox_id})`,
  );
}

/** The condition that one of the `addresses` of the message `m` gets no mail. */
export function hasSuppressed(): SQL {
  return sql`exists (select 1 from ${suppressions} s where s.organization_id = m.organization_id
    and s.address = any(m.addresses) and s.inbox_id in (${EVERY_INBOX}::uuid, m.inbox_id))`;
}

/**
 * @param mailbox that sends; its own suppressions count beside those of its organization
 * @throws ServiceError `recipient_suppressed`, with `addresses`
 */
export async function requireUnsuppressed(
  tx: Transaction,
  mailbox: { id: string; organization_id: string },
  recipients: string[],
): Promise<void> {
  const { organization_id, inbox_id, address, reason, created_at } = suppressions;
  const addresses = [...new Set(recipients.map((each) => each.toLowerCase()))];
  const found = await tx
    .select({ address, reason, since: created_at })
    .from(suppressions)
    .where(
      and(
        eq(organization_id, mailbox.organization_id),
        anyOf(address, addresses),
        anyOf(inbox_id, [EVERY_INBOX, mailbox.id]),
      ),
    )
    .orderBy(asc(address));
  if (found.length === 0) return;
  const first = new Map(found.map((each) => [each.address, { ...each, since: each.since.toISOString() }]));
  const all = [...first.values()];
  const named = all.slice(0, SHOWN).map((each) => `${each.address} (${each.reason})`);
  const more = all.length > SHOWN ? ` and ${all.length - SHOWN} more` : "";
  throw new ServiceError(
    "recipient_suppressed",
    `The message was not sent to anyone. Suppressed: ${named.join(", ")}${more}.`,
    {
      body: { addresses: all } satisfies z.infer<typeof suppressedRecipients>,
    },
  );
}
