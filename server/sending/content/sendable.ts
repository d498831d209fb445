// What a message needs to be sent: a body, and recipients within the limit.
import { refuseFields } from "../../base/errors.ts";

/** In to, cc and bcc together. */
export const RECIPIENTS_MAX = 50;
export const TOO_MANY = `at most ${RECIPIENTS_MAX} recipients in all`;

/** @throws ServiceError `invalid_request` for more than 50 recipients */
export function requireFew({ to, cc, bcc }: Record<"to" | "cc" | "bcc", string[]>): void {
  if (to.length + cc.length + bcc.length > RECIPIENTS_MAX) refuseFields([{ path: "to", message: TOO_MANY }]);
}

/** @throws ServiceError `invalid_request` */
export function requireBody({
  text,
  html,
}: {
  text?: string | null | undefined;
  html?: string | null | undefined;
}): void {
  if (!text && !html) refuseFields([{ path: "text", message: "`text`, `html` or both are needed" }]);
}
