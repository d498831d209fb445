// One-click unsubscription: the signed link in a message, and what it does.
import { eq, sql } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { readSignedAddress, signAddress } from "../../base/macs.ts";
import type { NewEvent } from "../../events/record.ts";
import { BY_SERVICE, suppress } from "./suppress.ts";

export const UNSUBSCRIBE_BASE = "/unsubscribe/";

/** Who unsubscribes from which mailbox. The address is in lower case. */
type Unsubscription = { inboxId: string; address: string };

type Recipients = { to: string[]; cc: string[]; bcc: string[] };

/**
 * A link names one recipient.
 * @throws ServiceError `invalid_request`
 */
export function requireOneRecipient({ to, cc, bcc }: Recipients): void {
  if (to.length + cc.length + bcc.length === 1) return;
  throw invalidField("list_unsubscribe", "the message must have exactly one recipient");
}

/** The link never expires: people unsubscribe by old mail. */
export function unsubscribeUrl(
  { settings, secrets }: Pick<Services, "settings" | "secrets">,
  { inboxId, address }: Unsubscription,
): string {
  const token = signAddress(secrets, "unsubscribe", { kind: "inb", id: inboxId, address });
  return `${settings.PUBLIC_URL}${UNSUBSCRIBE_BASE}${token}`;
}

/** @throws ServiceError `not_found` if this service did not make the token */
export function readUnsubscription({ secrets }: Pick<Services, "secrets">, token: string): Unsubscription {
  const signed = readSignedAddress(secrets, "unsubscribe", { kind: "inb", token });
  if (!signed) {
    throw new ServiceError("not_found", "This unsubscribe link is not valid. Use the whole link from the mail.");
  }
  return { inboxId: signed.id, address: signed.address };
}

/** Suppresses the address for the mailbox. A second time it changes nothing. */
export async function unsubscribe(
  { db, now, eventLog }: Pick<Services, "db" | "now" | "eventLog">,
  who: Unsubscription,
): Promise<void> {
  const recorded = await db.transaction(async (tx) =>
    eventLog.record(plainOf(tx), await unsubscribeWithin(tx, who, now()), now()),
  );
  eventLog.announce(recorded);
}

/** In the caller's transaction, for the mailbox or the one that has its address now. @returns the events, for its end */
export async function unsubscribeWithin(
  tx: Transaction,
  { inboxId, address }: Unsubscription,
  at: Date,
): Promise<NewEvent[]> {
  const { organization_id, superseded_by } = inboxes;
  // A new mailbox that takes over the address waits, and then gets this too.
  const [inbox] = await tx
    .select({ organization_id, inbox_id: sql<string>`coalesce(${superseded_by}, ${inboxes.id})` })
    .from(inboxes)
    .where(eq(inboxes.id, inboxId))
    .for("share");
  if (!inbox) return [];
  const own = { ...inbox, address, reason: "unsubscribed", message_id: null, ...BY_SERVICE };
  return (await suppress(tx, [own], at)).events;
}
