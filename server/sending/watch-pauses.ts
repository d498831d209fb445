// Looks for pauses while a run holds messages: a hand-over begins only on a look that is young, and one that waits for its turn
// at the relay is taken back.
import type { Ctx, System } from "../base/context.ts";
import { readPauses, targetsOf } from "../pauses/find.ts";
import type { Leased } from "./lease-queued.ts";

/** A pause must hold within a second in every process: one look may be under way, and another one waits for it. */
const LOOK_EVERY_MS = 250;

export type PauseWatch = {
  /** Waits for a new look if the last one is too old. A pause aborts `leased.stop`. */
  lookFor(leased: Leased): Promise<void>;
  close(): void;
};

/** @param held the messages that this process has leased and not settled */
export function watchPauses(ctx: Ctx<System>, held: () => Leased[]): PauseWatch {
  let looking: Promise<void> | undefined;
  const look = () => {
    looking ??= lookAt(ctx, held()).finally(() => {
      looking = undefined;
    });
    return looking;
  };
  const timer = setInterval(() => {
    if (held().length === 0) return;
    look().catch((error) => ctx.log.warn({ error }, "could not look for pauses of sending"));
  }, LOOK_EVERY_MS).unref();
  return {
    async lookFor(leased) {
      while (performance.now() - leased.lookedAt > LOOK_EVERY_MS) await look();
    },
    close: () => clearInterval(timer),
  };
}

async function lookAt(ctx: Ctx<System>, leased: Leased[]): Promise<void> {
  const at = performance.now();
  const pauses = await readPauses(ctx.db, [...new Set(leased.flatMap(targetsOf))]);
  const causes = Map.groupBy(pauses, ({ target_id }) => target_id);
  for (const each of leased) {
    const own = targetsOf(each).flatMap((target) => causes.get(target) ?? []);
    if (own.some(({ cause }) => stops(each, cause))) each.stop.abort();
    each.lookedAt = at;
  }
}

/** What a member approved leaves, whatever became of the key that wrote it. */
function stops({ isApproved }: Leased, cause: string): boolean {
  return cause !== "revocation" || !isApproved;
}
