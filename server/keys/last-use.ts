// Notes when agent keys are used, at most once in some minutes for each key, in the background.
import { LRUCache } from "lru-cache";
import { anyOf } from "#db/conditions.ts";
import { agentKeys } from "#db/schema/enrollment.ts";
import { writeBehind } from "../base/batching/write-behind.ts";
import type { Services } from "../base/context.ts";

const NOTED_EVERY_MS = 300_000;
const KEYS_MAX = 50_000;

/** @returns what notes a use of a key, which has the last use that is stored */
export function noteUses({ db, now, log }: Services): (key: { id: string; last_used_at: Date | null }) => void {
  const noted = new LRUCache<string, true>({ max: KEYS_MAX, ttl: NOTED_EVERY_MS });
  // A use that could not be written is forgotten: the next one is noted again after some minutes.
  const uses = writeBehind<string>(async (ids) => {
    await db
      .update(agentKeys)
      .set({ last_used_at: now() })
      .where(anyOf(agentKeys.id, ids))
      .catch((error) => log.warn({ error }, "could not note the use of keys"));
  }, log);
  return ({ id, last_used_at: last }) => {
    if (noted.has(id) || (last && now().getTime() - last.getTime() < NOTED_EVERY_MS)) return;
    noted.set(id, true);
    uses.add(id);
  };
}
