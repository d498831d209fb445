// The reader of a mail's DATA gives way, so that fast senders of large mails do not keep everything else waiting.
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { SMTPServerDataStream } from "smtp-server";
import { expect, test } from "vitest";
import { readMail } from "#server/smtp/body-reader.ts";
import { createPace } from "#server/smtp/pace.ts";

const CHUNK = Buffer.from(`${"a".repeat(1_022)}\r\n`.repeat(64));
const CHUNKS = 40;
const LIMIT = 2 * CHUNKS * CHUNK.length;

test("it takes one chunk in a turn of the event loop, and all of them in the end", async () => {
  const [all, own] = [
    { used: 0, limit: LIMIT },
    { used: 0, limit: LIMIT },
  ];
  const pace = createPace();
  const stream = new PassThrough({ highWaterMark: LIMIT });
  const reading = readMail(stream as unknown as SMTPServerDataStream, LIMIT, { all, own }, () =>
    pace("192.0.2.1", stream),
  );
  for (let n = 0; n < CHUNKS; n += 1) stream.write(CHUNK);
  stream.end();
  let most = 0;
  while (own.used < CHUNKS * CHUNK.length) {
    const before = own.used;
    await turn();
    most = Math.max(most, own.used - before);
  }
  const data = await reading;
  expect(data.outcome).toBe("complete");
  expect(most).toBe(CHUNK.length);
});

test("together, fast senders take one chunk in a turn, and each client address gets the same", async () => {
  const pace = createPace();
  const all = { used: 0, limit: 100 * LIMIT };
  const start = (network: string) => {
    const stream = new PassThrough({ highWaterMark: LIMIT });
    const own = { used: 0, limit: LIMIT };
    const data = readMail(stream as unknown as SMTPServerDataStream, LIMIT, { all, own }, () => pace(network, stream));
    for (let n = 0; n < CHUNKS; n += 1) stream.write(CHUNK);
    return { own, data, stream };
  };
  const many = Array.from({ length: 11 }, () => start("192.0.2.1"));
  const few = start("192.0.2.2");
  // The first chunk of a mail waits for no turn.
  while (all.used < 12 * CHUNK.length) await turn();
  let most = 0;
  while (few.own.used < CHUNKS * CHUNK.length) {
    const before = all.used;
    await turn();
    most = Math.max(most, all.used - before);
  }
  expect(most).toBe(CHUNK.length);
  const others = many.reduce((sum, { own }) => sum + own.used, 0);
  expect(others).toBeLessThanOrEqual((CHUNKS + 11) * CHUNK.length);
  for (const { stream } of [...many, few]) stream.end();
  const outcomes = await Promise.all([...many, few].map(async ({ data }) => (await data).outcome));
  expect(new Set(outcomes)).toEqual(new Set(["complete"]));
});
