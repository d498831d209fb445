// Lets many callers share one piece of work.

/** Calls share one run of `work`. The next one begins at the earliest `everyMs` after the one before had begun, and when it has ended. */
export function shared<Result>(
  work: () => Promise<Result>,
  everyMs: (latest: Result | undefined) => number,
): () => Promise<Result> {
  let startedAt = Number.NEGATIVE_INFINITY;
  let underWay = false;
  let latest: Result | undefined;
  let given: Promise<Result> | undefined;
  const start = async () => {
    startedAt = performance.now();
    underWay = true;
    try {
      latest = await work();
      return latest;
    } finally {
      underWay = false;
    }
  };
  return () => {
    const isDue = !underWay && performance.now() - startedAt >= everyMs(latest);
    if (isDue || !given) given = start();
    return given;
  };
}
