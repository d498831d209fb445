// Dry runs of send, reply and forward: what would refuse the message, without effects.
import type { Transaction } from "#db/client.ts";
import { rolledBack } from "#db/rolled-back.ts";
import type { Caller, Ctx } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import type { Share } from "../../base/limiter.ts";
import type { InboxRow } from "../../base/tenancy.ts";
import { NOWHERE } from "../../blobs/store.ts";
import { refuseNotReady } from "../../domains/ready.ts";
import { takeStorage } from "../../inboxes/storage/count.ts";
import { takeSendBudget } from "../../keys/issued/send-budget.ts";
import { refuseIfPaused } from "../../pauses/find.ts";
import { takeCap, takeWindow } from "../../recipients/limits/send-cap.ts";
import { requireAllowed } from "../../recipients/lists/check.ts";
import { requireUnsuppressed } from "../../recipients/suppressions/check.ts";
import { withAttaching } from "../files.ts";
import { plannedOf, sizeOf } from "../outgoing.ts";
import { insertMessage, madeOf, type Prepared } from "../queue.ts";
import { queuedBefore } from "../repeated.ts";
import { type Planned, schedule } from "../scheduled/schedule.ts";

// Collects what checks refuse.
const SERVER_ERROR = 500;

/** Runs checks, and keeps the refusals that they throw: one of each code, in order. */
function collectRefusals() {
  const found = new Map<string, ServiceError>();
  return {
    /** @returns what `check` returns; undefined if it refuses */
    async attempt<Result>(check: () => Promise<Result>): Promise<Result | undefined> {
      try {
        return await check();
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status >= SERVER_ERROR) throw error;
        if (!found.has(error.code)) found.set(error.code, error);
        return undefined;
      }
    },
    refusals: () => [...found.values()],
  };
}

/**
 * All reasons for which the message would be refused, without queueing or counting it: makes every check of `queueOnce`
 * and rolls back.
 */
export async function refusalsOf(ctx: Ctx<Caller>, prepared: Prepared): Promise<ServiceError[]> {
  return withAttaching(ctx, (share) => refusals(ctx, prepared, share));
}

async function refusals(
  ctx: Ctx<Caller>,
  { inbox, request, compose }: Prepared,
  share: Share,
): Promise<ServiceError[]> {
  const collector = collectRefusals();
  const { attempt } = collector;
  const before = await attempt(() => queuedBefore(ctx, inbox, request));
  if (before) return [];
  await attempt(() => refuseNotReady(ctx, inbox));
  const outgoing = await attempt(async () => compose(share));
  if (!outgoing) return collector.refusals();
  await attempt(async () => {
    if (outgoing.refusal) throw outgoing.refusal;
  });
  const made = madeOf(inbox, { ...request, key: undefined }, outgoing);
  const planned = plannedOf(newId(), outgoing);
  const places = outgoing.files.map(() => NOWHERE);
  let isHeld = false;
  await rolledBack(ctx.db, async (tx) => {
    const steps: Step[] = [
      (inner) => refuseIfPaused(inner, ctx.actor, inbox),
      (inner) => requireAllowed(inner, inbox, planned.recipients),
      (inner) => requireUnsuppressed(inner, inbox, planned.recipients),
      ...(outgoing.conversation?.checks ?? []).map((check) => (inner: Transaction) => check(inner, planned.messageId)),
      async (inner) => {
        isHeld = (await insertMessage(ctx, inner, { inbox, outgoing, places }, made))?.status === "held";
      },
      // What is held is counted when it leaves.
      ...limitsOf(ctx, inbox, planned).map(
        (step): Step =>
          async (inner) =>
            isHeld || step(inner),
      ),
      (inner) => takeSendBudget(inner, ctx.actor, planned.recipients),
      (inner) => takeStorage(ctx, inner, inbox, sizeOf(outgoing)),
    ];
    for (const step of steps) await attempt(() => tx.transaction(step));
  });
  return collector.refusals();
}

type Step = (inner: Transaction) => Promise<unknown>;

/** A scheduled message is counted when it leaves. */
function limitsOf(ctx: Ctx<Caller>, inbox: InboxRow, planned: Planned): Step[] {
  const { sendAt } = planned;
  if (sendAt) return [(inner) => schedule(inner, inbox, { ...planned, sendAt })];
  return [(inner) => takeWindow(ctx, inner, inbox, planned), (inner) => takeCap(ctx, inner, inbox, planned.recipients)];
}

/** The answer of a dry run. */
export function dryRunView(refusals: ServiceError[]) {
  return {
    would_send: refusals.length === 0,
    refusals: refusals.map(({ code, status, message, fix, headers }) => {
      const after = headers["Retry-After"];
      return { code, status, message, fix, retry_after_seconds: after === undefined ? null : Number(after) };
    }),
  };
}
