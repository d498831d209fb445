// How long a test waits before it fails. Long, because a busy machine is no failure; only what hangs takes so long.

/** For a test or a hook. */
export const TEST_TIMEOUT_MS = 360_000;
/** For a condition to become true. */
export const CONDITION_TIMEOUT_MS = 120_000;
/** For a process of the service to get ready, its database included. */
export const START_TIMEOUT_MS = 150_000;
