// Says what kind of mail an inbound one is, when it is received: from its envelope, its header block, and whether a part is an invitation.
// The sender writes all of it, so a kind is a hint to sort mail by, and no proof.
import type { MailKind } from "#db/message-parts.ts";
import { essenceOf } from "../base/media-type.ts";
import { firstValue, type HeaderBlock } from "../mime/headers.ts";
import { automaticReason } from "./automatic.ts";

/** Parts of an invitation stand at the beginning; behind it may be megabytes. */
const PARTS_BYTES = 65_536;
const CALENDAR_PART = /^content-type:[ \t]*(?:\r?\n[ \t]+)?text\/calendar\b/im;
/** Senders that take no answer by their name. */
const NO_PERSON =
  /^(?:no[._-]?reply|do[._-]?not[._-]?reply|notifications?|notify|automated|mailer|bounces?|alerts?|monitor(?:ing)?|cron|root|robot|newsletters?|news|digest|marketing)(?:[._+-]|@)/i;
/** Headers of services that send for others. Lists for people have List-Id or List-Post beside them. */
const SERVICES = [
  "list-unsubscribe",
  "feedback-id",
  "x-auto-response-suppress",
  "x-ses-outgoing",
  "x-mailgun-sid",
  "x-sg-eid",
];
const LISTS = ["list-id", "list-post"];

type Received = { envelopeFrom: string; raw: Buffer; block: HeaderBlock; from: string; subject: string };

/**
 * `bounce`: a report that mail was not delivered. `calendar`: an invitation or an answer to one. `list`: of a mailing list or newsletter.
 * `automatic`: a program sent it. `person`: none of these.
 */
export function kindOf({ envelopeFrom, raw, block, from, subject }: Received): MailKind {
  const type = firstValue(block, "content-type") ?? "";
  const isReport = essenceOf(type) === "multipart/report" && /delivery-status/i.test(type);
  if (isReport || firstValue(block, "x-failed-recipients") !== undefined) return "bounce";
  if (envelopeFrom === "" && /^(?:mailer-daemon|postmaster)@/i.test(from)) return "bounce";
  if (essenceOf(type) === "text/calendar" || CALENDAR_PART.test(beginOf(raw, block))) return "calendar";
  if (LISTS.some((name) => firstValue(block, name) !== undefined)) return "list";
  const isOfService = SERVICES.some((name) => firstValue(block, name) !== undefined);
  const message = { direction: "inbound" as const, envelope_from: envelopeFrom, from_address: from, subject };
  const isAutomatic = automaticReason({ message, headers: block.lines }) !== undefined;
  return isAutomatic || isOfService || NO_PERSON.test(from) ? "automatic" : "person";
}

function beginOf(raw: Buffer, { bodyStart }: HeaderBlock): string {
  return raw.toString("latin1", bodyStart, bodyStart + PARTS_BYTES);
}
