// Builds the filters of a wait as functions on a mail.
import type { MailKind } from "#db/message-parts.ts";
import type { messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { invalidField } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { recipientFilter } from "../../base/recipient-filter.ts";
import { readSender } from "../sender.ts";
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
  const isFrom = from === undefined ? undefined : isOf(from);
  const isTo = to === undefined ? undefined : recipientFilter(to);
  const part = subject?.toLowerCase();
  const thread = thread_id === undefined ? undefined : decodeId("thr", thread_id);
  return {
    envelope: (mail) =>
      (isFrom?.(mail.from.toLowerCase()) ?? true) &&
      (part === undefined || mail.subject.toLowerCase().includes(part)) &&
      (thread === undefined || decodeId("thr", mail.thread_id) === thread),
    stored: (mail) =>
      (isTo?.([...mail.to_addresses, ...mail.cc_addresses, mail.envelope_to]) ?? true) &&
      (kind === undefined || mail.kind === kind),
    pattern: match === undefined ? undefined : await readPattern(ctx, organizationId, match),
  };
}

/** What an address can contain. */
const PART = /^(?!@$)[^\s@]*@?[^\s@]*$/;

/**
 * Whether an address, in lower case, is of the sender.
 * @throws ServiceError `invalid_request` for a part that no address contains
 */
function isOf(from: string): (address: string) => boolean {
  const sender = readSender(from);
  if ("address" in sender) return (address) => address === sender.address;
  if ("part" in sender && !PART.test(sender.part)) {
    throw invalidField(
      "from",
      "an address such as no-reply@example.com, a domain such as example.com, or a part of an address",
    );
  }
  if ("part" in sender) return (address) => address.includes(sender.part);
  return (address) => address.endsWith(`@${sender.domain}`) || address.endsWith(`.${sender.domain}`);
}
