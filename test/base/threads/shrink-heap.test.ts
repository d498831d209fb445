// What a start or a burst of requests leaves in memory is given back while the service has nothing to do.
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "#test/support/database.ts";
import { startProcess } from "#test/support/process.ts";

/** A service that is asked more often is not idle. */
const ASK_EVERY_MS = 5_000;
/** A start leaves several times as much. */
const NEW_SPACE_MAX_BYTES = 8_000_000;
/** The service gives back what is above 16 MiB. */
const GROWN_BYTES = 17_000_000;
const SIZE = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)/m;

/** In the service: prints a line for each collection that forgets compiled code. */
const WATCH = `
  import { constants, PerformanceObserver } from "node:perf_hooks";
  new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries())
      if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE) console.error("thorough collection");
  }).observe({ entryTypes: ["gc"] });`;

const RATES = { RATE_LIMIT_ANONYMOUS_PER_SECOND: "100000", RATE_LIMIT_ANONYMOUS_BURST: "100000" };
const REQUESTS_AT_A_TIME = 1_000;

test("an idle service gives back the room for new objects, and forgets compiled code only once", async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(WATCH)}`;
  const service = await startProcess({ DATABASE_URL: database.url, NODE_OPTIONS, ...RATES });
  onTestFinished(() => service.end("SIGTERM").then(() => {}));
  const newSpace = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return Number(SIZE.exec(metrics)?.[1]);
  };
  const shrunk = () => expect.poll(newSpace, { interval: ASK_EVERY_MS }).toBeLessThan(NEW_SPACE_MAX_BYTES);
  const thorough = () => service.output().split("thorough collection").length - 1;
  const create = () => fetch(`${service.url}/v1/inboxes`, { method: "POST", body: "{}" });

  await shrunk();
  const once = thorough();
  expect(once).toBeGreaterThan(0);
  while ((await newSpace()) < GROWN_BYTES) {
    const answers = await Promise.all(Array.from({ length: REQUESTS_AT_A_TIME }, create));
    for (const answer of answers) await answer.arrayBuffer();
  }
  await shrunk();
  expect(thorough()).toBe(once);
});
