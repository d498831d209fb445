// How many answers that take their time one key may have open at once: waits and streams together.
import { type Caller, type Ctx, callerId } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { oncePerService } from "../base/group-commit.ts";

const slotsOf = oncePerService(() => new Map<string, number>());

/**
 * Takes one of the `MAX_WAITS_PER_KEY` slots of the caller's key in this process; returns the way to give it back, where
 * every call but the first does nothing.
 * @throws ServiceError `rate_limited`
 */
export function takeSlot(ctx: Ctx<Caller>): () => void {
  const slots = slotsOf(ctx);
  const id = callerId(ctx.actor);
  const most = ctx.settings.MAX_WAITS_PER_KEY;
  const taken = slots.get(id) ?? 0;
  if (taken >= most) {
    throw new ServiceError(
      "rate_limited",
      `This key has ${most} waits and streams open, the most it may have at once.`,
      {
        headers: { "Retry-After": "1" },
      },
    );
  }
  slots.set(id, taken + 1);
  let mine = true;
  return () => {
    if (!mine) return;
    mine = false;
    const left = (slots.get(id) ?? 1) - 1;
    if (left > 0) slots.set(id, left);
    else slots.delete(id);
  };
}
