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
/** A scheduled message may leave so late: its time is at most 30 days ahead, and the cap may hold it back for 7. */
const LEAVES_WITHIN_DAYS = 37;
const BOUNCES_WITHIN_DAYS = 30;
/** Bounces and complaints of older messages are refused. */
const VALID_DAYS = LEAVES_WITHIN_DAYS + BOUNCES_WITHIN_DAYS;
const LABEL = "bounce";
const PREFIX = "b+";
const ID_CHARS = 26;
const INDEX_DIGITS = 2;
/** The id of a message without its kind, the index of a recipient, and the code of both. */
const TOKEN = /^([0-9a-z]{26})(\d{2})([0-9a-z]{16})$/;
/** A UUIDv7 begins with its time: 48 bits of milliseconds. */
const TIME_HEX_DIGITS = 12;

/** UUID of the message, and the recipient's index in `message_recipients`. */
export type Returned = { messageId: string; index: number };

/** The envelope sender `b+<token>@bounce.<domain>` for one recipient. */
export function returnPath(ctx: Pick<Services, "secrets">, { messageId, index }: Returned, domain: string): string {
  const named = encodeId("msg", messageId).slice(-ID_CHARS) + String(index).padStart(INDEX_DIGITS, "0");
  return `${PREFIX}${named}${mac(ctx.secrets, "return-path", named)}@${LABEL}.${domain}`;
}

function timeOf(uuid: string): number {
  return Number.parseInt(uuid.replaceAll("-", "").slice(0, TIME_HEX_DIGITS), 16);
}

/**
 * Reads an envelope recipient as a return path, without a query.
 * @returns undefined if it does not look like one; `invalid` if its token is forged or expired
 */
export function readReturnPath(
  ctx: Pick<Services, "secrets" | "now">,
  recipient: string,
): Returned | "invalid" | undefined {
  const { local, domain } = readAddress(recipient) ?? { local: "", domain: "" };
  const lower = local.toLowerCase();
  if (!domain.startsWith(`${LABEL}.`) || !lower.startsWith(PREFIX)) return;
  const [, id = "", index = "", code = ""] = TOKEN.exec(lower.slice(PREFIX.length)) ?? [];
  if (!isMac(ctx.secrets, "return-path", { text: id + index, code })) return "invalid";
  const messageId = decodeId("msg", `msg_${id}`);
  if (!messageId || ctx.now().getTime() - timeOf(messageId) > VALID_DAYS * DAY_MS) return "invalid";
  return { messageId, index: Number(index) };
}

/** Deletes the recipients of erased messages when their return paths are no longer accepted. */
export const pruneRecipients = deleteOld({
  table: messageRecipients,
  key: messageRecipients.message_id,
  isOver: (ctx) =>
    and(isNotNull(messageRecipients.counted_at), lt(messageRecipients.message_id, lowestId(daysAgo(ctx, VALID_DAYS)))),
  oldestFirst: messageRecipients.message_id,
});
