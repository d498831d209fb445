// Records what a provider reports about sent messages, once for each event.
import { and, eq, or } from "drizzle-orm";
import { plainOf, type Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { messageRecipients, messages } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { decodeId } from "../../base/ids.ts";
import type { MessageNames, ProviderEvent, ProviderReport } from "../../base/ports/provider-events.ts";
import { readOwnMessageId } from "../../recipients/limits/correspondents.ts";
import { readCodes } from "../../recipients/outcomes/codes.ts";
import { type Outcome, recordOutcomes } from "../../recipients/outcomes/record.ts";
import { unsubscribeWithin } from "../../recipients/suppressions/unsubscribe.ts";
import { readReturnPath } from "../returns/return-path.ts";
import { spendEventIds } from "./event-ids.ts";

/** Events of one transaction. */
const BATCH = 100;

/**
 * `unknown`: no message of this service, or not to this recipient. `ambiguous`: the message has several recipients, and the event does
 * not say which of them it is about.
 */
export type ReportResult = "recorded" | "repeated" | "unknown" | "ambiguous";
export type ReportEvent = Extract<ProviderEvent, { kind: "report" }>;

type Recipient = Pick<
  typeof messageRecipients.$inferSelect,
  "message_id" | "index" | "address" | "inbox_id" | "counted_at"
>;
type Reported = { to_addresses: string[]; recipients: Recipient[] };
type Judged = { event: ReportEvent; recipient: Recipient | undefined; result: Exclude<ReportResult, "repeated"> };

/** Idempotent: the id of an event is stored in the transaction that records its effect. */
export async function takeReports(ctx: Ctx<System>, events: ReportEvent[]): Promise<ReportResult[]> {
  const results: ReportResult[] = [];
  const isUnsubscription = ({ report }: ReportEvent) => report.status === "unsubscribed";
  for (const event of events.filter(isUnsubscription)) results.push(await takeUnsubscription(ctx, event));
  let left = events.filter((event) => !isUnsubscription(event));
  while (left.length > 0) {
    const { taken, postponed } = await takeBatch(ctx, left.slice(0, BATCH));
    results.push(...taken);
    left = [...postponed, ...left.slice(BATCH)];
  }
  return results;
}

/** In a transaction of its own: it locks the mailbox, which outcomes lock after their messages. */
async function takeUnsubscription(ctx: Ctx<System>, event: ReportEvent): Promise<ReportResult> {
  const { result, recorded } = await ctx.db.transaction(async (tx) => {
    const [judged] = await judgeAll(ctx, tx, [event]);
    const [result = "unknown"] = await resultsOf(ctx, tx, judged ? [judged] : []);
    const { inbox_id: inboxId, address } = judged?.recipient ?? {};
    const isNew = result === "recorded" && inboxId !== undefined && address !== undefined;
    const who = isNew ? { inboxId, address: address.toLowerCase() } : undefined;
    const suppressed = who ? await unsubscribeWithin(tx, who, ctx.now()) : [];
    return { result, recorded: await ctx.eventLog.record(plainOf(tx), suppressed, ctx.now()) };
  });
  ctx.eventLog.announce(recorded);
  return result;
}

/** @returns `postponed`: the events whose recipient or id another event of this batch has too */
async function takeBatch(ctx: Ctx<System>, batch: ReportEvent[]) {
  const { taken, postponed, recorded } = await ctx.db.transaction(async (tx) => {
    const seen = new Set<string>();
    const [now, postponed]: [Judged[], ReportEvent[]] = [[], []];
    for (const judged of await judgeAll(ctx, tx, batch)) {
      const { event, recipient } = judged;
      const keys = [event.id, ...(recipient ? [`${recipient.message_id} ${recipient.index}`] : [])];
      if (keys.some((key) => seen.has(key))) postponed.push(event);
      else now.push(judged);
      for (const key of keys) seen.add(key);
    }
    const taken = await resultsOf(ctx, tx, now);
    const outcomes = now.flatMap(({ event, recipient }, i) =>
      recipient && taken[i] === "recorded" ? outcomeOf(recipient, event.report, ctx.now()) : [],
    );
    return { taken, postponed, recorded: await recordOutcomes(ctx, tx, outcomes) };
  });
  ctx.eventLog.announce(recorded);
  return { taken, postponed };
}

/** Stores the ids of the events that have an effect, or that count only once. */
async function resultsOf(ctx: Ctx<System>, tx: Transaction, all: Judged[]): Promise<ReportResult[]> {
  const isStored = ({ event, recipient }: Judged) => recipient !== undefined || event.once === true;
  const ids = all.filter(isStored).map(({ event }) => event.id);
  const fresh = await spendEventIds(tx, ids, ctx.now());
  return all.map((judged) => (isStored(judged) && !fresh.has(judged.event.id) ? "repeated" : judged.result));
}

/** Finds the recipient of each event. */
async function judgeAll(ctx: Ctx<System>, tx: Transaction, events: ReportEvent[]): Promise<Judged[]> {
  const find = await findMessages(
    ctx,
    tx,
    events.map(({ report }) => report.message),
  );
  return events.map((event) => {
    const message = find(event.report.message);
    const recipient = message && recipientOf(message, event.report);
    if (recipient) return { event, recipient, result: "recorded" };
    return { event, recipient: undefined, result: message && "field" in event.report.about ? "ambiguous" : "unknown" };
  });
}

/** UUIDs. `own`: this service signed it, as a return path or a Message-ID. */
function idsOf(ctx: Ctx<System>, { returnPath, messageId, taggedId }: MessageNames) {
  const returned = returnPath === null ? undefined : readReturnPath(ctx, returnPath);
  const own = typeof returned === "object" ? returned.messageId : readOwnMessageId(ctx.secrets, messageId ?? "");
  return { own, tagged: taggedId === null ? undefined : decodeId("msg", taggedId) };
}

/**
 * An event may arrive before the provider's id of the message is stored, or after the message was erased. Then what this service wrote
 * into the message names it.
 */
async function findMessages(ctx: Ctx<System>, tx: Transaction, named: MessageNames[]) {
  const uuids = [
    ...new Set(named.flatMap((names) => Object.values(idsOf(ctx, names)).filter((id) => id !== undefined))),
  ];
  const provided = named.flatMap(({ providerMessageId }) => providerMessageId ?? []);
  const { id, to_addresses, provider_message_id, direction } = messages;
  const rows = await tx
    .select({ id, to_addresses, provider_message_id })
    .from(messages)
    .where(and(or(anyOf(id, uuids), anyOf(provider_message_id, provided)), eq(direction, "outbound")));
  const { message_id, index, address, inbox_id, counted_at } = messageRecipients;
  const recipients = await tx
    .select({ message_id, index, address, inbox_id, counted_at })
    .from(messageRecipients)
    .where(anyOf(message_id, [...new Set([...uuids, ...rows.map((row) => row.id)])]));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byProvider = new Map(rows.map((row) => [row.provider_message_id, row]));
  const ofMessage = Map.groupBy(recipients, (recipient) => recipient.message_id);
  return (names: MessageNames): Reported | undefined => {
    const { own, tagged = "" } = idsOf(ctx, names);
    const { providerMessageId } = names;
    const isTagged = providerMessageId === null || byId.get(tagged)?.provider_message_id === null;
    const provider = providerMessageId === null ? undefined : byProvider.get(providerMessageId);
    const message = own === undefined ? (provider ?? (isTagged ? byId.get(tagged) : undefined)) : byId.get(own);
    if (message) return { to_addresses: message.to_addresses, recipients: ofMessage.get(message.id) ?? [] };
    const left = ofMessage.get(own ?? tagged) ?? [];
    const isErased = left.length > 0 && left.every((recipient) => recipient.counted_at !== null);
    return isErased ? { to_addresses: [], recipients: left } : undefined;
  };
}

/**
 * The recipient that an event is about. Events of messages with several recipients may name the whole To field, whatever
 * recipient they are about; then only the words of the receiving server can name one.
 */
function recipientOf({ recipients, to_addresses }: Reported, { about, reason }: ProviderReport): Recipient | undefined {
  const isNamed = (names: string[]) => recipients.filter(({ address }) => names.includes(address.toLowerCase()));
  if ("recipient" in about) return isNamed([about.recipient])[0];
  if (recipients.length === 1) return recipients[0];
  const named = isNamed(about.field);
  const isWholeField = to_addresses.every((address) => about.field.includes(address.toLowerCase()));
  if (named.length === 1 && !isWholeField) return named[0];
  const inWords = isNamed(reason?.toLowerCase().split(/[\s<>(),;:"']+/) ?? []);
  return inWords.length === 1 ? inWords[0] : undefined;
}

function outcomeOf({ message_id, index }: Recipient, report: ProviderReport, now: Date): Outcome[] {
  const { status, reason, permanent } = report;
  if (status === "unsubscribed") return [];
  const at = report.at > now ? now : report.at;
  const said = { reason, permanent: permanent ?? undefined, ...readCodes(reason ?? "") };
  return [{ messageId: message_id, index, status, ...said, at }];
}
