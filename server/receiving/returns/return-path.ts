// The return path of an outbound message: an address that names the message and the recipient, and that only this
// service can make.
import { and, isNotNull, lt } from "drizzle-orm";
import { messageRecipients } from "#db/schema/mail.ts";
import { readAddress } from "../../base/addresses.ts";
import type { Services } from "../../base/context.ts";
import { lowestId } from "../../base/id-range.ts";
import { decodeId, encodeId } from "../../base/ids.ts";
import { isMac, mac } from "../../base/macs.ts";
import { daysAgo, deleteOld } from "../../base/retention.ts";

const DAY_MS = 86_400_000;
/** Bounces and complaints that come later after their message left change nothing. */
const VALID_DAYS = 67;
const LABEL = "bounce";
const PREFIX = "b+";
const ID_CHARS = 26;
const INDEX_DIGITS = 2;
/** The id of a message without its kind, the index of a recipient, and the code of both. */
const TOKEN = /^([0-9a-z]{26})(\d{2})([0-9a-z]{16})$/;

/** UUID of the message, and the recipient's index in `message_recipients`. */
export type Returned = { messageId: string; index: number };

/** The envelope sender `b+<token>@bounce.<domain>` for one recipient. */
export function returnPath(ctx: Pick<Services, "secrets">, { messageId, index }: Returned, domain: string): string {
  const named = encodeId("msg", messageId).slice(-ID_CHARS) + String(index).padStart(INDEX_DIGITS, "0");
  return `${PREFIX}${named}${mac(ctx.secrets, "return-path", named)}@${LABEL}.${domain}`;
}

/** Whether a return path has expired: a message may leave long after it was made, e.g. after a pause. */
export function hasExpired({ now }: Pick<Services, "now">, left: Date): boolean {
  return now().getTime() - left.getTime() > VALID_DAYS * DAY_MS;
}

/**
 * Reads an envelope recipient as a return path, without a query. An expired one is read too: a server that returns mail late is no guesser.
 * @returns undefined if it does not look like one; `invalid` if its token is forged
 */
export function readReturnPath(ctx: Pick<Services, "secrets">, recipient: string): Returned | "invalid" | undefined {
  const { local, domain } = readAddress(recipient) ?? { local: "", domain: "" };
  const lower = local.toLowerCase();
  if (!domain.startsWith(`${LABEL}.`) || !lower.startsWith(PREFIX)) return;
  const [, id = "", index = "", code = ""] = TOKEN.exec(lower.slice(PREFIX.length)) ?? [];
  if (!isMac(ctx.secrets, "return-path", { text: id + index, code })) return "invalid";
  const messageId = decodeId("msg", `msg_${id}`);
  return messageId ? { messageId, index: Number(index) } : "invalid";
}

/** Deletes the recipients of erased messages when their return paths have expired. */
export const pruneRecipients = deleteOld({
  table: messageRecipients,
  key: messageRecipients.message_id,
  isOver: (ctx) =>
    and(
      isNotNull(messageRecipients.counted_at),
      lt(messageRecipients.message_id, lowestId(daysAgo(ctx, VALID_DAYS))),
      // A scheduled message was counted when it left.
      lt(messageRecipients.counted_at, daysAgo(ctx, VALID_DAYS)),
    ),
  oldestFirst: messageRecipients.message_id,
});
