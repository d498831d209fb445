// The types of the jsonb columns of `messages`, and the outcomes of outbound messages.

/** What can become of an outbound message for a recipient. */
export const RECIPIENT_RESULTS = ["sent", "delivered", "bounced", "complained", "suppressed", "failed"] as const;
/** The statuses of an outbound message before that; `rejected` is final. */
export const WAITING_STATUSES = ["held", "rejected", "scheduled", "queued", "sending"] as const;
export type RecipientStatus = (typeof RECIPIENT_RESULTS)[number];

/** One attachment; its bytes are in `attachments` (outbound) or in the raw mail (inbound). */
export type AttachmentInfo = {
  id: string;
  filename: string | null;
  /** Received: without parameters. */
  content_type: string;
  /** Of received files: `; charset=…` and `; method=…`, as a forward needs them. Missing: none, or received by an earlier version. */
  parameters?: string;
  size: number;
  inline: boolean;
  /** What HTML names it by (`cid:`), without angle brackets. Missing: nothing does, or it was received by an earlier version. */
  content_id?: string;
};

/** What kind of mail an inbound one is (server/receiving/kind.ts). */
export const MAIL_KINDS = ["person", "automatic", "list", "bounce", "calendar"] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** How a mail was read where it is not as it says. */
export const READING_NOTES = ["structure_repaired", "charset_guessed", "encoding_ignored", "part_unreadable"] as const;
export type ReadingNote = (typeof READING_NOTES)[number];
/** `complete`: all of it could be read. */
export type Reading = { complete: boolean; notes: ReadingNote[] };

/** The one-time code and the verification link of a mail, and the confidence, 0 to 1. */
export type Extraction = {
  otp: string | null;
  link: string | null;
  confidence: number;
  /** Whether the link leads to the sender's own registrable domain; null without a link. */
  link_host_matches_sender: boolean | null;
};

/** Results with the names of RFC 8601 §2.7. */
export type AuthenticationResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror";

/**
 * The result of sender authentication. `dkim` is the best of all signatures. `aligned_from`: SPF or DKIM of the domain
 * of `from` passed with alignment as in DMARC (RFC 9989), whether or not it publishes a policy. `local_sender`: the address of
 * this service that sent the mail, which the service passed inside; then nothing else was checked.
 */
export type Authentication = {
  spf: AuthenticationResult;
  dkim: AuthenticationResult;
  dmarc: AuthenticationResult;
  arc: AuthenticationResult;
  aligned_from: boolean;
  local_sender?: string;
};

/** Whether it is proven who wrote the mail: the domain of its From, or a mailbox of this service. */
export function provesSender(authentication: Authentication | null | undefined): boolean {
  return authentication?.aligned_from === true || authentication?.local_sender !== undefined;
}

/** Reasons for caution. */
export type Security = {
  /** This mailbox never received mail from this sender, and this thread is new. */
  first_contact: boolean;
  /** More than one From header or mailbox: mail programs may show different senders. */
  multiple_from: boolean;
  /** How From shows another sender than its address. Missing for mail that was parsed before this check existed. */
  misleading_from?: string[];
  hidden_text: boolean;
  /** How the text is hidden. Missing for mail that was parsed before this check existed. */
  hiding?: "none" | "usual" | "deceptive";
  /** Whether it instructs an assistant, visibly or hidden. May be missing likewise. */
  instructions?: "none" | "visible" | "hidden";
  /** Links that lead elsewhere than they say. */
  suspicious_links: string[];
};

/** The gravest reason for caution of a message, in the order in which one is chosen (db/conditions.ts). */
export const WARNINGS = [
  "hidden_instructions",
  "dmarc_failed",
  "suspicious_links",
  "misleading_sender",
  "instructions",
  "hidden_text",
] as const;
export type Warning = (typeof WARNINGS)[number];

export const SPAM_VERDICTS = ["ham", "suspect", "spam"] as const;
export const SPAM_POLICIES = ["mark", "quarantine"] as const;
export type SpamPolicy = (typeof SPAM_POLICIES)[number];
/** The verdict on an inbound mail. `reasons`: the words of server/receiving/spam.ts that counted against it. */
export type Spam = { score: number; verdict: (typeof SPAM_VERDICTS)[number]; reasons: string[] };

/** What the writer of a draft gave. Null: nothing yet. */
export type DraftFields = {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string | null;
  text: string | null;
  html: string | null;
  reply_to: string | null;
  list_unsubscribe: boolean;
  /** API ids of messages. */
  in_reply_to: string | null;
  expected_last_message_id: string | null;
  reply_all: boolean;
  /** Missing: an earlier version wrote it. */
  labels?: string[];
};

/** What a reviewer may change of a message. */
/** Each address once, as it is in its list. */
export type RecipientNames = [address: string, name: string][];

export type ReviewedContent = {
  to: string[];
  cc: string[];
  bcc: string[];
  /** Undefined: none, or of an earlier version. */
  names?: RecipientNames;
  subject: string;
  text: string | null;
  html: string | null;
};
