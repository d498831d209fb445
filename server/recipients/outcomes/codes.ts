// Reads SMTP reply codes and enhanced status codes from the words of mail servers, and what they say about an address.
import {
  ABOUT_MESSAGE,
  ABOUT_RECIPIENT,
  ABOUT_RECIPIENT_ELSEWHERE,
  CLOSED_MAILBOX,
  FROM_SENDER,
  isOtherMatter,
  isUnknownElsewhere,
  OF_CUSTOMER,
  OF_SENDER,
  RESTRICTED,
  UNKNOWN_ADDRESS,
  UNKNOWN_RECIPIENT,
} from "./unknown-phrases.ts";

/** At the start of a reply: `550 …`, `said: 550-…`, `'550 …`, `(#550)`. The second digit of a code is at most 5 (RFC 5321 §4.2.1). */
const SMTP_CODE = /(?:^|[;:'"#(<[：；（「【]\s*)([245][0-5]\d)(?=[\s,;)>\]'"-]|\.(?!\d)|:(?![\da-f]{0,4}[:\]])|$)/i;
/** Among other words, where it may also be a number of something. */
const LOOSE_SMTP_CODE = /\s([245][0-5]\d)(?=[\s-]|$)/;
/** Both in one reply: codes elsewhere in the words may be of the server that passes them on. */
const BOTH_CODES = /(?:^|[^\w.])([245][0-5]\d)[ -]['"<(#]?([245]\.[0-7]\.\d{1,3})(?!\.?\d)/;
/** RFC 3463 knows the subjects 0 to 7; other numbers of this form are versions of programs. */
const ENHANCED_CODE = /(?:^|[^\d.\w])([245]\.[0-7]\.\d{1,3})(?!\.?\d)/;
const TEXT_MAX_CHARS = 500;
/**
 * Classes that blame the message, its size, the sender, the policy, the way to the server or a full mailbox, not the address (RFC
 * 3463). Of the way, no domain (5.4.310) and a refused recipient (5.4.1), as Exchange writes them, do blame the address. Of addresses,
 * 5.1.7 and 5.1.8 are about the sender's; so are 5.1.20 (several senders) and 5.1.90 (its daily limit) of Exchange.
 */
const NOT_THE_ADDRESS = /^5\.(?:1\.(?:[789]|20|90)$|2\.[234]|3\.|4\.(?!(?:1|310)$)|5\.[1-6]$|6\.|7\.)/;
/** Codes of addresses that no RFC knows (RFC 3463 §3.2, RFC 7505): only the words say whose address it is. */
const OWN_ADDRESS_CODE = /^5\.1\.(?:1[1-9]|[2-9]\d|\d{3})$/;
/** No way was found (RFC 3463 §3.5): a domain that does not exist, or one whose DNS fails or names no mail server, which its owner can mend. */
const NO_ROUTE_CODE = "5.4.4";
/** A host whose DNS was asked. */
const LOOKED_UP =
  /\b(?:(?:look(?:ing|ed) up|look-?up (?:of|for)|resolve|resolving|mx (?:records? )?(?:of|for)) |name=)['"<(]?((?:[\w-]{1,63}\.){1,10}[a-z][\w-]{1,62})/gi;
/** Policies, and the code that some servers send for every refusal. */
const POLICY_CODE = /^5\.7\.[01]$/;
/** The code says no more than its class or subject, so the SMTP code and the step decide. */
const VAGUE_CODE = /^5\.[0125]\.0$/;
/** SMTP codes that blame the address, where no enhanced code says what is wrong (RFC 5321 §4.2.3, RFC 7504). */
const ADDRESS_SMTP = [521, 551, 556];
/** SMTP codes of unknown addresses and of policies: the words must be about the recipient. */
const UNCLEAR_SMTP = [550, 553];
/** The step that failed, as Exim, Postfix, Yahoo and GMX name it: another one than RCPT TO does not blame the address. */
const OTHER_STEP =
  /after (?:initial connection|(?:pipelined )?(?:EHLO|HELO|MAIL FROM|(?:end of )?data)\b)|in reply to (?:end of )?(?:EHLO|HELO|MAIL FROM|DATA|STARTTLS)\b|\[(?:MAIL_FROM|DATA|CONNECT)\]|for (?:TEXT|DATA|MAIL) command/i;
/** Words of policies and rates, which servers write in English under codes of other kinds. */
const OTHER_BLAME =
  /\b(?:spf|dkim|dmarc|spam|spamhaus|spamcop|ube|blacklist\w*|block(?:ed|list\w*)|banned|reputation|(?:dns|r)bl|reverse dns|ptr|rate limit\w*|at a rate|frequency limited|too many|policy|policies|relay(?:ing)?(?! recipient)|unauthenticated|authentication|sender (?:address )?(?:is )?(?:rejected|denied|refused|verification|verify))\b/i;
const ADDRESSES_AND_LINKS = /https?:\/\/\S+|[^\s<>@([]+@[^\s<>@:;,()[\]]+/g;
/** The server that is quoted, as Exim and Postfix name it: its name and its address say nothing. */
const QUOTED_SERVER = /\bhost [\w.-]{1,255} ?\[[\da-f.:]{3,45}\](?: said)?:?/gi;
const EMPTY_BRACKETS = /\(\s*\)|<\s*>|\[\s*\]/g;
/** A return path of this service: a server that names it speaks of the sender. */
const RETURN_PATH = /\bb\+[0-9a-z]{44}@/i;

export type Codes = { smtp_code: number | null; enhanced_code: string | null };

/** Text of another server, made safe for a column and for people. */
export function printable(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, TEXT_MAX_CHARS)
    .toWellFormed()
    .trim();
}

export function readCodes(text: string): Codes {
  const both = BOTH_CODES.exec(text);
  if (both) return { smtp_code: Number(both[1]), enhanced_code: both[2] ?? null };
  const smtp = (SMTP_CODE.exec(text) ?? LOOSE_SMTP_CODE.exec(text))?.[1];
  return { smtp_code: smtp === undefined ? null : Number(smtp), enhanced_code: ENHANCED_CODE.exec(text)?.[1] ?? null };
}

/** Whether the DNS of other hosts was asked, and not that of the address: a server behind its domain is set up wrongly. */
function asksOtherHost(said: string, address: string): boolean {
  const hosts = Array.from(said.matchAll(LOOKED_UP), ([, host = ""]) => host.toLowerCase());
  return hosts.length > 0 && !hosts.includes(address.slice(address.lastIndexOf("@") + 1).toLowerCase());
}

/** The words of a server without addresses, links and the name of the server. */
const wordsOf = (said: string) =>
  said.replace(QUOTED_SERVER, " ").replace(ADDRESSES_AND_LINKS, " ").replace(EMPTY_BRACKETS, " ").replace(/\s+/g, " ");

/** Whether words blame something else than the address: a sender, a policy, the message, a server. */
export function blamesOther(said: string): boolean {
  const words = wordsOf(said);
  return [OTHER_BLAME, OF_SENDER, FROM_SENDER].some((form) => form.test(words)) || isOtherMatter(words);
}

/**
 * Whether a bounce with these codes means that the address will never work, so that it is suppressed.
 * @param reason the words of the server
 * @param address of the recipient
 */
export function isAddressAtFault(
  { smtp_code, enhanced_code, reason }: Codes & { reason: string | null },
  address: string,
): boolean {
  const said = (reason ?? "").slice(0, TEXT_MAX_CHARS);
  const words = wordsOf(said);
  const isNamed = said.toLowerCase().includes(address.toLowerCase());
  if (asksOtherHost(said, address)) return false;
  if (OTHER_BLAME.test(words) || (RETURN_PATH.test(said) && !isNamed)) return false;
  const unknown = OF_CUSTOMER.test(words) ? UNKNOWN_RECIPIENT : UNKNOWN_ADDRESS;
  const isUnknown = !OF_SENDER.test(words) && (unknown.test(words) || isUnknownElsewhere(words));
  const isVague = enhanced_code === "5.0.0" || (smtp_code !== null && VAGUE_CODE.test(enhanced_code ?? "5.0.0"));
  if (!isVague && enhanced_code !== null) {
    if (POLICY_CODE.test(enhanced_code)) return isUnknown && UNKNOWN_RECIPIENT.test(words);
    if (enhanced_code === NO_ROUTE_CODE) return isUnknown;
    if (OWN_ADDRESS_CODE.test(enhanced_code) && (FROM_SENDER.test(words) || ABOUT_MESSAGE.test(words)))
      return isUnknown;
    return enhanced_code.startsWith("5.") && !NOT_THE_ADDRESS.test(enhanced_code);
  }
  if (smtp_code !== null && smtp_code < 500) return false;
  if (isUnknown) return true;
  if (OTHER_STEP.test(words) || ABOUT_MESSAGE.test(words) || FROM_SENDER.test(words)) return false;
  if (smtp_code !== null && ADDRESS_SMTP.includes(smtp_code)) return true;
  if (OF_SENDER.test(words)) return false;
  if (CLOSED_MAILBOX.test(words)) return true;
  if (smtp_code === null || !UNCLEAR_SMTP.includes(smtp_code) || RESTRICTED.test(words)) return false;
  return ABOUT_RECIPIENT.test(words) || ((isNamed || ABOUT_RECIPIENT_ELSEWHERE.test(words)) && !isOtherMatter(words));
}
