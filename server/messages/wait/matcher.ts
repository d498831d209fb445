// Builds the filters of a wait as functions on a mail.
import type { MailKind } from "#db/message-parts.ts";
import type { messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { decodeId } from "../../base/ids.ts";
import { recipientFilter } from "../../base/recipient-filter.ts";
import { senderFilter } from "../../base/sender-filter.ts";
import { type Pattern, readPattern } from "./match.ts";

export type Filters = {
  from?: string | undefined;
  to?: string | undefined;
  kind?: MailKind | undefined;
  subject?: string | undefined;
  thread_id?: string | undefined;
  match?: string | undefined;
};
/** The part of an event that the filters read. */
type Envelope = { from: string; subject: string; thread_id: string };

type Stored = Pick<typeof messages.$inferSelect, "to_addresses" | "cc_addresses" | "envelope_to" | "kind">;

export type Matcher = {
  /** Filters on the event. */
  envelope(mail: Envelope): boolean;
  /** The filters on the stored mail: its recipients and kind. */
  stored(mail: Stored): boolean;
  /** Filters on the parsed mail; undefined if the event is enough. */
  pattern: Pattern | undefined;
};

/**
 * @param organizationId of the caller
 * @param filters `from`: an address, a domain with its subdomains (`example.com` or `@example.com`), or a part of the address; `subject`: a
 * part of it, in any case; `to`: an address, or a part of it; `thread_id`; `match`: a regular expression (RE2 syntax, linear time) on the subject, a line break and the
 * text
 * @throws ServiceError `invalid_request`, `unavailable`
 */
export async function readMatcher(
  ctx: Services,
  organizationId: string,
  { from, to, kind, subject, thread_id, match }: Filters,
): Promise<Matcher> {
  const isFrom = from === undefined ? undefined : senderFilter(from);
  const isTo = to === undefined ? undefined : recipientFilter(to);
  const part = subject?.toLowerCase();
  const thread = thread_id === undefined ? undefined : decodeId("thr", thread_id);
  return {
    envelope: (mail) =>
      (isFrom?.(mail.from) ?? true) &&
      (part === undefined || mail.subject.toLowerCase().includes(part)) &&
      (thread === undefined || decodeId("thr", mail.thread_id) === thread),
    stored: (mail) =>
      (isTo?.([...mail.to_addresses, ...mail.cc_addresses, mail.envelope_to]) ?? true) &&
      (kind === undefined || mail.kind === kind),
    pattern: match === undefined ? undefined : await readPattern(ctx, organizationId, match),
  };
}
