// Detects mail that a program sent, and mail that must not be answered for it: bounces and automatic mail (RFC 3834 §2). Mail of
// lists and newsletters (List-Id, List-Unsubscribe, Precedence: list) is not included, unless the list takes no mail: people
// write to lists and expect answers, and most services add an unsubscribe link to all mail. X-Auto-Response-Suppress counts
// only where the mail names no place for answers, or is no answer of a person by its subject: help desks and notifications that
// are answered by mail set it too. Issue trackers and forums write `Auto-Submitted: auto-generated` and the address that takes an answer as
// Reply-To; old list programs write `Precedence: bulk`.
import type { messages } from "#db/schema/mail.ts";
import { isAutomaticSubject } from "./automatic-phrases.ts";

const ROBOTS = ["mailer-daemon", "postmaster"];
const PRECEDENCES = ["bulk", "junk", "auto_reply", "auto-reply", "autoreply"];
/**
 * Names of headers that answering programs add. The vocabulary is closed, so that the reason can name the header: a name that
 * the sender chose would be text from the mail.
 */
const ANSWERING_PROGRAM =
  /^(?:x-)?(?:(?:mail|amazon|proxymail|hmailserver)-)?(?:auto(?:matic)?-?(?:repl(?:y|ied)|respon(?:d|ded|der|se)|generated)|vacation|out-?of-?office|oof)(?:-(?:from|to|for|domain|id|type|message|reply|responder))?$/;
const NO = ["", "no", "false", "0", "none"];
/** `vacation` is a program of Unix; other names with this word are of travel agencies. */
const ANSWERING_MAILER = /auto-?(?:repl(?:y|ier)|respond(?:er)?)\b|^\s*(?:\S*\/)?vacation(?:[\s/(-]*v?\d|\s*$)/i;
/** Headers with another purpose that name an answering program in their value. */
const PROGRAM_NAMED = new Map(
  Object.entries({
    "x-post-messageclass": /auto-?(?:repl|respon)/i,
    "x-ms-exchange-generated-message-source": /rules agent|oof/i,
    "x-fc-machinegenerated": /true|yes|1/i,
    "delivered-to": /^\s*<?(?:auto-?respond(?:er)?|auto-?reply|vacation)>?\s*$/i,
    "x-mailer": ANSWERING_MAILER,
    "user-agent": ANSWERING_MAILER,
    "x-cron-env": /./,
    "x-list-administrivia": /^\s*yes/i,
  }),
);
const VALUE_CHARS = 1_000;
/** Values of X-Auto-Response-Suppress about answers; the others are about receipts and reports. */
const ANSWERS_SUPPRESSED = /(?:^|[\s,;])(?:all|oof|autoreply)(?=[\s,;]|$)/i;
/** Headers of help desks, whose programs and people write from the same address. */
const HELP_DESK = new Map([
  ["x-auto-response-suppress", ANSWERS_SUPPRESSED],
  ["x-servicenow-generated", /^\s*true/i],
]);
const PLACES_FOR_ANSWERS = ["reply-to", "list-post"];
const ANSWERED = ["in-reply-to", "references"];
/** `Re:`, `AW:`, `Antw:`, `[Desk] Re:`, `回复：`; or the number of a case. Notices of a new case begin with other words. */
const ANSWER_SUBJECT = /^\s*(?:\[[^\]]{0,100}\]|\p{L}{1,12}\s?(?:\[\d+\])?\s?[:：]|#?[\p{Lu}\d-]*\d)/u;

function localPart(address: string): string {
  const local = address.slice(0, Math.max(0, address.lastIndexOf("@"))) || address;
  return (local.split("+")[0] ?? "").toLowerCase();
}

/** The value without comments, parameters after `;`, and blanks (RFC 3834 §5, RFC 5322 §3.2.2). */
function keyword(value: string): string {
  let depth = 0;
  let bare = "";
  for (const char of value.slice(0, VALUE_CHARS)) {
    if (char === "(") depth += 1;
    else if (char === ")") depth = Math.max(0, depth - 1);
    else if (depth === 0) bare += char;
  }
  return (bare.split(";")[0] ?? "").trim().toLowerCase();
}

function headerReason([name, value]: [string, string]): string | undefined {
  const key = name.toLowerCase();
  if (key === "auto-submitted" && !["no", ""].includes(keyword(value)))
    return "it says that a program sent it (Auto-Submitted)";
  const word = keyword(value);
  if ((key === "precedence" || key === "x-precedence" || key === "preference") && PRECEDENCES.includes(word))
    return `it is bulk or automatic mail (${name}: ${word})`;
  if (key === "content-type" && keyword(value) === "multipart/report")
    return "it is a report about a delivery (multipart/report)";
  if (key === "x-failed-recipients" || (key === "return-path" && value.trim() === "<>"))
    return `it is a bounce or another automatic notice (${name})`;
  if (key === "list-post" && keyword(value) === "no") return "it is of a list that takes no mail (List-Post)";
  const isAnswer = ANSWERING_PROGRAM.test(key) && !NO.includes(keyword(value));
  if (isAnswer || PROGRAM_NAMED.get(key)?.test(value.slice(0, VALUE_CHARS)))
    return `an answering program sent it (${name})`;
}

const hasAny = (headers: [string, string][], names: string[]) =>
  headers.some(([name, value]) => names.includes(name.toLowerCase()) && value.trim() !== "");

function helpDeskReason(headers: [string, string][], subject: string): string | undefined {
  const found = headers.find(([name, value]) => HELP_DESK.get(name.toLowerCase())?.test(value.slice(0, VALUE_CHARS)));
  if (!found || hasAny(headers, PLACES_FOR_ANSWERS)) return;
  const isAnswer = hasAny(headers, ANSWERED) && ANSWER_SUBJECT.test(subject);
  if (!isAnswer)
    return `a program sent it or asks programs not to answer, and it names no address for answers (${found[0]})`;
}

/** An address that takes no answer, by its name. */
const NO_REPLY = /(?:^|[<\s"])(?:no[._-]?reply|do[._-]?not[._-]?reply)(?:[._+-][^\s<>@]{0,64})?@/i;
const LISTS = ["list-id", "list-post", "mailing-list"];

/** Whether this line says nothing against an answer, because the mail names another place for answers than its program. */
function invitesAnswer([name, value]: [string, string], { message, headers }: Judged): boolean {
  const [key, word] = [name.toLowerCase(), keyword(value)];
  if (key === "precedence" && word === "bulk") return hasAny(headers, LISTS);
  if (key !== "auto-submitted" || word !== "auto-generated") return false;
  const [, replyTo = ""] = headers.find(([each]) => each.toLowerCase() === "reply-to") ?? [];
  return (
    replyTo.includes("@") &&
    !NO_REPLY.test(replyTo) &&
    !replyTo.toLowerCase().includes(message.from_address.toLowerCase())
  );
}

type Judged = {
  message: Pick<typeof messages.$inferSelect, "direction" | "envelope_from" | "from_address" | "subject">;
  /** Header lines as received, `[name, value]`. */
  headers: [string, string][];
};

/** Why this mail must not be answered, without text from the mail; undefined if it may be. Outbound mail always may be. */
export function refusalReason(judged: Judged): string | undefined {
  return automaticReason({ ...judged, headers: judged.headers.filter((line) => !invitesAnswer(line, judged)) });
}

/** How it shows that a program sent this mail, without text from the mail; undefined if nothing does. */
export function automaticReason({ message, headers }: Judged): string | undefined {
  if (message.direction === "outbound") return;
  if (message.envelope_from === "") return "its envelope sender is empty: it is a bounce or another automatic notice";
  const senders = [message.from_address, message.envelope_from ?? ""];
  if (senders.some((address) => ROBOTS.includes(localPart(address))))
    return "it comes from a mail system (MAILER-DAEMON or postmaster)";
  for (const line of headers) {
    const reason = headerReason(line);
    if (reason) return reason;
  }
  const subject = message.subject.slice(0, VALUE_CHARS);
  if (isAutomaticSubject(subject, hasAny(headers, ANSWERED))) return "its subject is that of an automatic reply";
  return helpDeskReason(headers, subject);
}
