// What a message needs to be sent: a body, and recipients within the limit.
import { hash } from "node:crypto";
import type { Issue } from "../../base/errors/body.ts";
import { ServiceError } from "../../base/errors.ts";

/** In to, cc and bcc together. */
export const RECIPIENTS_MAX = 50;
export const TOO_MANY = `at most ${RECIPIENTS_MAX} recipients in all`;

const KEY_CHARS = 256;

/**
 * The idempotency key of a mail that a program submits over SMTP: submitted again, it is the same send.
 * @param messageId without angle brackets
 */
export function submissionKey(messageId: string): string {
  const key = `smtp:${messageId}`;
  const fits = key.length <= KEY_CHARS && /^[!-~]+$/.test(key);
  return fits ? key : `smtp:${hash("sha256", messageId)}`;
}

/** @throws ServiceError `invalid_request` for more than 50 recipients */
export function requireFew({ to, cc, bcc }: Record<"to" | "cc" | "bcc", string[]>): void {
  if (to.length + cc.length + bcc.length > RECIPIENTS_MAX) refuse([{ path: "to", message: TOO_MANY }]);
}

/** @throws ServiceError `invalid_request` */
export function requireBody({
  text,
  html,
}: {
  text?: string | null | undefined;
  html?: string | null | undefined;
}): void {
  if (!text && !html) refuse([{ path: "text", message: "`text`, `html` or both are needed" }]);
}

/** @throws ServiceError `invalid_request` with the issues, if there are any */
export function refuse(issues: Issue[]): void {
  const [first] = issues;
  if (first) throw new ServiceError("invalid_request", `${first.path}: ${first.message}`, { issues });
}
