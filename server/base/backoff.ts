// Spreads retries in time, so that attempts that failed together are not repeated together.

/** The longest and the shortest pause differ from the given one by this part of it. */
export const JITTER = 0.1;

/** @returns the pause, up to a tenth shorter or longer */
export function jittered(pauseMs: number): number {
  return pauseMs * (1 - JITTER + 2 * JITTER * Math.random());
}
