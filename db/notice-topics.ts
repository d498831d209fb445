// What notices to people are about, and how they leave.
export const NOTICE_TOPICS = ["webhook_disabled", "domain", "approval", "postmaster", "sending"] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];
export const NOTICE_CHANNELS = ["mail", "chat"] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];
/** What an email is about. */
export const EMAIL_TOPICS = [
  "webhook_disabled",
  "domain_lost",
  "mailboxes_deleted",
  "approval",
  "postmaster",
  "sending_paused",
  "test",
  "invitation",
  "reset",
  "second_factor",
  "company_account",
  "confirmation",
] as const;
export type EmailTopic = (typeof EMAIL_TOPICS)[number];
/** Emails that have limits together. */
export const EMAIL_CLASSES = ["invitation", "confirmation", "reset", "account", "test", "notice", "chat"] as const;
export type EmailClass = (typeof EMAIL_CLASSES)[number];
