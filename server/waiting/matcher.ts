// What a wait is waiting for: the filters of a caller as functions on a mail.
import { RE2JS } from "re2js";
import { readAddress, readDomain } from "../addresses.ts";
import { ServiceError } from "../errors.ts";

export type Filters = { from?: string | undefined; subject?: string | undefined; match?: string | undefined };

export type Matcher = {
  /** What the event says. */
  envelope(mail: { from: string; subject: string }): boolean;
  /** What only the read mail says; undefined when the envelope is enough. */
  text: ((mail: { subject: string; text: string }) => boolean) | undefined;
};

/**
 * @param filters `from`: an address, or a domain with those below it (`example.com` or `@example.com`); `subject`: a part of
 *   it, in any case; `match`: a regular expression (RE2 syntax, linear in the mail) on the subject, a line break and the text
 * @throws ServiceError `invalid_request`
 */
export function readMatcher({ from, subject, match }: Filters): Matcher {
  const isFrom = from === undefined ? undefined : senderFilter(from);
  const part = subject?.toLowerCase();
  const pattern = match === undefined ? undefined : compile(match);
  return {
    envelope: (mail) =>
      (isFrom?.(mail.from.toLowerCase()) ?? true) && (part === undefined || mail.subject.toLowerCase().includes(part)),
    text: pattern && ((mail) => pattern.matcher(`${mail.subject}\n${mail.text}`).find()),
  };
}

function senderFilter(from: string): (sender: string) => boolean {
  const address = readAddress(from)?.address.toLowerCase();
  if (address) return (sender) => sender === address;
  const domain = readDomain(from.replace(/^@/, ""));
  if (!domain) throw wrong("from", "an address such as no-reply@example.com, or a domain such as example.com");
  return (sender) => sender.endsWith(`@${domain}`) || sender.endsWith(`.${domain}`);
}

function compile(match: string): RE2JS {
  try {
    return RE2JS.compile(match);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrong("match", `not a regular expression in RE2 syntax: ${why.slice(0, 200)}`);
  }
}

function wrong(path: string, message: string): ServiceError {
  return new ServiceError("invalid_request", `${path}: ${message}`, { issues: [{ path, message }] });
}
