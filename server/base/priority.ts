// Lets other processes or threads go first.
import { getPriority, setPriority } from "node:os";

/**
 * It lasts until the process ends, since a process may not raise its priority again. On Linux it is the priority of the calling thread.
 * @param nice of nice(1)
 */
export function lowerPriority(nice: number): void {
  if (getPriority() < nice) setPriority(nice);
}
