// Reads the time at which a message is to leave.
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";

const DAYS_MAX = 30;
const DAY_MS = 86_400_000;

/** @throws ServiceError `invalid_request` if the time is past or too far ahead */
export function readSendAt({ now }: Pick<Services, "now">, text: string | undefined): Date | undefined {
  if (text === undefined) return;
  const at = new Date(text);
  const ahead = at.getTime() - now().getTime();
  if (ahead >= 0 && ahead <= DAYS_MAX * DAY_MS) return at;
  const message = ahead < 0 ? "is in the past" : `is more than ${DAYS_MAX} days ahead`;
  throw new ServiceError("invalid_request", `send_at: ${message}`, { issues: [{ path: "send_at", message }] });
}
