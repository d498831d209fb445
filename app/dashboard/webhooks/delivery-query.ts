// The filters of deliveries in the address, as those of the API.
"use client";
import { useSearchParams } from "next/navigation";
import { fromLocal } from "./local-time.ts";

export const STATUSES = ["pending", "retrying", "succeeded", "failed"] as const;
export const NAMES = ["status", "of", "after", "before"] as const;

type Filters = {
  status?: (typeof STATUSES)[number];
  event_id?: string;
  message_id?: string;
  after?: string;
  before?: string;
};

/** Invalid ids match nothing. */
export function readDeliveryFilters(parameters: Pick<URLSearchParams, "get">): Filters {
  const [status, of, after, before] = NAMES.map((name) => parameters.get(name) ?? "");
  const known = STATUSES.find((each) => each === status);
  return {
    ...(known && { status: known }),
    ...(of && (of.startsWith("msg_") ? { message_id: of } : { event_id: of })),
    ...(after && fromLocal(after) && { after: fromLocal(after) }),
    ...(before && fromLocal(before) && { before: fromLocal(before) }),
  };
}

export function useDeliveryFilters(): Filters {
  return readDeliveryFilters(useSearchParams());
}
