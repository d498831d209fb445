// Builds the filters of a wait as functions on a mail.
import type { Services } from "../../base/context.ts";
import { readSender } from "../sender.ts";
import { type Pattern, readPattern } from "./match.ts";

export type Filters = { from?: string | undefined; subject?: string | undefined; match?: string | undefined };

export type Matcher = {
  /** Filters on the event. */
  envelope(mail: { from: string; subject: string }): boolean;
  /** Filters on the parsed mail; undefined if the event is enough. */
  pattern: Pattern | undefined;
};

/**
 * @param organizationId of the caller
 * @param filters `from`: an address, a domain with its subdomains (`example.com` or `@example.com`), or a part of the address; `subject`: a
 * part of it, in any case; `match`: a regular expression (RE2 syntax, linear time) on the subject, a line break and the
 * text
 * @throws ServiceError `invalid_request`, `unavailable`
 */
export async function readMatcher(
  ctx: Services,
  organizationId: string,
  { from, subject, match }: Filters,
): Promise<Matcher> {
  const isFrom = from === undefined ? undefined : isOf(from);
  const part = subject?.toLowerCase();
  return {
    envelope: (mail) =>
      (isFrom?.(mail.from.toLowerCase()) ?? true) && (part === undefined || mail.subject.toLowerCase().includes(part)),
    pattern: match === undefined ? undefined : await readPattern(ctx, organizationId, match),
  };
}

/** Whether an address, in lower case, is of the sender. */
function isOf(from: string): (address: string) => boolean {
  const sender = readSender(from);
  if ("address" in sender) return (address) => address === sender.address;
  if ("part" in sender) return (address) => address.includes(sender.part);
  return (address) => address.endsWith(`@${sender.domain}`) || address.endsWith(`.${sender.domain}`);
}
