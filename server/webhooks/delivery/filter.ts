// The filter of a webhook: which messages its events are about. All its fields must match.
import type { WebhookKind } from "#db/event-kinds.ts";
import type { MailKind } from "#db/message-parts.ts";
import { webhooks } from "#db/schema/events.ts";
import { invalidField } from "../../base/errors.ts";
import { recipientFilter } from "../../base/recipient-filter.ts";
import { senderFilter } from "../../base/sender-filter.ts";

/** As the API has it. An empty one matches every message. */
export type Filter = {
  from?: string | undefined;
  to?: string | undefined;
  subject?: string | undefined;
  kind?: MailKind | undefined;
  label?: string | undefined;
};

const { from_filter, to_filter, subject_filter, kind_filter, label_filter } = webhooks;
export const filterColumns = { from_filter, to_filter, subject_filter, kind_filter, label_filter };
/** As it is stored. */
export type StoredFilter = Pick<typeof webhooks.$inferSelect, keyof typeof filterColumns>;

/** What a filter reads of a message. For mail that came in, `recipients` has the recipient used over SMTP. */
export type FilterFields = {
  from: string;
  recipients: readonly (string | null)[];
  subject: string;
  kind: MailKind | null;
  labels: readonly string[];
};

export function hasFilter(filter: StoredFilter): boolean {
  return Object.keys(filterColumns).some((name) => filter[name as keyof StoredFilter] !== null);
}

export function passes(filter: StoredFilter, mail: FilterFields): boolean {
  const { from_filter: from, to_filter: to, subject_filter: subject, kind_filter: kind, label_filter: label } = filter;
  return (
    (kind === null || kind === mail.kind) &&
    (label === null || mail.labels.includes(label)) &&
    (subject === null || mail.subject.toLowerCase().includes(subject.toLowerCase())) &&
    (from === null || senderFilter(from)(mail.from)) &&
    (to === null || recipientFilter(to)(mail.recipients))
  );
}

export function storedFilter({ from, to, subject, kind, label }: Filter): StoredFilter {
  return {
    from_filter: from ?? null,
    to_filter: to ?? null,
    subject_filter: subject ?? null,
    kind_filter: kind ?? null,
    label_filter: label ?? null,
  };
}

export function filterView(stored: StoredFilter): Filter | null {
  const fields = Object.entries({
    from: stored.from_filter,
    to: stored.to_filter,
    subject: stored.subject_filter,
    kind: stored.kind_filter,
    label: stored.label_filter,
  }).filter(([, value]) => value !== null);
  return fields.length === 0 ? null : Object.fromEntries(fields);
}

/** Mail that came in has a kind; mail that was sent has none. */
const OF_MAIL_IN: readonly WebhookKind[] = ["message.received", "message.restored"];

/** @throws ServiceError `invalid_request` for a filter that can never match an event of the webhook */
export function checkFilter(stored: StoredFilter, events: readonly WebhookKind[]): void {
  if (!hasFilter(stored)) return;
  const { from_filter: from, kind_filter: kind, label_filter: label } = stored;
  const ofMessages = events.filter((event) => event.startsWith("message."));
  if (ofMessages.length === 0) throw invalidField("filter", "a filter is for message.* events, and `events` has none");
  if (from !== null) senderFilter(from, "filter.from");
  const sent = ofMessages.find((event) => !OF_MAIL_IN.includes(event));
  if (kind !== null && sent) {
    throw invalidField("filter.kind", `never matches ${sent}, because sent mail has no kind; register it separately`);
  }
  if (label !== null && ofMessages.includes("message.received")) {
    throw invalidField("filter.label", "never matches message.received, because mail has no labels when it arrives");
  }
}
