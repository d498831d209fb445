// Whom an answer goes to: never our own mailbox, whatever tag or case it is written with, and each address once.
import { readAddress, readMailbox } from "../../base/addresses.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Answered } from "./answered.ts";
import { RECIPIENTS_MAX } from "./send.ts";

type Message = Pick<Answered["message"], "direction" | "from_address" | "reply_to" | "to_addresses" | "cc_addresses">;

/** Takes from lists what is an address, not ours, and not taken yet; stops one above the limit. */
function collector(mailbox: string) {
  const taken = new Set<string>();
  return (addresses: string[]): string[] => {
    const picked: string[] = [];
    for (const text of addresses) {
      if (taken.size > RECIPIENTS_MAX) break;
      const address = readAddress(text)?.address;
      const key = address?.toLowerCase();
      if (!address || !key || taken.has(key) || readMailbox(address) === mailbox) continue;
      taken.add(key);
      picked.push(address);
    }
    return picked;
  };
}

/** Of one's own message, sent or received, the people it was for; of another's, who asks for the answer. */
function primary(message: Message, mailbox: string, pick: (addresses: string[]) => string[]): string[] {
  const outbound = message.direction === "outbound";
  const asked = outbound ? [] : pick(message.reply_to);
  if (asked.length > 0) return asked;
  const own = outbound || readMailbox(message.from_address) === mailbox;
  return pick(own ? message.to_addresses : [message.from_address]);
}

/**
 * Reply-To, else From; with `all` also To and Cc of the message, as cc. An own message is continued: its To again, with
 * `all` its Cc as well. Bcc of others is never known, and that of an own message is not repeated.
 * @param mailbox the address of the mailbox that answers
 * @throws ServiceError `reply_refused` when nobody is left, or more than 50 are
 */
export function replyRecipients(message: Message, mailbox: string, all: boolean): { to: string[]; cc: string[] } {
  const pick = collector(mailbox);
  const first = primary(message, mailbox, pick);
  const others = all ? pick([...message.to_addresses, ...message.cc_addresses]) : [];
  const [to, cc] = first.length > 0 ? [first, others] : [others, []];
  if (to.length === 0) {
    const fix = all ? "" : " With `reply_all` it would go to those who had a copy, if there are any.";
    throw new ServiceError("reply_refused", `There is nobody to answer but this mailbox itself.${fix}`);
  }
  if (to.length + cc.length > RECIPIENTS_MAX) {
    throw new ServiceError("reply_refused", `The answer would go to more than ${RECIPIENTS_MAX} recipients.`);
  }
  return { to, cc };
}
