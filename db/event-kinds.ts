// The kinds of events.

/** Kinds that a webhook may subscribe to. */
export const WEBHOOK_KINDS = [
  "message.received",
  "message.sent",
  "message.delivered",
  "message.bounced",
  "message.complained",
  "message.failed",
  "message.held",
  "message.approved",
  "message.rejected",
  "message.restored",
  "message.unanswered",
  "suppression.added",
  "suppression.removed",
  "inbox.created",
  "inbox.deleted",
  "domain.verified",
  "domain.lost",
  "sending.paused",
  "sending.resumed",
] as const;
export type WebhookKind = (typeof WEBHOOK_KINDS)[number];

/** Forms of deliveries beside our own: those of other services. */
export const WEBHOOK_FORMATS = ["agentmail", "resend"] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** All kinds of the event log. Webhooks do not receive `webhook.disabled`. */
export const EVENT_KINDS = [...WEBHOOK_KINDS, "webhook.disabled"] as const;
