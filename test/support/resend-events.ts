// Posts events as Resend does, signed like Svix signs: https://docs.svix.com/receiving/verifying-payloads/how-manual
import { createHmac, randomBytes } from "node:crypto";

const SECOND_MS = 1_000;

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(24, 5).toString("base64")}`;
export const EVENTS_PATH = "/v1/providers/resend/events";

export type Posted = {
  /** The `svix-id`; a new one unless given. */
  id?: string;
  /** When it was signed. */
  at?: Date;
  secret?: string;
  /** Sent instead of the signed body. */
  sent?: string;
  headers?: Record<string, string>;
};

export function signatureOf(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
}

/** @returns the status and the body of the answer */
export async function postEvent(url: string, event: object | string, how: Posted = {}) {
  const { id = `msg_${randomBytes(12).toString("hex")}`, at = new Date(), secret = WEBHOOK_SECRET } = how;
  const body = typeof event === "string" ? event : JSON.stringify(event);
  const seconds = Math.floor(at.getTime() / SECOND_MS);
  const answer = await fetch(url + EVENTS_PATH, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "svix-id": id,
      "svix-timestamp": String(seconds),
      "svix-signature": signatureOf(secret, id, seconds, body),
      ...how.headers,
    },
    body: how.sent ?? body,
  });
  const text = await answer.text();
  const { results = {}, error } = JSON.parse(text) as { results?: Record<string, number>; error?: { code: string } };
  return { status: answer.status, result: Object.keys(results)[0], code: error?.code };
}
