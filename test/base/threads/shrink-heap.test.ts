// What a start leaves in memory is given back while the service has nothing to do.
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "#test/support/database.ts";
import { startProcess } from "#test/support/process.ts";

/** A service that is asked more often is not idle. */
const ASK_EVERY_MS = 5_000;
/** A start leaves several times as much. */
const NEW_SPACE_MAX_BYTES = 8_000_000;
const SIZE = /^nodejs_heap_space_size_total_bytes\{space="new"\} (\d+)/m;

test("an idle service gives back the room for new objects that its start needed", async () => {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const service = await startProcess({ DATABASE_URL: database.url });
  onTestFinished(() => service.end("SIGTERM").then(() => {}));
  const newSpace = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    return Number(SIZE.exec(metrics)?.[1]);
  };
  await expect.poll(newSpace, { interval: ASK_EVERY_MS }).toBeLessThan(NEW_SPACE_MAX_BYTES);
});
