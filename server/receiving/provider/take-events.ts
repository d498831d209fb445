// Takes the events that a provider posted and signed.
import type { Ctx, Services, System } from "../../base/context.ts";
import type { ProviderEvent, ProviderEvents, ProviderName } from "../../base/ports/provider-events.ts";
import { spendEventIds } from "./event-ids.ts";
import { type ArrivalResult, takeArrival } from "./take-arrival.ts";
import { type ReportEvent, type ReportResult, takeReports } from "./take-report.ts";

declare module "../../base/context.ts" {
  interface Services {
    /** Those whose secrets are set. */
    providerEvents: Partial<Record<ProviderName, ProviderEvents>>;
  }
}

export type Provider = { name: ProviderName; events: ProviderEvents };

/** The provider of this name whose secret is set. */
export function findProvider({ providerEvents }: Pick<Services, "providerEvents">, name: string): Provider | undefined {
  const known = name as ProviderName;
  const events = Object.hasOwn(providerEvents, known) ? providerEvents[known] : undefined;
  return events && { name: known, events };
}

/** `ignored`: a kind of event that changes nothing here. */
type EventResult = ReportResult | ArrivalResult | "ignored" | "malformed";

/**
 * @returns how many events have each result
 * @throws ServiceError `unavailable` if an event cannot be taken now; the provider then repeats all of them
 */
export async function takeProviderEvents(
  services: Services,
  events: ProviderEvent[],
): Promise<Partial<Record<EventResult, number>>> {
  const ctx: Ctx<System> = { ...services, actor: { kind: "system" } };
  const reports = events.filter((event): event is ReportEvent => event.kind === "report");
  const results: EventResult[] = await takeReports(ctx, reports);
  for (const event of events) if (event.kind !== "report") results.push(await takeOther(ctx, event));
  const counts: Partial<Record<EventResult, number>> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

async function takeOther(ctx: Ctx<System>, event: Exclude<ProviderEvent, { kind: "report" }>): Promise<EventResult> {
  if (event.kind === "arrival") return takeArrival(ctx, event.id, event.mail);
  if (event.once && !(await spendEventIds(ctx.db, [event.id], ctx.now())).has(event.id)) return "repeated";
  return event.kind === "other" ? "ignored" : "malformed";
}
