// Limits how many waits and streams the keys of one agent may have open, together.
import { type Caller, type Ctx, callerId } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import type { Limiter } from "../base/limiter.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Waits and streams that are open, by the id of their agent or member: `MAX_WAITS_PER_KEY` each. */
    openAnswers: Limiter;
  }
}

/** What ends a wait or a stream early. `allowed` throws when the key of the caller is no longer valid. */
export type Until = { signal: AbortSignal; allowed: () => Promise<void> };

/**
 * Takes one of the slots of the caller in this process: an agent has them for all its keys. The returned function releases it;
 * later calls do nothing.
 * @throws ServiceError `rate_limited`
 */
export function takeSlot(ctx: Ctx<Caller>): () => void {
  const slot = ctx.openAnswers.open(ctx.actor.kind === "agent" ? ctx.actor.agentId : callerId(ctx.actor));
  if (slot.take()) {
    const most = ctx.settings.MAX_WAITS_PER_KEY;
    throw new ServiceError(
      "rate_limited",
      `The keys of this agent have ${most} waits and streams open, which is the limit.`,
      {
        headers: { "Retry-After": "1" },
      },
    );
  }
  const count = () => ctx.metrics.waitsOpen.set(ctx.openAnswers.used);
  count();
  return () => {
    slot.release();
    count();
  };
}
