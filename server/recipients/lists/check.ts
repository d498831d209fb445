// Refuses a message to recipients that the lists of the mailbox or of its organization do not allow.
import { z } from "zod";
import type { Transaction } from "#db/client.ts";
import { EVERY_INBOX } from "#db/conditions.ts";
import { ServiceError } from "../../base/errors.ts";
import { readRules } from "./rules.ts";
import { type Mailbox, type Refusal, refusalOf } from "./verdict.ts";

/** Named in the message; the answer lists all. */
const SHOWN = 3;
const ADDRESSES_MAX = 100;

const blockedRecipient = z
  .object({
    address: z.string().meta({ description: "The address, in lower case." }),
    list: z.enum(["allow", "block"]).meta({ description: "The list that decided." }),
    scope: z.enum(["organization", "inbox"]).meta({ description: "Whose list it is." }),
    entry: z.string().nullable().meta({
      description: "The entry. Null: the allow list does not cover the address.",
    }),
    reason: z.string().nullable().meta({ description: "The reason of the entry." }),
  })
  .meta({ description: "One blocked recipient." });

/** Beside `error` in the body of a 403 of a send. */
export const blockedRecipients = z
  .object({
    addresses: z.array(blockedRecipient).optional().meta({
      description: "The blocked recipients. Present with `recipient_blocked`.",
      maxItems: ADDRESSES_MAX,
    }),
  })
  .meta({ id: "BlockedRecipients", description: "The blocked recipients in a 403 answer." });

/** @throws ServiceError `recipient_blocked`, with `addresses` */
export async function requireAllowed(tx: Transaction, mailbox: Mailbox, recipients: string[]): Promise<void> {
  const addresses = [...new Set(recipients.map((each) => each.toLowerCase()))].sort();
  const rules = await readRules(tx, [mailbox], "send", addresses);
  if (rules.entries.length + rules.allowing.length === 0) return;
  const refused = addresses.flatMap((address) => {
    const refusal = refusalOf(mailbox, rules, { blocked: [address], allowed: [address] });
    return refusal ? { address, ...view(refusal) } : [];
  });
  if (refused.length === 0) return;
  const named = refused.slice(0, SHOWN).map(describe);
  const more = refused.length > SHOWN ? ` and ${refused.length - SHOWN} more` : "";
  throw new ServiceError(
    "recipient_blocked",
    `The message was not sent to anyone. Blocked: ${named.join(", ")}${more}.`,
    {
      body: { addresses: refused } satisfies z.infer<typeof blockedRecipients>,
    },
  );
}

/** `entry` null: an allow list exists, and has no entry for the address. */
function view({ rule, inboxId }: Refusal) {
  const scope = inboxId === EVERY_INBOX ? ("organization" as const) : ("inbox" as const);
  return {
    list: rule ? ("block" as const) : ("allow" as const),
    scope,
    entry: rule?.entry ?? null,
    reason: rule?.reason ?? null,
  };
}

function describe({ address, entry, scope, reason }: { address: string } & ReturnType<typeof view>): string {
  const whose = scope === "inbox" ? "the mailbox" : "the organization";
  if (entry === null) return `${address} (not on the allow list of ${whose})`;
  return `${address} (${entry} is on the block list of ${whose}${reason === null ? "" : `: ${reason}`})`;
}
