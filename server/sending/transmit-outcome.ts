// Converts the result of a send attempt to the message's next state: sent, failed, or queued with a backoff.
import { inArray } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import { JITTER, jittered } from "../base/backoff.ts";
import { makeDue } from "../base/catch-up.ts";
import type { RecipientResult, SendOutcome } from "../base/ports/outbound.ts";
import { printable, readCodes } from "../recipients/outcomes/codes.ts";
import type { Outcome } from "../recipients/outcomes/record.ts";
import type { Leased } from "./lease-queued.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * Backoff after the first, second, … failed attempt: two days in total (RFC 5321 §4.5.4.1); one more failure is final.
 */
const PAUSES_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
];

/** The latest possible attempt. */
const PAUSE_MAX_MS = Math.max(Math.max(...PAUSES_MS) * (1 + JITTER), RETRY_AFTER_MAX_MS);

/** The prefix of the `error` of a queued message of which a copy may have arrived. */
const MAY_HAVE_LEFT = "may have left: ";
const SECOND_COPY = "an earlier attempt ended without an answer, so this may be a second copy with the same Message-ID";

/** The new values of a row, and the leases it may have. */
export type Settled = Pick<
  typeof messages.$inferSelect,
  "id" | "attempts" | "next_attempt_at" | "sent_at" | "provider_message_id" | "error"
> & {
  leases: Date[];
  /** `sent` and `failed` are final: the worst of the recipients replaces them. */
  status: "queued" | "sent" | "failed";
  outcomes: Outcome[];
};

const STATUSES = {
  delivered: "delivered",
  accepted: "sent",
  captured: "sent",
  refused: "bounced",
  rejected: "failed",
} as const;

function settled(leased: Leased, change: Partial<Settled> & Pick<Settled, "status">): Settled {
  return {
    id: leased.id,
    leases: leased.leases,
    attempts: leased.attempts,
    next_attempt_at: null,
    sent_at: null,
    provider_message_id: null,
    outcomes: [],
    error: null,
    ...change,
  };
}

/**
 * Returns the message to the queue without an attempt.
 * @param nextAttemptAt null: a pause stops it (return-paused.ts)
 */
export function putBack(leased: Leased, nextAttemptAt: Date | null): Settled {
  const attempts = leased.attempts - 1;
  // An expired lease stays one: its result is still unknown.
  const error = leased.was === "sending" ? MAY_HAVE_LEFT + SECOND_COPY : leased.error;
  return settled(leased, { status: "queued", attempts, next_attempt_at: nextAttemptAt, error });
}

/** Returns the message to the queue during an attempt, because the process stops. */
export function interrupted(leased: Leased, nextAttemptAt: Date): Settled {
  const error = `${MAY_HAVE_LEFT}the service stopped while sending`;
  const outcomes = outcomesOf(leased, leased.results, { at: nextAttemptAt });
  return settled(leased, { status: "queued", next_attempt_at: nextAttemptAt, error, outcomes });
}

/** Returns a message to the queue that a pause stopped, with the results of the envelopes before. */
export function paused(leased: Leased, outcome: SendOutcome, at: Date): Settled {
  return { ...putBack(leased, null), outcomes: outcomesOf(leased, outcome.recipients ?? [], { at }) };
}

/** Fails the message for all recipients that have no result. */
export function failed(leased: Leased, text: string, at: Date, known: Outcome[] = []): Settled {
  const error = printable(text);
  const has = new Set(known.map(({ index }) => index));
  const others = leased.recipients
    .filter(({ index }) => !has.has(index))
    .map(({ index }): Outcome => {
      return { messageId: leased.id, index, status: "failed", ...readCodes(error), reason: error, at };
    });
  return settled(leased, { status: "failed", error, outcomes: [...known, ...others] });
}

/** The results of an adapter as outcomes of the recipients that wait for one. */
function outcomesOf(leased: Leased, results: RecipientResult[], { at, note }: { at: Date; note?: string }): Outcome[] {
  const indexes = new Map(leased.recipients.map(({ address, index }) => [address, index]));
  return results.flatMap(({ address, outcome, detail = "" }) => {
    const index = indexes.get(address);
    const words = [detail, outcome === "accepted" && note].filter(Boolean).join("; ");
    const reason = words === "" ? null : printable(words);
    return index === undefined
      ? []
      : { messageId: leased.id, index, status: STATUSES[outcome], ...readCodes(detail), reason, at };
  });
}

/** Whether an earlier attempt ended without an answer, so that a copy may have left. */
export function isUncertain({ was, error }: Leased): boolean {
  return was === "sending" || Boolean(error?.startsWith(MAY_HAVE_LEFT));
}

/** @param recognisesRepeats whether the provider detects second copies */
export function settle(leased: Leased, outcome: SendOutcome, now: Date, recognisesRepeats: boolean): Settled {
  const secondCopy = isUncertain(leased) && !recognisesRepeats;
  const note = secondCopy ? { note: SECOND_COPY } : {};
  const outcomes = outcomesOf(leased, outcome.recipients ?? [], { at: now, ...note });
  if (outcome.outcome === "retry") {
    const label = isUncertain(leased) || outcome.mayHaveLeft ? MAY_HAVE_LEFT : "";
    const error = label + printable(outcome.error);
    const pause = PAUSES_MS[leased.attempts - 1];
    if (pause === undefined)
      return failed(leased, `given up after ${leased.attempts} attempts; ${error}`, now, outcomes);
    const wait = Math.max(jittered(pause), Math.min(outcome.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
    return settled(leased, { status: "queued", next_attempt_at: new Date(now.getTime() + wait), error, outcomes });
  }
  if (outcome.outcome === "refused") return failed(leased, outcome.error, now, outcomes);
  const provider_message_id = outcome.providerMessageId && printable(outcome.providerMessageId);
  return settled(leased, { status: "sent", sent_at: now, provider_message_id, outcomes });
}

/** Messages to be sent. */
export const advanceQueued = makeDue({
  table: messages,
  key: messages.id,
  at: messages.next_attempt_at,
  withinMs: PAUSE_MAX_MS,
  only: asInIndex(inArray(messages.status, ["queued", "sending"])),
});
