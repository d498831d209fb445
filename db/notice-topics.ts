// What notices to people are about, and how they leave.
export const NOTICE_TOPICS = ["webhook_disabled", "domain", "approval", "postmaster"] as const;
export type NoticeTopic = (typeof NOTICE_TOPICS)[number];
export const NOTICE_CHANNELS = ["mail", "chat"] as const;
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number];
