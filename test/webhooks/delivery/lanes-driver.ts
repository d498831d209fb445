// Deliveries for the fair queue, and ways to drive it.
import type { DueDelivery } from "#server/webhooks/delivery/due-delivery.ts";
import type { Attempt, Lanes, Returned } from "#server/webhooks/delivery/lane.ts";
import * as lanes from "#server/webhooks/delivery/lanes.ts";
import { createOriginRates } from "#server/webhooks/targets/origin-rate.ts";

const UNLIMITED = 1_000_000;

/** @param perSecond requests to one origin */
export function newLanes(perSecond = UNLIMITED): Lanes {
  return lanes.createLanes(createOriginRates(perSecond));
}

let count = 0;
/** Of a webhook named `organization/webhook`, or of one organization that has all others. */
export function delivery(webhookId: string): DueDelivery {
  count += 1;
  return {
    id: String(count),
    organization_id: webhookId.includes("/") ? (webhookId.split("/")[0] ?? "") : "o",
    webhook_id: webhookId,
    event_id: "e",
    inbox_id: null,
    attempts: 0,
    url: "https://hooks.example.com/",
    format: null,
    include_message: null,
    headers: null,
    secret: Buffer.alloc(0),
    previous_secret: null,
    previous_secret_expires_at: null,
    read_at: 0,
    body: "{}",
    event_kind: "message.received",
  };
}

export function fill(queue: Lanes, webhookId: string, deliveries: number, now = 0): Returned[] {
  const returned: Returned[] = [];
  for (let i = 0; i < deliveries; i += 1) {
    const back = lanes.add(queue, delivery(webhookId), "mail", now);
    if (back) returned.push(back);
  }
  return returned;
}

export function sweep(queue: Lanes, now: number): Returned[] {
  lanes.findSlow(queue, now);
  return lanes.sweep(queue, now);
}

export function startAll(queue: Lanes, now: number): Attempt[] {
  const started: Attempt[] = [];
  lanes.release(queue, now);
  for (let next = lanes.next(queue, now); next; next = lanes.next(queue, now)) started.push(next);
  return started;
}
