// Leases of rows that a worker has in hand: short, so that those of a dead worker end soon, and renewed while its work goes on.
import type { Logger } from "./log.ts";

export const LEASE_MS = 60_000;
/** Well within a lease, so that a renewal may fail several times. */
const RENEW_EVERY_MS = 5_000;

export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

/**
 * Calls `renew` every 5 s, never twice at the same time, while work is under way.
 * @returns the way to stop
 */
export function keepRenewing(renew: () => Promise<unknown>, log: Logger): () => void {
  let renewing = false;
  const timer = setInterval(async () => {
    if (renewing) return;
    renewing = true;
    try {
      await renew();
    } catch (error) {
      log.warn({ error }, "leases were not renewed; the next renewal tries again");
    }
    renewing = false;
  }, RENEW_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
