// The idempotency key of a mail that a program submits over SMTP.
import { hash } from "node:crypto";

const KEY_CHARS = 256;

/**
 * A mail that is submitted again is the same send.
 * @param messageId without angle brackets
 */
export function submissionKey(messageId: string): string {
  const key = `smtp:${messageId}`;
  const fits = key.length <= KEY_CHARS && /^[!-~]+$/.test(key);
  return fits ? key : `smtp:${hash("sha256", messageId)}`;
}
