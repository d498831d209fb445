// Formats webhooks and their deliveries for the API. Only the answers to register and rotate contain a secret.
import { encodeId } from "../base/ids.ts";
import type { AttemptRow, DeliveryRow, WholeDelivery } from "./deliveries.ts";
import { filterView } from "./delivery/filter.ts";
import { INCLUDED } from "./delivery/included.ts";
import type { Diagnosis } from "./diagnosis.ts";
import type { WebhookRow } from "./find.ts";
import type { WebhookHealth } from "./health.ts";
import type { NewWebhook } from "./insert.ts";
import type { RotatedSecret } from "./rotate-secret.ts";

export function registeredView(webhook: NewWebhook) {
  return { id: encodeId("whk", webhook.id), url: webhook.url, events: [...webhook.events], secret: webhook.secret };
}

export function rotatedView({ id, secret, previousExpiresAt }: RotatedSecret) {
  return { id: encodeId("whk", id), secret, previous_secret_expires_at: previousExpiresAt.toISOString() };
}

export function webhookView(row: WebhookRow) {
  return {
    id: encodeId("whk", row.id),
    url: row.url,
    name: row.name,
    events: row.events,
    format: row.format,
    address: row.address,
    agent_id: row.agent_id === null ? null : encodeId("agt", row.agent_id),
    filter: filterView(row),
    headers: row.header_names ?? [],
    include: row.include_message ? [...INCLUDED] : [],
    active: row.active,
    disabled_reason: row.disabled_reason,
    disabled_at: row.disabled_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    previous_secret_expires_at: row.previous_secret_expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}

export function healthView(row: WebhookHealth) {
  const {
    succeeded = 0,
    failed = 0,
    retrying = 0,
    waiting = 0,
    failure_at,
    failure_status,
    failure_error,
  } = row.recent ?? {};
  return {
    ...webhookView(row),
    same_url: row.same_url,
    recent: { succeeded, failed, retrying, waiting },
    last_failure: failure_at
      ? { at: failure_at.toISOString(), status: failure_status ?? null, error: failure_error ?? null }
      : null,
  };
}

export function deliveryView(row: DeliveryRow) {
  return {
    id: encodeId("dlv", row.id),
    webhook_id: encodeId("whk", row.webhook_id),
    event_id: encodeId("evt", row.event_id),
    event: row.event_kind,
    message_id: row.message_id === null ? null : encodeId("msg", row.message_id),
    status: row.status,
    attempt_count: row.attempt_count,
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
    last_status: row.last_status,
    last_error: row.last_error,
    created_at: row.created_at.toISOString(),
    completed_at: row.completed_at?.toISOString() ?? null,
  };
}

export function diagnosisView({ failure, ...counts }: Diagnosis) {
  if (!failure) return { ...counts, failure };
  const { started_at, ...answer } = failure;
  return { ...counts, failure: { ...answer, at: started_at.toISOString() } };
}

function attemptView(row: AttemptRow) {
  return {
    ...row,
    started_at: row.started_at.toISOString(),
    request_headers: row.request_headers.map(([name, value]) => ({ name, value })),
    next_attempt_at: row.next_attempt_at?.toISOString() ?? null,
  };
}

export function wholeDeliveryView(row: WholeDelivery) {
  return { ...deliveryView(row), body: row.body, attempts: row.attempts.map(attemptView) };
}
