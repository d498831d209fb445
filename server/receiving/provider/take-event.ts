// Takes an event that a provider posted and signed.
import { lt } from "drizzle-orm";
import { providerEvents } from "#db/schema/events.ts";
import type { Ctx, Services, System } from "../../base/context.ts";
import type { ProviderEvent, ProviderEvents } from "../../base/ports/provider-events.ts";
import { daysAgo, deleteOld } from "../../base/retention.ts";
import { type ArrivalResult, takeArrival } from "./take-arrival.ts";
import { type ReportResult, takeReport } from "./take-report.ts";

declare module "../../base/context.ts" {
  interface Services {
    /** Undefined unless RESEND_WEBHOOK_SECRET is set. */
    providerEvents: ProviderEvents | undefined;
  }
}

const KEPT_DAYS = 30;

/** `ignored`: a kind of event that changes nothing here. */
export type EventResult = ReportResult | ArrivalResult | "ignored";

/** @throws if the event cannot be taken now; the provider then repeats it */
export async function takeProviderEvent(services: Services, event: ProviderEvent): Promise<EventResult> {
  const ctx: Ctx<System> = { ...services, actor: { kind: "system" } };
  switch (event.kind) {
    case "report":
      return takeReport(ctx, event.id, event.report);
    case "arrival":
      return takeArrival(ctx, event.id, event.mail);
    case "other":
      return "ignored";
  }
}

/** Deletes the ids of events that the provider no longer repeats. */
export const pruneProviderEvents = deleteOld({
  table: providerEvents,
  key: providerEvents.id,
  isOver: (ctx) => lt(providerEvents.created_at, daysAgo(ctx, KEPT_DAYS)),
  oldestFirst: providerEvents.created_at,
});
