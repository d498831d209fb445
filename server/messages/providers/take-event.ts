// Takes an event that a provider posted and signed.
import type { Ctx, Services, System } from "../../base/context.ts";
import type { ProviderEvent, ProviderEvents } from "../../ports/provider-events.ts";
import { type ReportResult, takeReport } from "./take-report.ts";

declare module "../../base/context.ts" {
  interface Services {
    /** Undefined unless RESEND_WEBHOOK_SECRET is set. */
    providerEvents: ProviderEvents | undefined;
  }
}

/** `ignored`: a kind of event that changes nothing here. */
export type EventResult = ReportResult | "ignored";

/** @throws if the database is unavailable; the provider then repeats the event */
export async function takeProviderEvent(services: Services, event: ProviderEvent): Promise<EventResult> {
  const ctx: Ctx<System> = { ...services, actor: { kind: "system" } };
  return event.kind === "report" ? takeReport(ctx, event.id, event.report) : "ignored";
}
