// Which headers the author of a message may add, and why the others are refused.

const NAME_CHARS = 76;
const NAME = new RegExp(`^[A-Za-z][A-Za-z0-9-]{0,${NAME_CHARS - 1}}$`);
export const HEADER_VALUE_CHARS = 998;
export const HEADERS_MAX = 20;
/** Of all names and values in UTF-8. */
export const HEADERS_MAX_BYTES = 8_192;

/**
 * Names by which mail services take orders (templates, tracking, other recipients) or name messages in their events. They would
 * act with the operator's account there.
 */
const OF_RELAYS =
  /^x-(?:ses-|smtpapi|mailgun-|pm-|mc-|msys-|mailjet-|mj-|mailin-|sib-|resend-|mt-|postal-|mailersend-|virtual-?mta|mailberth-)/;
const OF_SPAM_FILTERS = /^x-spam/;
/** What the fields of a send write, and which field it is. */
const FIELDS = new Map(
  Object.entries({
    from: "the mailbox is the sender, and `from_name` is its name",
    to: "use the field `to`",
    cc: "use the field `cc`",
    bcc: "use the field `bcc`",
    subject: "use the field `subject`",
    "reply-to": "use the field `reply_to`",
    "in-reply-to": "use the field `in_reply_to`, or reply to the message",
    references: "it follows from the message that is answered",
  }),
);
/** What says how a mail was made and came to its reader. */
const OF_TRANSPORT =
  /^(?:date|message-id|sender|mime-version|content-.*|received.*|return-.*|resent-.*|dkim-.*|domainkey-.*|arc-.*|authentication-results|delivered-to|envelope-.*|original-.*)$/;
const ALLOWED =
  /^(?:(?:x|list)-.+|auto-submitted|precedence|importance|priority|organization|keywords|comments|feedback-id|sensitivity|content-language)$/;
const ALLOWED_NAMES =
  "X-…, List-…, Auto-Submitted, Precedence, Importance, Priority, Organization, Keywords, Comments, Feedback-ID, Sensitivity, Content-Language";

/** Why an author must not set the header; undefined if it may be set. */
export function headerNameFault(name: string): string | undefined {
  if (!NAME.test(name)) return `a name has 1 to ${NAME_CHARS} ASCII letters, digits and -, and begins with a letter`;
  const key = name.toLowerCase();
  const field = FIELDS.get(key);
  if (field !== undefined) return `cannot be set as a header: ${field}`;
  if (OF_RELAYS.test(key))
    return "cannot be set: mail services take orders from headers of this name, or name messages by them";
  if (OF_SPAM_FILTERS.test(key)) return "cannot be set: spam filters write headers of this name";
  if (ALLOWED.test(key)) return;
  if (OF_TRANSPORT.test(key)) return "cannot be set: the service and the mail servers on the way write it";
  return `cannot be set; the headers that can be set are ${ALLOWED_NAMES}`;
}

type Fault = { name?: string; message: string };

/** What is wrong with the headers of an author as a whole and by name. Their values are lines of text already. */
export function headerFaults(headers: Record<string, string>): Fault[] {
  const given = Object.entries(headers);
  if (given.length > HEADERS_MAX) return [{ message: `at most ${HEADERS_MAX} headers` }];
  const bytes = given.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  if (bytes > HEADERS_MAX_BYTES)
    return [{ message: `names and values have at most ${HEADERS_MAX_BYTES} bytes together` }];
  const seen = new Set<string>();
  return given.flatMap(([name]) => {
    const key = name.toLowerCase();
    const message = seen.has(key) ? "is there already: upper and lower case make no difference" : headerNameFault(name);
    seen.add(key);
    return message === undefined ? [] : [{ name: name.slice(0, NAME_CHARS), message }];
  });
}

/** Headers that `list_unsubscribe` writes. */
export function findUnsubscribeHeader(headers: Record<string, string>): string | undefined {
  return Object.keys(headers).find((name) => /^list-unsubscribe(?:-post)?$/i.test(name));
}
