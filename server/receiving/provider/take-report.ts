// Records what a provider reports about a sent message, once for each event.
import { and, eq, isNotNull, isNull, or } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { providerEvents } from "#db/schema/events.ts";
import { messageRecipients, messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { decodeId } from "../../base/ids.ts";
import type { ProviderReport } from "../../base/ports/provider-events.ts";
import { readCodes } from "../../recipients/outcomes/codes.ts";
import { type Outcome, recordOutcome } from "../../recipients/outcomes/record.ts";

/**
 * `unknown`: no message of this service. `ambiguous`: the message has several recipients, and the event does not say
 * which of them it is about.
 */
export type ReportResult = "recorded" | "repeated" | "unknown" | "ambiguous";

type Recipient = Pick<typeof messageRecipients.$inferSelect, "index" | "address">;
type Reported = Pick<typeof messages.$inferSelect, "id" | "to_addresses"> & { recipients: Recipient[] };

/** Idempotent: the id of the event is stored in the transaction that records its effect. */
export async function takeReport(ctx: Ctx<System>, eventId: string, report: ProviderReport): Promise<ReportResult> {
  const taken = await ctx.db.transaction(async (tx) => {
    const message = await findMessage(tx, report);
    if (!message) return "unknown";
    const recipient = recipientOf(message, report);
    if (!recipient) return "ambiguous";
    if (!(await remember(tx, eventId, ctx.now()))) return "repeated";
    return recordOutcome(ctx, tx, outcomeOf(message.id, recipient, report, ctx.now()));
  });
  if (typeof taken === "string") return taken;
  ctx.eventLog.announce(taken);
  return "recorded";
}

/** An event may arrive before the provider's id of the message is stored, or after the message was erased. Then the tag names it. */
async function findMessage(tx: Transaction, report: ProviderReport): Promise<Reported | undefined> {
  const { id, to_addresses, provider_message_id, direction } = messages;
  const tagged = report.taggedId === null ? undefined : decodeId("msg", report.taggedId);
  const isNamed = eq(provider_message_id, report.providerMessageId);
  const isTagged =
    tagged === undefined ? undefined : and(eq(id, tagged), isNull(provider_message_id), eq(direction, "outbound"));
  const [message] = await tx.select({ id, to_addresses }).from(messages).where(or(isNamed, isTagged)).limit(1);
  const { message_id, index, address, counted_at } = messageRecipients;
  if (message) {
    const recipients = await tx.select({ index, address }).from(messageRecipients).where(eq(message_id, message.id));
    return { ...message, recipients };
  }
  if (tagged === undefined) return;
  const isErased = and(eq(message_id, tagged), isNotNull(counted_at));
  const recipients = await tx.select({ index, address }).from(messageRecipients).where(isErased);
  return recipients.length > 0 ? { id: tagged, to_addresses: [], recipients } : undefined;
}

/** @returns false if the event was taken before; waits for another transaction that takes it now */
async function remember(tx: Transaction, eventId: string, now: Date): Promise<boolean> {
  const { count } = await tx.insert(providerEvents).values({ id: eventId, created_at: now }).onConflictDoNothing();
  return count > 0;
}

/**
 * The recipient that an event is about. Events of messages with several recipients may name the whole To field, whatever
 * recipient they are about; then only the words of the receiving server can name one.
 */
function recipientOf({ recipients, to_addresses }: Reported, { addresses, reason }: ProviderReport) {
  if (recipients.length === 1) return recipients[0];
  const named = recipients.filter(({ address }) => addresses.includes(address.toLowerCase()));
  const isWholeField = to_addresses.every((address) => addresses.includes(address.toLowerCase()));
  if (named.length === 1 && !isWholeField) return named[0];
  const words = reason?.toLowerCase().split(/[\s<>(),;:"']+/) ?? [];
  const inWords = recipients.filter(({ address }) => words.includes(address.toLowerCase()));
  return inWords.length === 1 ? inWords[0] : undefined;
}

function outcomeOf(messageId: string, { index }: Recipient, report: ProviderReport, now: Date): Outcome {
  const { status, reason, permanent } = report;
  return {
    messageId,
    index,
    status,
    ...readCodes(reason ?? ""),
    reason,
    permanent: permanent ?? undefined,
    at: report.at > now ? now : report.at,
  };
}
