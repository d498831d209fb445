// A delivery that a process has leased, and for how long.
import type { deliveries, events } from "#db/schema/events.ts";
import type { EndpointRecord } from "./endpoint.ts";

/**
 * How long a row stays with the process that took it. It waits in memory for half of that at most (lanes.ts); the rest
 * covers its attempt and the writing of the outcome.
 */
export const DELIVERY_LEASE_MS = 60_000;

/** A delivery as the engine needs it, with its webhook as it was read. Its row is leased: `next_attempt_at` is `DELIVERY_LEASE_MS` ahead. */
export type DueDelivery = EndpointRecord &
  Pick<typeof deliveries.$inferSelect, "id" | "webhook_id" | "event_id" | "attempts"> &
  Pick<typeof events.$inferSelect, "body" | "inbox_id"> & {
    event_kind: string;
    /** Of the event; null or absent: it is not traced. */
    traceparent?: (typeof events.$inferSelect)["traceparent"] | undefined;
    /** The end of the lease of an extra attempt, which a caller asked for; null or absent: an attempt of the schedule. */
    resend_at?: (typeof deliveries.$inferSelect)["resend_at"];
  };
