// Builds the filters of a wait as functions on a mail.
import { readAddress, readDomain } from "../../base/addresses.ts";
import type { Services } from "../../base/context.ts";
import { invalidField } from "../../base/errors.ts";
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
 * @param filters `from`: an address, or a domain with its subdomains (`example.com` or `@example.com`); `subject`: a
 * part of it, in any case; `match`: a regular expression (RE2 syntax, linear time) on the subject, a line break and the
 * text
 * @throws ServiceError `invalid_request`, `unavailable`
 */
export async function readMatcher(
  ctx: Services,
  organizationId: string,
  { from, subject, match }: Filters,
): Promise<Matcher> {
  const isFrom = from === undefined ? undefined : readSender(from);
  const part = subject?.toLowerCase();
  return {
    envelope: (mail) =>
      (isFrom?.(mail.from.toLowerCase()) ?? true) && (part === undefined || mail.subject.toLowerCase().includes(part)),
    pattern: match === undefined ? undefined : await readPattern(ctx, organizationId, match),
  };
}

/** @throws ServiceError `invalid_request` */
export function readSender(from: string): (sender: string) => boolean {
  const address = readAddress(from)?.address.toLowerCase();
  if (address) return (sender) => sender === address;
  const domain = readDomain(from.replace(/^@/, ""));
  if (!domain) throw invalidField("from", "an address such as no-reply@example.com, or a domain such as example.com");
  return (sender) => sender.endsWith(`@${domain}`) || sender.endsWith(`.${domain}`);
}
