// The reader of a mail's DATA gives way, so that fast senders of large mails do not keep everything else waiting.
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { SMTPServerDataStream } from "smtp-server";
import { expect, test } from "vitest";
import { readMail } from "#server/smtp/body-reader.ts";

const CHUNK = Buffer.from(`${"a".repeat(1_022)}\r\n`.repeat(64));
const CHUNKS = 40;
const LIMIT = 2 * CHUNKS * CHUNK.length;

test("it takes one chunk in a turn of the event loop, and all of them in the end", async () => {
  const [all, own] = [
    { used: 0, limit: LIMIT },
    { used: 0, limit: LIMIT },
  ];
  const stream = new PassThrough({ highWaterMark: LIMIT });
  const reading = readMail(stream as unknown as SMTPServerDataStream, LIMIT, { all, own });
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
