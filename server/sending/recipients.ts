// Computes the recipients of a reply: each address once, and never the mailbox itself in any spelling or with a plus
// tag.
import type { RecipientNames } from "#db/message-parts.ts";
import { readAddress, readMailbox, shownName } from "../base/addresses.ts";
import { ServiceError } from "../base/errors.ts";
import { RECIPIENTS_MAX } from "../messages/schema.ts";
import { namesIn } from "../receiving/headers.ts";
import type { Answered } from "./answered.ts";

/** A longer name is left out of a reply. */
const NAME_CHARS = 200;
/** The names before so many characters of To and of Cc of the answered mail are read: those of all recipients of a reply, as most programs write them. */
const ANSWERED_LIST_CHARS = RECIPIENTS_MAX * NAME_CHARS;

type Message = Pick<
  Answered["message"],
  "direction" | "from_address" | "reply_to" | "to_addresses" | "cc_addresses" | "envelope_to"
>;

/** Takes new addresses other than those of the mailbox from the lists; stops one above the limit. */
function collector(own: string[]) {
  const taken = new Set<string>();
  return (addresses: string[]): string[] => {
    const picked: string[] = [];
    for (const text of addresses) {
      if (taken.size > RECIPIENTS_MAX) break;
      const address = readAddress(text)?.address;
      const key = address?.toLowerCase();
      if (!address || !key || taken.has(key) || own.includes(readMailbox(address) ?? "")) continue;
      taken.add(key);
      picked.push(address);
    }
    return picked;
  };
}

/** For an own message, sent or received, its recipients; for another's, its reply address. */
function primary(message: Message, mailbox: string, pick: (addresses: string[]) => string[]): string[] {
  const outbound = message.direction === "outbound";
  const asked = outbound ? [] : pick(message.reply_to);
  if (asked.length > 0) return asked;
  const own = outbound || readMailbox(message.from_address) === mailbox;
  return pick(own ? message.to_addresses : [message.from_address]);
}

function hasAddress({ direction, from_address, reply_to }: Message): boolean {
  return direction === "outbound" || [from_address, ...reply_to].some((text) => readAddress(text) !== undefined);
}

const SEND_FIX = "Call POST /v1/inboxes/{addr}/send with `in_reply_to` and the recipients that you choose.";

/** Leaving such a person out would send the answer to others than the message asks for. */
function refuseUnreadable({ direction, reply_to, to_addresses, cc_addresses }: Message, all: boolean): void {
  // The names of groups stand in To and Cc: "undisclosed-recipients".
  const others = all ? [...to_addresses, ...cc_addresses].filter((text) => text.includes("@")) : [];
  if ([...(direction === "outbound" ? [] : reply_to), ...others].every((text) => readAddress(text))) return;
  throw new ServiceError("reply_refused", "The reply would go to an address that mail cannot be sent to.", {
    fix: SEND_FIX,
  });
}

/**
 * Reply-To, else From; with `all` also To and Cc of the message, as cc. A reply to an own message goes to its To, with
 * `all` also to its Cc. Bcc of received mail is unknown, and that of an own message is not used.
 * @param mailbox the address of the replying mailbox
 * @throws ServiceError `reply_refused` if nobody is left, or more than 50 are, or the message names an address that mail cannot be sent to
 */
export function replyRecipients(message: Message, mailbox: string, all: boolean): { to: string[]; cc: string[] } {
  refuseUnreadable(message, all);
  // A catch-all mailbox has many addresses.
  const caught = message.direction === "inbound" && message.envelope_to ? readMailbox(message.envelope_to) : undefined;
  const pick = collector([mailbox, ...(caught ? [caught] : [])]);
  const first = primary(message, mailbox, pick);
  const others = all ? pick([...message.to_addresses, ...message.cc_addresses]) : [];
  const [to, cc] = first.length > 0 ? [first, others] : [others, []];
  if (to.length === 0 && !hasAddress(message)) {
    throw new ServiceError("reply_refused", "The message has no sender address that mail can be sent to.");
  }
  if (to.length === 0) {
    const fix = all ? "" : " Set `reply_all` to reply to the Cc recipients, if there are any.";
    throw new ServiceError("reply_refused", `The only recipient would be this mailbox itself.${fix}`);
  }
  if (to.length + cc.length > RECIPIENTS_MAX) {
    throw new ServiceError("reply_refused", `The reply would go to more than ${RECIPIENTS_MAX} recipients.`);
  }
  return { to, cc };
}

/** The names that a reply writes before the addresses: those of the message. */
export function replyNames({ message, headers: lines }: Pick<Answered, "message" | "headers">): RecipientNames {
  if (message.direction === "outbound") return message.recipient_names ?? [];
  const block = { lines, charset: "" };
  const { from_address, to_addresses, cc_addresses } = message;
  const addresses = [from_address, ...to_addresses, ...cc_addresses];
  const inHeader = (header: string) => namesIn(block, { header, addresses, maxChars: ANSWERED_LIST_CHARS });
  const names = new Map([...inHeader("cc"), ...inHeader("to")]);
  if (message.from_name) names.set(from_address.toLowerCase(), message.from_name);
  return addresses.flatMap((written): RecipientNames => {
    const name = shownName(names.get(written.toLowerCase()) ?? "");
    const address = readAddress(written)?.address;
    return address && name !== "" && name.length <= NAME_CHARS ? [[address, name]] : [];
  });
}
