// How a webhook looks on the wire. Its secret is in the answer that registers it and nowhere else (specification §2).
import { encodeId } from "../ids.ts";
import type { WebhookRow } from "./find.ts";
import type { NewWebhook } from "./register.ts";

export function registeredView(webhook: NewWebhook) {
  return { id: encodeId("whk", webhook.id), url: webhook.url, events: [...webhook.events], secret: webhook.secret };
}

export function webhookView(row: WebhookRow) {
  return {
    id: encodeId("whk", row.id),
    url: row.url,
    events: row.events,
    address: row.address,
    active: row.active,
    disabled_reason: row.disabled_reason,
    created_at: row.created_at.toISOString(),
  };
}
