// Judges inbound mail by what is known without a model: its sender, header, words, links and files. No input or output.
import { parse } from "tldts";
import { type Authentication, provesSender, type Security, type Spam } from "#db/message-parts.ts";
import { isAscii } from "../extraction/marks.ts";
import { ownerOf } from "../extraction/suspicious.ts";
import { urlsOf } from "../extraction/urls.ts";
import { firstValue, type HeaderBlock } from "../mime/headers.ts";
import type { MailSummary } from "./headers.ts";

/** At this score a mail is `spam`, and may be quarantined. */
const SPAM_SCORE = 5;
const SUSPECT_SCORE = 3;
/** The phrases of a mail are in its beginning. */
const TEXT_CHARS = 4_000;
/** A mail of so few characters that has a link is little else than the link. */
const BARE_CHARS = 160;
const LINKS_MAX = 200;
const SHOUTED_LETTERS = 10;

/** What each reason adds. docs/guides/spam.md explains them. */
const WEIGHTS = {
  filter: 8,
  dmarc_failed: 3,
  spf_failed: 1.5,
  unauthenticated: 0.5,
  first_contact: 0.5,
  no_date: 1,
  no_message_id: 1,
  hidden_recipients: 1,
  several_senders: 2,
  name_shows_other_sender: 1.5,
  name_claims_brand: 2.5,
  mixed_scripts: 2,
  reply_to_elsewhere: 1.5,
  misleading_link: 2,
  lookalike_link: 3,
  ip_link: 2.5,
  short_link: 1,
  bare_link: 1,
  hidden_text: 1.5,
  hidden_instructions: 3,
  shouting: 0.5,
  scam_phrase: 1.5,
  scam_phrases: 3.5,
  dangerous_file: 3.5,
} as const;
type SpamReason = keyof typeof WEIGHTS;

/** What speaks for a mail. `answer`: to mail of this mailbox. `known`: the sender wrote before. */
const CREDIT = { aligned: 1, list: 1, known: 1, answer: 4 };

/** Freemail providers, to which the answers of a fraud go. */
const FREEMAIL = new Set(
  (
    "gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com ymail.com aol.com gmx.de gmx.net gmx.com mail.ru yandex.ru yandex.com " +
    "proton.me protonmail.com qq.com 163.com 126.com zoho.com mail.com web.de inbox.ru bk.ru tutanota.com"
  ).split(" "),
);
const SHORTENERS = new Set(
  "bit.ly tinyurl.com t.co goo.gl is.gd ow.ly cutt.ly rb.gy tiny.cc shorturl.at rebrand.ly buff.ly s.id t.ly v.gd".split(
    " ",
  ),
);
/** Names that frauds use, as words of a sender's name. The owner of the domain must have the same word. */
const BRANDS =
  /\b(paypal|amazon|microsoft|office ?365|apple|icloud|netflix|dhl|fedex|ups|usps|hermes|dpd|docusign|dropbox|facebook|instagram|whatsapp|linkedin|google|coinbase|binance|metamask|chase|wells fargo|hsbc|barclays|sparkasse|santander|bank of america|citibank|american express|ebay|spotify|steam|adobe)\b/;

/** Phrases of frauds and unwanted advertising, of which ordinary mail seldom has two. In lower case, in one line, from the start of a word. */
const PHRASES = [
  // Advance fees, lotteries, inheritances.
  "next of kin|deceased client|late client|inheritance|beneficiary of|million dollars|million usd|million euros",
  "lottery|you have won|you won|winning number|claim your prize|claim your reward|unclaimed|compensation fund|consignment",
  "transfer of funds|transfer the sum|business proposal|confidential transaction|strictly confidential|god bless|dear beloved|dear beneficiary",
  "donation to you|donate to you|atm card|united nations|western union|moneygram|foreign partner|dormant account|utmost secrecy",
  // Access data.
  "verify your account|verify your identity|confirm your account|confirm your identity|update your payment|update your billing|validate your",
  "account has been suspended|account has been limited|account has been locked|account will be|will be deactivated|will be suspended|will be closed",
  "mailbox is full|mailbox quota|storage limit|quota exceeded|password will expire|password expires|keep your password|keep same password|keep current password",
  "unusual activity|unusual sign|suspicious activity|restore access|avoid suspension|avoid interruption|within 24 hours|within 48 hours|failure to comply",
  "undelivered messages|pending messages|messages on hold|release messages|webmail|seed phrase|recovery phrase|wallet has been",
  "parcel is waiting|package is waiting|package could not be delivered|delivery fee|customs fee|redelivery",
  // Extortion, investments, advertising.
  "bitcoin wallet|btc wallet|i recorded you|your webcam|adult sites|all your contacts|i hacked|your device was infected|pay the ransom",
  "guaranteed return|guaranteed profit|double your|passive income|risk-free|risk free|no risk|work from home|be your own boss|get rich|earn money|extra income",
  "viagra|cialis|male enhancement|online pharmacy|no prescription|lose weight|weight loss|miracle|replica watches|luxury replica|adult dating|hot singles|online casino|free spins",
  "first page of google|rank your website|seo services|seo service|backlinks|guest post|100% free|act now|limited time offer|order now|buy now|cheap meds|pre-approved|instant loan|loan offer",
  "gift cards|gift card|are you available|are you at your desk|quick task|new bank details|updated bank details|change of bank",
  // Other languages.
  "ihr konto wurde|konto gesperrt|konto eingeschränkt|bestätigen sie ihre|verifizieren sie|innerhalb von 24 stunden|innerhalb von 48 stunden|sie haben gewonnen|erbschaft|zollgebühr|ihr paket",
  "votre compte a été|compte suspendu|vérifiez votre|confirmez votre|sous 24 heures|sous 48 heures|vous avez gagné|héritage|votre colis|frais de douane",
  "su cuenta ha sido|cuenta suspendida|verifique su|confirme su|en 24 horas|en 48 horas|ha ganado|herencia|su paquete|gastos de aduana",
  "sua conta foi|conta suspensa|verifique sua|il tuo account è stato|il suo conto|verifica il tuo|hai vinto|eredità|ваш аккаунт|вы выиграли|наследство|подтвердите свой",
].flatMap((line) => line.split("|"));
/** Of the first two characters, which few words begin with. */
const keyAt = (text: string, at: number) => text.charCodeAt(at) * 0x1_00_00 + text.charCodeAt(at + 1);
const PHRASES_BY_KEY = Map.groupBy(PHRASES, (phrase) => keyAt(phrase, 0));

const DANGEROUS_FILE =
  /\.(?:exe|scr|pif|com|bat|cmd|js|jse|vbs|vbe|wsf|hta|lnk|jar|ps1|iso|img|msi|cpl|reg|xll|one|htm|html|shtml)$/i;
/** Words with letters of two alphabets, where one imitates the other. */
const MIXED =
  /(?:\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}])|(?:[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin})/u;

/** Of SpamAssassin, `rspamd` and filters that write like them. */
const FILTER_HEADER = /^(?:x-spam|x-spam-flag|x-spam-status)$/i;
const FILTER_SAYS_SPAM = /^\s*(?:yes|true)\b/i;

export type Seen = {
  block: HeaderBlock;
  summary: MailSummary;
  security: Required<Omit<Security, "first_contact">>;
  /** The visible text. */
  text: string;
  links: string[];
  filenames: string[];
};

/** What the mail itself says. `isList`: it can be unsubscribed from. `isFiltered`: a header says that a filter found spam. */
export type Evidence = { signs: SpamReason[]; isList: boolean; isFiltered: boolean };

/** The thread that parses the mail finds it. */
export function spamEvidence(seen: Seen): Evidence {
  const { block } = seen;
  const isFiltered = block.lines.some(([name, value]) => FILTER_HEADER.test(name) && FILTER_SAYS_SPAM.test(value));
  return { signs: spamSigns(seen), isList: firstValue(block, "list-unsubscribe") !== undefined, isFiltered };
}

function spamSigns({ block, summary, security, text, links, filenames }: Seen): SpamReason[] {
  const name = (summary.from?.name ?? "").slice(0, TEXT_CHARS).normalize("NFKC");
  const from = hostOf(summary.from?.address ?? "");
  // Bounded first: long runs of combining characters take a time that grows with their square.
  const start = text.trim().slice(0, TEXT_CHARS);
  const words = inOneLine(`${summary.subject.slice(0, TEXT_CHARS)} ${start}`);
  const phrases = phrasesIn(words).size;
  const shortened = links.some((link) => SHORTENERS.has(ownerOf(hostOfUrl(link))));
  const isShort = () => start.length > 0 && start.length < TEXT_CHARS && inOneLine(start).length < BARE_CHARS;
  const linkSays = (part: string) => security.suspicious_links.some((reason) => reason.includes(part));
  const found: [SpamReason, boolean][] = [
    ["no_date", firstValue(block, "date") === undefined],
    ["no_message_id", summary.messageId === null],
    ["hidden_recipients", summary.to.length + summary.cc.length === 0],
    ["several_senders", security.multiple_from],
    ["name_shows_other_sender", security.misleading_from.length > 0],
    ["name_claims_brand", claimsBrand(name, from)],
    ["mixed_scripts", MIXED.test(name) || MIXED.test(summary.subject)],
    ["reply_to_elsewhere", answersElsewhere(summary, from)],
    ["misleading_link", linkSays("shows ") || linkSays("has a user name") || linkSays("runs code")],
    ["lookalike_link", linkSays("imitates another name")],
    ["ip_link", linkSays("leads to an IP address")],
    ["short_link", shortened],
    ["bare_link", links.length > 0 && isShort() && links.every((link) => ownerOf(hostOfUrl(link)) !== ownerOf(from))],
    ["hidden_text", security.hiding === "deceptive"],
    ["hidden_instructions", security.instructions === "hidden"],
    ["shouting", isShouted(summary.subject)],
    ["scam_phrase", phrases === 1],
    ["scam_phrases", phrases > 1],
    ["dangerous_file", filenames.some((filename) => DANGEROUS_FILE.test(filename.trim()))],
  ];
  return found.filter(([, applies]) => applies).map(([reason]) => reason);
}

/** What a character of a lower-case text is part of: a word in Latin letters, in Cyrillic ones, a number, or nothing. */
function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code < 0xc0) return code >= 48 && code <= 57 ? 3 : 0;
  if (code < 0x2_50) return code === 0xd7 || code === 0xf7 ? 0 : 1;
  return code >= 0x4_00 && code < 0x5_30 ? 2 : 0;
}

/** At the start of each word, the phrases that may start there are tried. Trying each phrase everywhere took a third of the time of a mail. */
function phrasesIn(words: string): Set<string> {
  const found = new Set<string>();
  let before = 0;
  for (let at = 0; at < words.length; at += 1) {
    const kind = kindOf(words.charCodeAt(at));
    if (kind > 0 && kind !== before)
      for (const phrase of PHRASES_BY_KEY.get(keyAt(words, at)) ?? [])
        if (words.startsWith(phrase, at)) found.add(phrase);
    before = kind;
  }
  return found;
}

function inOneLine(text: string): string {
  // Characters that are not shown stand between the letters of words that are to be missed.
  const shown = isAscii(text) ? text : text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return (
    shown
      .toLowerCase()
      // A blank stays: replacing each takes most of the time.
      .replace(/[^\S ]/g, " ")
      .replace(/ {2,}/g, " ")
      .trim()
  );
}

/** The links of a plain text. */
export const linksIn = (text: string): string[] =>
  urlsOf(text.slice(0, TEXT_CHARS), LINKS_MAX).filter((url) => /^http/i.test(url));

const hostOf = (address: string) => address.slice(address.lastIndexOf("@") + 1).toLowerCase();
const hostOfUrl = (url: string) => URL.parse(url)?.hostname ?? "";

function claimsBrand(name: string, from: string): boolean {
  const [, brand] = BRANDS.exec(name.toLowerCase()) ?? [];
  if (brand === undefined) return false;
  const owner = (parse(from, { validateHostname: false }).domainWithoutSuffix ?? from).replace(/[^a-z0-9]/g, "");
  return (
    !owner.startsWith(brand.replaceAll(" ", "")) &&
    !(/office/.test(brand) && owner === "microsoft") &&
    !(brand === "icloud" && owner === "apple")
  );
}

function answersElsewhere({ replyTo }: MailSummary, from: string): boolean {
  return replyTo.some((address) => FREEMAIL.has(hostOf(address)) && hostOf(address) !== from);
}

function isShouted(subject: string): boolean {
  const letters = subject.match(/\p{L}/gu) ?? [];
  return letters.length >= SHOUTED_LETTERS && subject === subject.toUpperCase() && subject !== subject.toLowerCase();
}

/** What the mailbox knows of the sender: nothing, earlier mail, or that this answers mail of the mailbox. */
export const CONTACTS = ["first", "known", "answer"] as const;
type Contact = (typeof CONTACTS)[number];

export type Judged = Evidence & {
  authentication: Authentication;
  /** Whether the service saw the sending server. Of other mail, a failure of SPF or DMARC says nothing. */
  isRemote: boolean;
  /** Whether the mail came through a filter of SPAM_FILTERS. */
  isOfFilter: boolean;
};

/** `spam` from 5, `suspect` from 3, otherwise `ham`. Only an authenticated sender gains by being known. */
export function judgeSpam(judged: Judged, contact: Contact): Spam {
  const { signs, isList, authentication, isRemote, isFiltered, isOfFilter } = judged;
  const isProven = provesSender(authentication);
  const ofSender: [SpamReason, boolean][] = [
    ["filter", isFiltered && isOfFilter],
    ["dmarc_failed", isRemote && authentication.dmarc === "fail"],
    ["spf_failed", isRemote && !isProven && authentication.spf === "fail"],
    ["unauthenticated", !isProven],
    ["first_contact", contact === "first"],
  ];
  const reasons = [...ofSender.flatMap(([reason, applies]) => (applies ? [reason] : [])), ...signs];
  const credit =
    (isProven ? CREDIT.aligned : 0) +
    (isProven && isList ? CREDIT.list : 0) +
    (isProven && contact === "known" ? CREDIT.known : 0) +
    (contact === "answer" ? CREDIT.answer : 0);
  const score = Math.max(0, reasons.reduce((sum, reason) => sum + WEIGHTS[reason], 0) - credit);
  return { score, verdict: score >= SPAM_SCORE ? "spam" : score >= SUSPECT_SCORE ? "suspect" : "ham", reasons };
}
