// A backend that dies in the middle of a transaction costs that transaction, and neither the process nor the pool.
import { describe, expect, it } from "vitest";
import { openDatabase } from "#db/client.ts";
import { createTestDatabase } from "../support/database.ts";

const ROUNDS = 30;

describe("a backend is terminated in the middle of a transaction", () => {
  it("fails what was under way, and serves what comes after", async () => {
    const database = await createTestDatabase();
    const { sql, close } = openDatabase({ url: database.url, poolSize: 3 });
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        const lost = sql.begin(async (tx) => {
          const [backend] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
          const killed = sql`select pg_terminate_backend(${backend.pid})`.execute();
          await tx`select pg_sleep(1)`;
          await killed;
        });
        const beside = Promise.allSettled(Array.from({ length: 4 }, () => sql`select 1 as one`));
        await expect(lost).rejects.toThrow();
        await beside;
        expect(await Promise.all(Array.from({ length: 6 }, () => sql`select 1 as one`))).toHaveLength(6);
        expect(await sql.begin((tx) => tx`select 2 as two`)).toEqual([{ two: 2 }]);
      }
    } finally {
      await close();
      await database.drop();
    }
  });
});
