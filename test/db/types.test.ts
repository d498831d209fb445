// Plain SQL and drizzle share a pool, and give and take the same JavaScript for every PostgreSQL type.
import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openDatabase } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { messages, sendUsage } from "#db/schema/mail.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { recordStatements } from "#test/support/statements.ts";

const MOMENT = new Date("2026-03-29T01:02:03.004Z");

let database: ReturnType<typeof openDatabase>;
let url: string;
let drop: () => Promise<void>;

beforeAll(async () => {
  const copy = await createTestDatabase();
  ({ url, drop } = copy);
  database = openDatabase({ url: copy.url, poolSize: 2 });
});

afterAll(async () => {
  await database.close();
  await drop();
});

describe("timestamptz", () => {
  it("is a Date, whichever door wrote it and whichever reads it", async () => {
    const { sql, db } = database;
    const [byDrizzle, bySql] = [randomUUID(), randomUUID()];
    await db.insert(organizations).values({ id: byDrizzle, name: byDrizzle, created_at: MOMENT });
    await sql`insert into organizations ${sql({ id: bySql, name: bySql, created_at: MOMENT })}`;
    for (const id of [byDrizzle, bySql]) {
      const [read] = await db.select().from(organizations).where(eq(organizations.id, id));
      const [raw] = await sql`select created_at from organizations where id = ${id}`;
      expect(read?.created_at).toEqual(MOMENT);
      expect(raw?.created_at).toEqual(MOMENT);
    }
  });

  it("is a Date in arrays and as a parameter without a column", async () => {
    const { sql } = database;
    const [row] =
      await sql`select ${MOMENT}::timestamptz as one, ${sql.array([MOMENT, MOMENT])}::timestamptz[] as many`;
    expect(row).toEqual({ one: MOMENT, many: [MOMENT, MOMENT] });
  });

  it("is a Date in drizzle's raw statements", async () => {
    const [row] = await database.db.execute(`select '${MOMENT.toISOString()}'::timestamptz as one`);
    expect(row?.one).toEqual(MOMENT);
  });
});

describe("jsonb", () => {
  const headers: [string, string][] = [["Subject", 'a "quoted" {brace}']];
  const message = (id: string) => ({
    id,
    organization_id: id,
    inbox_id: id,
    thread_id: id,
    direction: "inbound" as const,
    status: "parsed" as const,
    from_address: "a@example.com",
    to_addresses: ['b"{},@example.com', "c@example.com"],
    cc_addresses: [],
    bcc_addresses: [],
    reply_to: [],
    subject: "s",
    references: [],
    attachments: [],
    size: 3_000_000_000,
    created_at: MOMENT,
  });

  it("holds what drizzle was given, and plain SQL reads it as values", async () => {
    const { sql, db } = database;
    const id = randomUUID();
    await db.insert(messages).values({ ...message(id), headers });
    const [row] = await sql`
      select headers, jsonb_typeof(headers) as type, size, to_addresses from messages where id = ${id}`;
    expect(row).toEqual({
      headers,
      type: "array",
      size: 3_000_000_000,
      to_addresses: ['b"{},@example.com', "c@example.com"],
    });
  });

  it("holds what plain SQL was given, and drizzle reads it as values", async () => {
    const { sql, db } = database;
    const id = randomUUID();
    await db.insert(messages).values(message(id));
    await sql`update messages set headers = ${sql.json(headers)} where id = ${id}`;
    const [row] = await db.select().from(messages).where(eq(messages.id, id));
    expect(row).toMatchObject({ headers, size: 3_000_000_000 });
  });
});

describe("numbers and days", () => {
  it("gives counts as numbers, numerics as text, days as text", async () => {
    const { sql, db } = database;
    const id = randomUUID();
    await db.insert(sendUsage).values({ organization_id: id, inbox_id: id, day: "2026-03-29", counted: 1, replies: 0 });
    const [row] = await sql`
      select count(*), array_agg(counted::bigint) as many, sum(0.10::numeric) as money, min(day) as day
      from send_usage where inbox_id = ${id} and day = ${"2026-03-29"}`;
    expect(row).toEqual({ count: 1, many: [1], money: "0.10", day: "2026-03-29" });
  });
});

describe("arrays", () => {
  it("are values on every connection, whose numbers of types the process reads at most once", async () => {
    const recorded = await recordStatements(url);
    const clients = [1, 2, 3].map(() => openDatabase({ url: recorded.url, poolSize: 2 }));
    const words = ["a", 'b"{},'];
    for (const { sql } of clients) {
      // The first query of a connection is one that waits for it, or a reservation, which sends nothing.
      const reserved = await sql.reserve();
      for (const connection of [sql, reserved]) {
        const [row] = await connection`select ${words}::text[] as words, ${[1, 2]}::int8[] as numbers`;
        expect(row).toEqual({ words, numbers: [1, 2] });
      }
      reserved.release();
    }
    await Promise.all(clients.map(({ close }) => close()));
    recorded.close();
    expect(recorded.statements.filter((statement) => statement.includes("typarray")).length).toBeLessThanOrEqual(1);
  });
});
