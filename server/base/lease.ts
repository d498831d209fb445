// Renews the leases of rows while a worker processes them. Leases are short, so that those of a dead worker end soon.
import type { Logger } from "./log.ts";

const LEASE_MS = 60_000;
/** Much shorter than a lease, so that several renewals may fail. */
const RENEW_EVERY_MS = 5_000;

export function leaseEnd(now: Date): Date {
  return new Date(now.getTime() + LEASE_MS);
}

/**
 * Calls `renew` every 5 s, never concurrently, until stopped.
 * @returns a function that stops the renewals
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
