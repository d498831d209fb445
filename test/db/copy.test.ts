// Rows of `COPY … TO STDOUT` as a stream, as a backup reads them.
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, inject, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { copyDatabase } from "#test/support/database-server.ts";

const database = await copyDatabase(inject("databaseServer"));
const { sql, close } = openDatabase({ url: database.url, schema: "public", poolSize: 1 });
afterAll(async () => {
  await close();
  await database.drop();
});

// A stream takes 64 KiB before it asks the sender to pause.
test.each([10_000, 70_000, 200_000, 800_000])(
  "a connection answers after a row of %i bytes that is read slowly",
  async (bytes) => {
    let read = 0;
    const rows = await sql`copy (select repeat('x', ${sql.unsafe(String(bytes))})) to stdout`.readable();
    for await (const row of rows) {
      await setImmediate();
      read += row.length;
    }
    expect(read).toBe(bytes + "\n".length);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  },
);
