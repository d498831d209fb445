// What the jsonb columns of `messages` hold.

/** One attachment; its bytes are in `attachments` (outbound) or in the raw mail (inbound). */
export type AttachmentInfo = {
  id: string;
  filename: string | null;
  content_type: string;
  size: number;
  inline: boolean;
};

/** What became of an outbound message at one recipient. */
export type RecipientResult = {
  address: string;
  outcome: "delivered" | "accepted" | "captured" | "refused";
  detail?: string;
};

/** The one-time code and the verification link of a mail, and how sure that is, 0 to 1. */
export type Extraction = {
  otp: string | null;
  link: string | null;
  confidence: number;
  /** Whether the link leads to the sender's own registrable domain; null without a link. */
  link_host_matches_sender: boolean | null;
};

/** Results as RFC 8601 §2.7 names them. */
export type AuthenticationResult = "pass" | "fail" | "softfail" | "neutral" | "none" | "temperror" | "permerror";

/**
 * Who really sent a mail. `dkim` is the best of all signatures. `aligned_from`: the domain of `from` itself vouches for the mail, by
 * SPF or DKIM, as DMARC understands it (RFC 9989), whether or not it publishes a policy.
 */
export type Authentication = {
  spf: AuthenticationResult;
  dkim: AuthenticationResult;
  dmarc: AuthenticationResult;
  arc: AuthenticationResult;
  aligned_from: boolean;
};

/** What about a mail asks for caution. */
export type Security = {
  /** Nobody in this mailbox has had mail from this sender, or written in this thread, before. */
  first_contact: boolean;
  /** More than one From header or mailbox: readers may show another sender than ours. */
  multiple_from: boolean;
  hidden_text: boolean;
  /** How the text is hidden. Missing in mail that was read before this was judged. */
  hiding?: "none" | "usual" | "deceptive";
  /** Whether it gives orders to an assistant, where people read it or where they do not. Missing likewise. */
  instructions?: "none" | "visible" | "hidden";
  /** Links that lead elsewhere than they say. */
  suspicious_links: string[];
};
