// What is being written below a thread: a reply or a forward.
import { hasDraft } from "../composer/draft.ts";
import type { Writing } from "../composer/kinds.ts";
import { quoteOf } from "../composer/quote.ts";
import type { Message } from "./message.ts";

/** Below a thread; a new message, where there is nobody to answer. */
export type Written = Exclude<Writing, { kind: "draft" }>;
type Answer = Extract<Writing, { kind: "reply" | "forward" }>;

/** Shows the recipients before sending, computed like the service does (server/sending/recipients.ts). */
export function replyTo(inbox: string, message: Message, last: string, all: boolean): Answer {
  const own = message.direction === "outbound" || message.from === inbox;
  const named = own ? message.to : message.reply_to.length > 0 ? message.reply_to : [message.from];
  const asked = named.filter((address) => address !== inbox);
  const quote = own ? "" : quoteOf(message);
  const others = [...message.to, ...message.cc].filter((address) => address !== inbox && !asked.includes(address));
  const place = `reply:${message.id}`;
  return { kind: "reply", place, inbox, id: message.id, to: asked, others, last, all, quote };
}

/** The draft that was started in this tab, if any. */
export function begunWriting(inbox: string, messages: Message[], last: string): Answer | undefined {
  for (const message of messages.toReversed()) {
    if (hasDraft(`reply:${message.id}`)) return replyTo(inbox, message, last, false);
    const place = `forward:${message.id}`;
    if (hasDraft(place)) return { kind: "forward", place, inbox, id: message.id };
  }
  return undefined;
}

/** A reply without recipients. */
export function isToItself(writing: Written): boolean {
  return writing.kind === "reply" && writing.to.length + writing.others.length === 0;
}
