// Collects what checks refuse.
import { ServiceError } from "../../base/errors.ts";

const SERVER_ERROR = 500;

/** Runs checks, and keeps the refusals that they throw: one of each code, in order. */
export function collectRefusals() {
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
