// Counts an attempt of a delivery, and writes its line in the log.
import type { Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { writeWork } from "../../base/log.ts";
import type { Span } from "../../ports/tracing.ts";
import type { DueDelivery } from "./due-delivery.ts";
import type { Answer } from "./post.ts";

type Needs = Pick<Services, "log" | "metrics">;

/** @param status of the delivery after the attempt */
export function noteAttempt(
  { log, metrics }: Needs,
  delivery: DueDelivery,
  { answer, span }: { answer: Answer; span?: Span | undefined },
  status: "succeeded" | "pending" | "failed",
): void {
  const outcome = status === "pending" ? "retried" : status;
  metrics.deliveryAttempts.inc({ outcome });
  const { organization_id: organization, inbox_id: inbox, attempts, event_kind: event } = delivery;
  const ids = { delivery: encodeId("dlv", delivery.id), webhook: encodeId("whk", delivery.webhook_id) };
  const facts = { ...ids, event, attempt: attempts + 1, status: answer.status, error: answer.error };
  const spanFacts = {
    "http.request.method": "POST",
    "http.response.status_code": answer.status ?? undefined,
    "mailberth.delivery": ids.delivery,
    "mailberth.webhook": ids.webhook,
    "mailberth.attempt": facts.attempt,
  };
  writeWork(log, "info", {
    kind: "delivery",
    organization,
    inbox,
    outcome,
    ms: answer.durationMs,
    facts,
    span,
    spanFacts,
  });
}
