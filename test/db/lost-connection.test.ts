// A backend that dies in the middle of a transaction costs that transaction, and neither the process nor the pool.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { openDatabase } from "#db/client.ts";
import { createTestDatabase } from "../support/database.ts";

const ROUNDS = 30;
/** AuthenticationOk and ReadyForQuery (PostgreSQL's message formats): the login succeeds. */
const LOGGED_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

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

describe("a server that freezes right after the login", () => {
  // The driver then queries the array types: an unhandled rejection of that query ended the process.
  it("fails the query that waits for the connection, and nothing else", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => undefined));
      socket.once("data", () => socket.write(LOGGED_IN));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const { port } = server.address() as AddressInfo;
    const { sql, close } = openDatabase({ url: `postgres://a:b@127.0.0.1:${port}/c`, poolSize: 1, timeoutMs: 100 });
    try {
      await expect(sql`select 1`).rejects.toThrow("QUERY_TIMEOUT");
      await expect(sql`select 2`).rejects.toThrow("QUERY_TIMEOUT");
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", note);
      for (const socket of sockets) socket.destroy();
      server.close();
      await close();
    }
  });
});
