// Signs deliveries, and builds the headers of an attempt.
import { createHmac } from "node:crypto";
import type { WebhookFormat } from "#db/event-kinds.ts";
import { encodeId } from "../../base/ids.ts";
import { SIGNING_SECRET_PREFIX } from "../../base/secrets.ts";
import { version } from "../../base/version.ts";

const USER_AGENT = `Mailberth/${version}`;

/**
 * The signature header (interface specification §6): `v1` is hex HMAC-SHA256 of `<t>.<raw_body>` keyed with the
 * secret's text as UTF-8, `whsec_` included. Several secrets give several `v1`, so that a receiver with any of them can
 * verify.
 * @param timestampSeconds Unix time of this attempt, whole seconds
 */
export function signatureHeader(secrets: readonly string[], timestampSeconds: number, rawBody: string): string {
  const signatures = secrets.map((secret) =>
    createHmac("sha256", secret).update(`${timestampSeconds}.`).update(rawBody).digest("hex"),
  );
  return `t=${timestampSeconds},${signatures.map((signature) => `v1=${signature}`).join(",")}`;
}

/**
 * The signatures of Standard Webhooks, https://www.standardwebhooks.com: HMAC-SHA256 of `<id>.<t>.<raw_body>` in
 * base64, keyed with the bytes that the secret holds in base64 after its prefix. Older secrets are in base64url.
 */
function standardSignatures(secrets: readonly string[], id: string, timestampSeconds: number, rawBody: string): string {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(SIGNING_SECRET_PREFIX, ""), "base64");
    return createHmac("sha256", key).update(`${id}.${timestampSeconds}.`).update(rawBody).digest("base64");
  });
  return signatures.map((signature) => `v1,${signature}`).join(" ");
}

/**
 * Headers of one attempt, as a flat list of names and values. All attempts have the same delivery id, all deliveries of
 * an event the same event id; the signature differs.
 * @param serviceName the `Service` of the header names, the operator's setting
 */
export function deliveryHeaders(
  serviceName: string,
  delivery: { id: string; event_id: string; event_kind: string; body: string; format: WebhookFormat | null },
  secrets: readonly string[],
  now: Date,
): string[] {
  const { body } = delivery;
  const timestamp = Math.floor(now.getTime() / 1000);
  const deliveryId = encodeId("dlv", delivery.id);
  const eventId = encodeId("evt", delivery.event_id);
  const signed = standardSignatures(secrets, eventId, timestamp, body);
  return [
    "Content-Type",
    "application/json",
    "User-Agent",
    USER_AGENT,
    `X-${serviceName}-Signature`,
    signatureHeader(secrets, timestamp, body),
    `X-${serviceName}-Event`,
    delivery.event_kind,
    `X-${serviceName}-Delivery`,
    deliveryId,
    `X-${serviceName}-Event-Id`,
    eventId,
    "webhook-id",
    eventId,
    "webhook-timestamp",
    String(timestamp),
    "webhook-signature",
    signed,
    // The same under the names that Svix has for them, which receivers of other services read.
    ...(delivery.format === null
      ? []
      : ["svix-id", eventId, "svix-timestamp", String(timestamp), "svix-signature", signed]),
  ];
}
