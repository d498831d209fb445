// Counts the parse of a mail, and writes its line in the log.
import type { Services } from "../../base/context.ts";
import { writeWork } from "../../base/log.ts";
import type { Span } from "../../ports/tracing.ts";
import type { Claimed } from "./parse-claim.ts";
import type { Read } from "./parse-write.ts";

type Needs = Pick<Services, "log" | "metrics">;
type Work = { ms: number; span: Span | undefined };

/** @param read undefined if the mail is retried later */
export function noteParse({ log, metrics }: Needs, mail: Claimed, read: Read | undefined, { ms, span }: Work): void {
  const outcome = read?.status ?? "retried";
  metrics.parseSeconds.observe({ result: outcome }, ms / 1000);
  const { id: message, organization_id: organization, inbox_id: inbox, attempts: attempt, size: bytes } = mail;
  writeWork(log, "info", {
    kind: "parse",
    organization,
    inbox,
    message,
    outcome,
    ms,
    span,
    facts: { attempt, bytes },
    spanFacts: { "mailberth.attempt": attempt, "mailberth.bytes": bytes },
  });
}
