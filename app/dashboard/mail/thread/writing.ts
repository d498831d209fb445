// What is being written below a thread: a reply or a forward.
import { hasDraft } from "../composer/draft.ts";
import type { Writing } from "../composer/kinds.ts";
import { quoteOf } from "../composer/quote.ts";
import type { Message } from "./message.ts";

/** Below a thread. */
export type Written = Extract<Writing, { kind: "reply" | "forward" }>;

/**
 * Shows the recipients before sending, computed like the service does (server/sending/recipients.ts). Mail of an inbox to
 * itself is answered to itself.
 */
export function replyTo(inbox: string, message: Message, last: string, all: boolean): Written {
  const own = message.direction === "outbound" || message.from === inbox;
  const named = own ? message.to : message.reply_to.length > 0 ? message.reply_to : [message.from];
  const asked = named.filter((address) => address !== inbox);
  const quote = own ? "" : quoteOf(message);
  const others = [...message.to, ...message.cc].filter((address) => address !== inbox && !asked.includes(address));
  const place = `reply:${message.id}`;
  const to = asked.length + others.length === 0 ? [inbox] : asked;
  return { kind: "reply", place, inbox, id: message.id, to, others, last, all, quote };
}

/** The draft that was started in this tab, if any. */
export function begunWriting(inbox: string, messages: Message[], last: string): Written | undefined {
  for (const message of messages.toReversed()) {
    if (hasDraft(`reply:${message.id}`)) return replyTo(inbox, message, last, false);
    const place = `forward:${message.id}`;
    if (hasDraft(place)) return { kind: "forward", place, inbox, id: message.id };
  }
  return undefined;
}
