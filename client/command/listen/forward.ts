// Posts an event to a URL as the service posts a webhook delivery: the same body, headers and signature.
import { createHmac } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import packageJson from "../../../package.json" with { type: "json" };
import type { StreamEvent } from "./follow-events.ts";

/** Delays before the second, third and fourth attempt. */
const RETRY_AFTER_MS = [1_000, 2_000, 4_000];
const ANSWER_MAX_MS = 10_000;
const USER_AGENT = `Mailberth/${packageJson.version}`;

export type Target = {
  url: string;
  secret: string;
  /** The `Service` of the header names, a setting of the service. */
  serviceName: string;
  stop: AbortSignal;
};
export type Outcome = {
  event_id: string;
  event: string;
  delivered: boolean;
  /** Of the last attempt; null without an answer. */
  status: number | null;
  error: string | null;
  attempts: number;
  duration_ms: number;
};

/** The body of a delivery: the event without its place in the log. */
function bodyOf({ data }: StreamEvent): string {
  const { id: _id, created_at: _createdAt, ...body } = data;
  return JSON.stringify(body);
}

function headersOf(event: StreamEvent, body: string, { secret, serviceName }: Target): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1_000);
  const signature = createHmac("sha256", secret).update(`${seconds}.`).update(body).digest("hex");
  // Standard Webhooks: keyed with the bytes after the prefix.
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const standard = createHmac("sha256", key).update(`${event.id}.${seconds}.`).update(body).digest("base64");
  return {
    "Content-Type": "application/json",
    "User-Agent": USER_AGENT,
    [`X-${serviceName}-Signature`]: `t=${seconds},v1=${signature}`,
    [`X-${serviceName}-Event`]: event.kind,
    // One for each event, so that a receiver recognizes a repeated delivery.
    [`X-${serviceName}-Delivery`]: event.id.replace(/^evt_/, "dlv_"),
    [`X-${serviceName}-Event-Id`]: event.id,
    "webhook-id": event.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": `v1,${standard}`,
  };
}

async function attempt(event: StreamEvent, target: Target): Promise<Pick<Outcome, "status" | "error" | "delivered">> {
  const body = bodyOf(event);
  const signal = AbortSignal.any([target.stop, AbortSignal.timeout(ANSWER_MAX_MS)]);
  try {
    const headers = headersOf(event, body, target);
    const answer = await fetch(target.url, { method: "POST", headers, body, redirect: "manual", signal });
    await answer.body?.cancel();
    return { status: answer.status, delivered: answer.ok, error: null };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const text = cause instanceof Error ? ("code" in cause ? String(cause.code) : cause.message) : String(cause);
    return { status: null, delivered: false, error: text };
  }
}

/** Posts an event, and again after a failure, for some seconds. */
export async function forward(event: StreamEvent, target: Target): Promise<Outcome> {
  const started = performance.now();
  let attempts = 1;
  let last = await attempt(event, target);
  for (const delayMs of RETRY_AFTER_MS) {
    if (last.delivered || target.stop.aborted) break;
    await sleep(delayMs, undefined, { signal: target.stop }).catch(() => {}); // stopped: the loop ends
    if (target.stop.aborted) break;
    attempts += 1;
    last = await attempt(event, target);
  }
  const duration_ms = Math.round(performance.now() - started);
  return { event_id: event.id, event: event.kind, ...last, attempts, duration_ms };
}
