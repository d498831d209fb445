// The reader of a mail's DATA gives way, so that fast senders of large mails do not keep everything else waiting.
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { SMTPServerDataStream } from "smtp-server";
import { expect, test } from "vitest";
import { createLimiter } from "#server/base/limiter.ts";
import { readMail } from "#server/smtp/body-reader.ts";
import { createPace } from "#server/smtp/server.ts";

const CHUNK = Buffer.from(`${"a".repeat(1_022)}\r\n`.repeat(64));
const CHUNKS = 40;
const LIMIT = 2 * CHUNKS * CHUNK.length;

test("it takes one chunk in a turn of the event loop, and all of them in the end", async () => {
  const buffered = createLimiter({ total: LIMIT });
  const pace = createPace();
  const stream = new PassThrough({ highWaterMark: LIMIT });
  const reading = readMail(stream as unknown as SMTPServerDataStream, LIMIT, buffered.open(), () =>
    pace("192.0.2.1", stream),
  );
  for (let n = 0; n < CHUNKS; n += 1) stream.write(CHUNK);
  stream.end();
  let most = 0;
  while (buffered.used < CHUNKS * CHUNK.length) {
    const before = buffered.used;
    await turn();
    most = Math.max(most, buffered.used - before);
  }
  const data = await reading;
  expect(data.outcome).toBe("complete");
  expect(most).toBe(CHUNK.length);
});

test("together, fast senders take one chunk in a turn, and each client address gets the same", async () => {
  const pace = createPace();
  const buffered = createLimiter({ total: 100 * LIMIT });
  const start = (network: string) => {
    const stream = new PassThrough({ highWaterMark: LIMIT });
    const data = readMail(stream as unknown as SMTPServerDataStream, LIMIT, buffered.open(network), () =>
      pace(network, stream),
    );
    for (let n = 0; n < CHUNKS; n += 1) stream.write(CHUNK);
    return { data, stream };
  };
  const many = Array.from({ length: 11 }, () => start("192.0.2.1"));
  const few = start("192.0.2.2");
  // The first chunk of a mail waits for no turn.
  while (buffered.used < 12 * CHUNK.length) await turn();
  let most = 0;
  while (buffered.usedBy("192.0.2.2") < CHUNKS * CHUNK.length) {
    const before = buffered.used;
    await turn();
    most = Math.max(most, buffered.used - before);
  }
  expect(most).toBe(CHUNK.length);
  expect(buffered.usedBy("192.0.2.1")).toBeLessThanOrEqual((CHUNKS + 11) * CHUNK.length);
  for (const { stream } of [...many, few]) stream.end();
  const outcomes = await Promise.all([...many, few].map(async ({ data }) => (await data).outcome));
  expect(new Set(outcomes)).toEqual(new Set(["complete"]));
});
