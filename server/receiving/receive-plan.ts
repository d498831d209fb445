// Plans a batch of mails: finds duplicates, assigns threads, and creates events and deliveries.
import type { MailKind } from "#db/message-parts.ts";
import type { inboxes, threads } from "#db/schema/mail.ts";
import { encodeId, newId } from "../base/ids.ts";
import type { Span } from "../base/ports/tracing.ts";
import { EVENT_KIND, type NewEvent } from "../events/record.ts";
import type { EventBody } from "../events/schema.ts";
import { type Quotas, storedBytes } from "../inboxes/storage/count.ts";
import type { DueDelivery } from "../webhooks/delivery/due-delivery.ts";
import type { EndpointRecord } from "../webhooks/delivery/endpoint.ts";
import { passes, type StoredFilter } from "../webhooks/delivery/filter.ts";
import { filterFieldsOf } from "../webhooks/delivery/subscribers.ts";
import { type MailSummary, storable } from "./headers.ts";

const EVENT_SPAN = `event ${EVENT_KIND}`;
const DUPLICATE_WINDOW_MS = 72 * 3_600_000;
const ADDRESS_CHARS = 320;
const HELO_CHARS = 320;

export type IncomingMail = {
  /** Empty for the null sender. */
  envelopeFrom: string;
  recipients: string[];
  raw: Buffer;
  remoteIp: string | null;
  helo: string | null;
  /** The same for every copy of this delivery: without a Message-ID, copies are found by it. */
  onceId?: string;
  /** Message-ID of the message to whose return path it came: it is in the thread of that message unless its own headers name another one. */
  answered?: string | null;
  /** The service itself sent it, from `envelopeFrom`, which is its From too: nothing of its sender is checked. */
  isOwn?: boolean;
  /** Of the SMTP client's mail. */
  span?: Span | undefined;
};

/**
 * `stored`: on disk; `ids` are the messages (UUIDs), one per mailbox, in the order of the recipients.
 * `unknown_recipient`: the address has no live mailbox, so nothing was stored. `over_quota`: the mailbox or its
 * organization has no quota left, so nothing was stored. `looping`: too many hops. `blocked`: the lists of every mailbox
 * refuse the sender. `undecided`: they depend on DMARC, which could not be checked now.
 */
export type ReceiveOutcome =
  | { outcome: "stored"; ids: string[]; mailboxes: Pick<Inbox, "id" | "organization_id">[] }
  | { outcome: "unknown_recipient"; address: string }
  | { outcome: "over_quota"; address: string; mailbox: Pick<Inbox, "id" | "organization_id"> }
  | { outcome: "looping" }
  | { outcome: "blocked" }
  | { outcome: "undecided" };

/** `listed`: a mailbox has lists of senders, which must be read before the mail is stored. */
export type StoreOutcome = ReceiveOutcome | { outcome: "listed"; mailboxes: Inbox[] };

export type PreparedMail = IncomingMail & {
  summary: MailSummary;
  kind: MailKind;
  /** Mailbox → the recipient address of the mail. */
  mailboxes: Map<string, string>;
  /** Hex; null: never a duplicate. */
  duplicateKey: string | null;
  /** Whether the lists of its mailboxes were read. */
  isJudged: boolean;
};

export type Inbox = Pick<typeof inboxes.$inferSelect, "id" | "organization_id" | "address"> & {
  /** Whether it or its organization has a list of senders. */
  listed: boolean;
  /** Whether its mail waits for the verdict on spam. */
  quarantines: boolean;
};
/** A webhook of an inbox, as it was read. */
export type Hook = EndpointRecord & { inbox_id: string; webhook_id: string } & StoredFilter;
export type Known = {
  inboxes: Map<string, Inbox>;
  /** `inbox_id key` → the message stored under it. */
  duplicates: Map<string, { id: string; created_at: Date }>;
  /** `inbox_id Message-ID` → thread. */
  threads: Map<string, string>;
  /** Mailbox or organization → bytes stored, including those planned so far. */
  stored: Map<string, number>;
  quotas: Quotas;
  hooks: Map<string, Hook[]>;
};
type Row = Pick<typeof threads.$inferSelect, "id" | "organization_id" | "inbox_id">;
export type Plan = {
  /** By id: new threads, and existing ones with their newest message. */
  threads: Map<string, Row & Pick<typeof threads.$inferSelect, "subject" | "last_message_id">>;
  messages: PlannedMessage[];
  events: NewEvent[];
  deliveries: DueDelivery[];
  /** Of the events; they end when the events are stored. */
  spans: Span[];
  /** Messages that give up their duplicate key, because they are as old as the window. */
  stale: string[];
};

/** The row of a new message, with its raw bytes. */
export type PlannedMessage = ReturnType<typeof messageRow>;

/** Oldest first; the last known one wins. */
export function threadReferences({ answered, summary }: PreparedMail): string[] {
  const { references, inReplyTo } = summary;
  const named = inReplyTo === null || references.includes(inReplyTo) ? references : [...references, inReplyTo];
  return answered ? [answered, ...named] : named;
}

function messageRow(
  mail: PreparedMail,
  recipient: string,
  ids: Row & { thread_id: string; traceparent: string | undefined; quarantine: "pending" | null },
) {
  const { summary } = mail;
  const envelopeFrom = storable(mail.envelopeFrom, ADDRESS_CHARS);
  return {
    ...ids,
    from_address: summary.from?.address ?? envelopeFrom,
    from_name: summary.from?.name ?? null,
    to_addresses: summary.to,
    cc_addresses: summary.cc,
    reply_to: summary.replyTo,
    subject: summary.subject,
    kind: mail.kind,
    rfc_message_id: summary.messageId,
    in_reply_to: summary.inReplyTo,
    references_ids: summary.references,
    size: mail.raw.length,
    envelope_from: envelopeFrom,
    envelope_to: storable(recipient, ADDRESS_CHARS),
    remote_ip: mail.remoteIp,
    helo: mail.helo === null ? null : storable(mail.helo, HELO_CHARS),
    local_sender: mail.isOwn ? envelopeFrom : null,
    duplicate_key: mail.duplicateKey,
    raw: mail.raw,
  };
}

function planMessage(
  plan: Plan,
  known: Known,
  mail: PreparedMail,
  { inbox, now }: { inbox: Inbox; now: Date },
): string {
  const id = newId();
  const base = { organization_id: inbox.organization_id, inbox_id: inbox.id };
  const { summary } = mail;
  const referenced = threadReferences(mail).findLast((each) => known.threads.has(`${inbox.id} ${each}`));
  const threadId = known.threads.get(`${inbox.id} ${referenced}`) ?? newId();
  const quarantine = inbox.quarantines && !mail.isOwn ? "pending" : null;
  const own = `${inbox.id} ${summary.messageId}`;
  // Everyone who got a mail can send another one with its Message-ID, which must not take its answers.
  if (summary.messageId !== null && !known.threads.has(own)) known.threads.set(own, threadId);
  const span = mail.span?.child({ name: EVENT_SPAN, kind: "producer" });
  if (span) plan.spans.push(span);
  const traceparent = span?.traceparent;
  const row = messageRow(mail, mail.mailboxes.get(inbox.address) ?? inbox.address, {
    ...base,
    id,
    thread_id: threadId,
    traceparent,
    quarantine,
  });
  plan.messages.push(row);
  // quarantine.ts does the rest when the verdict is known.
  if (quarantine) return id;
  const subject = plan.threads.get(threadId)?.subject ?? summary.subject;
  plan.threads.set(threadId, { ...base, id: threadId, subject, last_message_id: id });
  const eventId = newId();
  const message = {
    id: encodeId("msg", id),
    thread_id: encodeId("thr", threadId),
    from: row.from_address,
    subject: summary.subject,
    received_at: now.toISOString(),
  };
  const event: EventBody = { event: EVENT_KIND, inbox: inbox.address, message };
  const body = JSON.stringify(event);
  plan.events.push({ ...base, id: eventId, message_id: id, kind: EVENT_KIND, body, traceparent });
  const filtered = filterFieldsOf({ ...row, bcc_addresses: [], labels: [] });
  for (const found of known.hooks.get(inbox.id) ?? []) {
    if (!passes(found, filtered)) continue;
    const { from_filter, to_filter, subject_filter, kind_filter, label_filter, ...hook } = found;
    const ids = { id: newId(), event_id: eventId };
    plan.deliveries.push({ ...ids, attempts: 0, body, event_kind: EVENT_KIND, traceparent, ...hook });
  }
  return id;
}

/**
 * Counts a mail for these mailboxes.
 * @returns the first mailbox without quota; then nothing is counted
 */
function takeRoom({ stored, quotas }: Known, inboxes: Inbox[], bytes: number): Inbox | undefined {
  const count = (sign: 1 | -1) => {
    for (const id of inboxes.flatMap((inbox) => [inbox.id, inbox.organization_id])) {
      stored.set(id, (stored.get(id) ?? 0) + sign * bytes);
    }
  };
  const isOver = (inbox: Inbox) =>
    (stored.get(inbox.id) ?? 0) > quotas.inbox || (stored.get(inbox.organization_id) ?? 0) > quotas.organization;
  count(1);
  const full = inboxes.find(isOver);
  if (full) count(-1);
  return full;
}

export function planMail(plan: Plan, known: Known, mail: PreparedMail, now: Date): StoreOutcome {
  const inboxes: Inbox[] = [];
  for (const [address, recipient] of mail.mailboxes) {
    const inbox = known.inboxes.get(address);
    if (!inbox) return { outcome: "unknown_recipient", address: recipient };
    inboxes.push(inbox);
  }
  if (!mail.isJudged && inboxes.some(({ listed }) => listed)) return { outcome: "listed", mailboxes: inboxes };
  const keyOf = (inbox: Inbox) => `${inbox.id} ${mail.duplicateKey}`;
  const earlierOf = (inbox: Inbox) => (mail.duplicateKey === null ? undefined : known.duplicates.get(keyOf(inbox)));
  const isNew = (inbox: Inbox) =>
    now.getTime() - (earlierOf(inbox)?.created_at.getTime() ?? Number.NEGATIVE_INFINITY) >= DUPLICATE_WINDOW_MS;
  const full = takeRoom(known, inboxes.filter(isNew), storedBytes(mail.raw.length));
  if (full) {
    const { id, organization_id, address } = full;
    const mailbox = { id, organization_id };
    return { outcome: "over_quota", address: mail.mailboxes.get(address) ?? address, mailbox };
  }
  const ids = inboxes.map((inbox) => {
    const earlier = earlierOf(inbox);
    if (earlier && !isNew(inbox)) return earlier.id;
    if (earlier) plan.stale.push(earlier.id);
    const id = planMessage(plan, known, mail, { inbox, now });
    if (mail.duplicateKey !== null) known.duplicates.set(keyOf(inbox), { id, created_at: now });
    return id;
  });
  const mailboxes = inboxes.map(({ id, organization_id }) => ({ id, organization_id }));
  return { outcome: "stored", ids, mailboxes };
}
