// What drizzle's statements are at the pool: prepared once for a connection, and failing without their parameters.
import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openDatabase, plainOf } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { createTestDatabase } from "#test/support/database.ts";

const NAME = "a-name-that-is-in-use";

let database: ReturnType<typeof openDatabase>;
let drop: () => Promise<void>;

beforeAll(async () => {
  const copy = await createTestDatabase();
  drop = copy.drop;
  database = openDatabase({ url: copy.url, poolSize: 1 });
});

afterAll(async () => {
  await database.close();
  await drop();
});

const row = () => ({ id: randomUUID(), name: NAME, created_at: new Date() });

async function failureOf(run: () => Promise<unknown>): Promise<Error & { code?: string }> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it did not fail");
}

it("a statement is prepared once, whatever its parameters", async () => {
  const { sql, db } = database;
  for (const name of ["a", "b", "c"]) await db.select().from(organizations).where(eq(organizations.name, name));
  await db.transaction(async (tx) => {
    for (const name of ["d", "e"]) await tx.select().from(organizations).where(eq(organizations.name, name));
  });
  const rows = await sql`select 1 from pg_prepared_statements where statement like 'select "id"%from "organizations"%'`;
  expect(rows).toHaveLength(1);
});

it("an error of PostgreSQL is thrown as it is, without the parameters, in a transaction too", async () => {
  const { db } = database;
  const same = row();
  await db.insert(organizations).values(same);
  const failures = [
    await failureOf(() => db.insert(organizations).values(same)),
    await failureOf(() => db.transaction((tx) => tx.insert(organizations).values(same))),
  ];
  for (const { code, message } of failures) {
    expect([code, message.includes(NAME)]).toEqual(["23505", false]);
  }
});

it("plain SQL of a transaction sees what drizzle wrote in it, and ends with it", async () => {
  const { sql, db } = database;
  const id = randomUUID();
  const failure = await failureOf(() =>
    db.transaction(async (tx) => {
      await tx.insert(organizations).values({ id, name: id, created_at: new Date() });
      expect(await plainOf(tx)`select id from organizations where id = ${id}`).toHaveLength(1);
      throw new Error("ended");
    }),
  );
  expect(failure.message).toBe("ended");
  expect(await sql`select id from organizations where id = ${id}`).toHaveLength(0);
});
