// Limits how many waits and streams the keys of one agent may have open, together.
import { type Caller, type Ctx, callerId } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Waits and streams that are open, by the id of their agent or member. */
    openAnswers: Map<string, number>;
  }
}

/**
 * Takes one of the `MAX_WAITS_PER_KEY` slots of the caller in this process: an agent has them for all its keys. The returned function releases it;
 * later calls do nothing.
 * @throws ServiceError `rate_limited`
 */
export function takeSlot(ctx: Ctx<Caller>): () => void {
  const slots = ctx.openAnswers;
  const id = ctx.actor.kind === "agent" ? ctx.actor.agentId : callerId(ctx.actor);
  const most = ctx.settings.MAX_WAITS_PER_KEY;
  const taken = slots.get(id) ?? 0;
  if (taken >= most) {
    throw new ServiceError(
      "rate_limited",
      `The keys of this agent have ${most} waits and streams open, which is the limit.`,
      {
        headers: { "Retry-After": "1" },
      },
    );
  }
  slots.set(id, taken + 1);
  ctx.metrics.waitsOpen.inc();
  let mine = true;
  return () => {
    if (!mine) return;
    mine = false;
    ctx.metrics.waitsOpen.dec();
    const left = (slots.get(id) ?? 1) - 1;
    if (left > 0) slots.set(id, left);
    else slots.delete(id);
  };
}
