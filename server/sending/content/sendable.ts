// What a message needs to be sent: a body, and recipients within the limit.
import type { RecipientNames } from "#db/message-parts.ts";
import { needsSmtpUtf8, readRecipient, splitRecipients, withoutRepeats } from "../../base/addresses.ts";
import type { Issue } from "../../base/errors/body.ts";
import { refuseFields } from "../../base/errors.ts";
import { RECIPIENTS_MAX, type SendInput, TOO_MANY_RECIPIENTS } from "../../messages/schema.ts";

const NOT_A_RECIPIENT =
  "not a mail address; write a@b.example or Name <a@b.example>, separate several with commas, and put a name with a comma in double quotes";
const NOT_A_REPLY_TO =
  "not a mail address; to answer a message use POST /v1/messages/{id}/reply, or give its Message-ID as `in_reply_to`";
const NOT_ASCII =
  "letters outside ASCII before the @, which many recipients could not answer; give an address in ASCII";

/**
 * @returns each recipient once, in its first place, and the names that were given
 * @throws ServiceError `invalid_request`, with an issue for each invalid address
 */
export function readRecipients(input: Pick<SendInput, "to" | "cc" | "bcc" | "reply_to">) {
  const issues: Issue[] = [];
  const split = (given: string | string[]) => [given].flat().flatMap(splitRecipients);
  const texts = { to: split(input.to), cc: split(input.cc), bcc: split(input.bcc) };
  // Before any of them is read.
  const long = Object.entries(texts).find(([, each]) => each.length > RECIPIENTS_MAX);
  if (long || texts.to.length + texts.cc.length + texts.bcc.length > RECIPIENTS_MAX) {
    refuseFields([{ path: long?.[0] ?? "to", message: TOO_MANY_RECIPIENTS }]);
  }
  const names: RecipientNames = [];
  /** @param isShown whether a header has the name */
  const take = (text: string, isShown = true): string[] => {
    const recipient = readRecipient(text);
    if (!recipient) return [];
    if (isShown) names.push([recipient.address, recipient.name]);
    return [recipient.address];
  };
  const read = (field: keyof typeof texts) =>
    texts[field].flatMap((text, i) => {
      const address = take(text, field !== "bcc");
      if (address.length === 0) issues.push({ path: `${field}.${i}`, message: NOT_A_RECIPIENT });
      return address;
    });
  const [to, cc, bcc] = [read("to"), read("cc"), read("bcc")];
  const replyTo = [input.reply_to ?? []].flat().flatMap((text, i) => {
    const path = typeof input.reply_to === "string" ? "reply_to" : `reply_to.${i}`;
    const address = take(text);
    if (address.length === 0) issues.push({ path, message: NOT_A_REPLY_TO });
    if (address.some(needsSmtpUtf8)) issues.push({ path, message: NOT_ASCII });
    return address;
  });
  refuseFields(issues);
  return withoutRepeats({ to, cc, bcc, replyTo, names });
}

/** Those that the header shows; null: none, as of messages of earlier versions. */
export function shownNames({
  to,
  cc,
  replyTo,
  names,
}: Record<"to" | "cc" | "replyTo", string[]> & { names: RecipientNames }): RecipientNames | null {
  const shown = new Set([...to, ...cc, ...replyTo]);
  const first = new Map(names.filter(([address, name]) => shown.has(address) && name !== "").reverse());
  return first.size > 0 ? [...first] : null;
}

/** @throws ServiceError `invalid_request` for more than 50 recipients */
export function requireFew({ to, cc, bcc }: Record<"to" | "cc" | "bcc", string[]>): void {
  if (to.length + cc.length + bcc.length > RECIPIENTS_MAX) refuseFields([{ path: "to", message: TOO_MANY_RECIPIENTS }]);
}

/** @throws ServiceError `invalid_request` */
export function requireBody({
  text,
  html,
}: {
  text?: string | null | undefined;
  html?: string | null | undefined;
}): void {
  if (!text && !html) refuseFields([{ path: "text", message: "`text`, `html` or both are needed" }]);
}
