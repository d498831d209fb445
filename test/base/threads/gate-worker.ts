// A job for tests of the thread pool: it counts itself, then waits until the test opens its gate.
export const COUNT = 0;
export const GATE = 1;

/** Shared with the test: how many have begun, and 1 once the gate is open. */
export type Gate = Int32Array<SharedArrayBuffer>;

export function answer({ gate }: { gate: Gate }): string {
  Atomics.add(gate, COUNT, 1);
  Atomics.wait(gate, GATE, 0);
  return "done";
}
