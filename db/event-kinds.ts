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
export type EventKind = (typeof EVENT_KINDS)[number];

/** What readers of the log get when they name no kinds: programs of version 0.1 know no others. */
export const KNOWN_KINDS = [
  "message.received",
  "message.delivered",
  "message.bounced",
  "message.complained",
  "message.failed",
  "message.approved",
  "message.rejected",
  "domain.verified",
  "domain.lost",
  "sending.paused",
  "sending.resumed",
  "webhook.disabled",
] as const satisfies EventKind[];
