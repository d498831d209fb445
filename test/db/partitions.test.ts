// The partitions of the log of attempts: made ahead of time, dropped when they are old, and never needed for a write.
import { v7 } from "uuid";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { dropPartitions, firstIdAt, firstIdKept, makePartitions, readPartitions } from "#db/partitions.ts";
import { createTestDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";

const DAY_MS = 86_400_000;
const TABLE = "delivery_attempts";
/** A Monday long after the migration, which had days of its own. */
const NOON = Date.parse("2090-01-02T12:00:00Z");
const WINDOW = { now: new Date(NOON), width: 1, ahead: 2 };
const MADE = ["20900102", "20900103", "20900104"].map((day) => `${TABLE}_${day}`);

let database: TestDatabase;
let sql: ReturnType<typeof connect>;
let other: ReturnType<typeof connect>;

beforeEach(async () => {
  database = await createTestDatabase();
  [sql, other] = [connect(database.url, { max: 3 }), connect(database.url, { max: 1 })];
});

afterEach(async () => {
  await Promise.all([sql.end(), other.end()]);
  await database.drop();
});

/** Writes an attempt of that time. @returns the partition that has it */
async function attemptAt(ms: number, client = sql): Promise<string> {
  const id = v7({ msecs: ms });
  const [row] = await client<{ partition: string }[]>`
    insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
    values (${id}, ${id}, ${id}, ${id}, 1, ${new Date(ms)}, 1, '[]') returning tableoid::regclass::text as partition`;
  return row?.partition ?? "none";
}

async function namesOf(): Promise<string[]> {
  return (await readPartitions(sql, TABLE)).map(({ name }) => name).sort();
}

const day = (ms: number) => new Date(NOON + ms * DAY_MS);

describe("makePartitions", () => {
  it("makes those of today and the next days, once, whichever process is first", async () => {
    const [first, second] = await Promise.all([sql, other].map((client) => makePartitions(client, TABLE, WINDOW)));
    await makePartitions(sql, TABLE, WINDOW);
    expect([...(first?.made ?? []), ...(second?.made ?? [])].sort()).toEqual(MADE);
    expect([first?.blocked, second?.blocked]).toEqual([[], []]);
    expect(await namesOf()).toEqual([...MADE, `${TABLE}_before`]);
    expect(await attemptAt(NOON)).toBe(MADE[0]);
    expect(await attemptAt(Date.parse("2090-01-02T00:00:00Z"))).toBe(MADE[0]);
    expect(await attemptAt(Date.parse("2090-01-02T23:59:59.999Z"))).toBe(MADE[0]);
    expect(await attemptAt(Date.parse("2090-01-03T00:00:00Z"))).toBe(MADE[1]);
  });

  it("gives them the indexes of the table", async () => {
    await makePartitions(sql, TABLE, WINDOW);
    const indexes = (table = "") =>
      sql`select regexp_replace(indexdef, '.* USING', '') as columns from pg_indexes where tablename = ${table} order by 1`;
    expect(await indexes(MADE[0])).toEqual(await indexes(TABLE));
    const id = v7({ msecs: NOON });
    const insert = () => sql`
      insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
      values (${id}, ${id}, ${id}, ${id}, 1, now(), 1, '[]') on conflict (id) do nothing`;
    expect([(await insert()).count, (await insert()).count]).toEqual([1, 0]);
  });

  it("makes none twice when the clock goes back or was far ahead, and closes the gap", async () => {
    await makePartitions(sql, TABLE, WINDOW);
    expect(await makePartitions(sql, TABLE, { ...WINDOW, now: day(-1) })).toEqual({
      made: [`${TABLE}_20900101`],
      blocked: [],
    });
    const { made } = await makePartitions(sql, TABLE, { ...WINDOW, width: 7, now: day(5) });
    expect(made).toEqual([`${TABLE}_20900107`]);
    expect((await makePartitions(sql, TABLE, { ...WINDOW, width: 7, now: day(4) })).made).toEqual([
      `${TABLE}_20900106`,
    ]);
    expect(await attemptAt(NOON + 4 * DAY_MS)).toBe(`${TABLE}_20900106`);
    expect(await attemptAt(NOON + 11 * DAY_MS)).toBe(`${TABLE}_20900107`);
    expect(await attemptAt(NOON + 12 * DAY_MS)).toBe(`${TABLE}_default`);
  });

  it("leaves a day in the default partition that has rows there, and makes the others", async () => {
    expect(await attemptAt(NOON)).toBe(`${TABLE}_default`);
    expect(await makePartitions(sql, TABLE, WINDOW)).toEqual({ made: MADE.slice(1), blocked: MADE.slice(0, 1) });
    expect(await attemptAt(NOON)).toBe(`${TABLE}_default`);
    expect(await attemptAt(NOON + DAY_MS)).toBe(MADE[1]);
  });

  it("leaves a day in the default partition whose name another table has", async () => {
    await sql`create table delivery_attempts_20900103 (x int)`;
    expect(await makePartitions(sql, TABLE, WINDOW)).toEqual({ made: [MADE[0], MADE[2]], blocked: [MADE[1]] });
    expect(await attemptAt(NOON + DAY_MS)).toBe(`${TABLE}_default`);
    expect(await dropPartitions(sql, TABLE, day(100))).not.toContain(MADE[1]);
  });
});

describe("a write", () => {
  it.each([
    ["before 2000", Date.parse("1999-01-01T00:00:00Z"), "before"],
    ["in 30 days", NOON + 30 * DAY_MS, "default"],
    ["in the year 9999", Date.parse("9999-12-31T00:00:00Z"), "default"],
  ])("of a clock that is %s finds a partition", async (_, ms, name) => {
    await makePartitions(sql, TABLE, WINDOW);
    expect(await attemptAt(ms)).toBe(`${TABLE}_${name}`);
  });

  it("finds a partition when old ones were dropped", async () => {
    await dropPartitions(sql, TABLE, day(0));
    expect(await namesOf()).toEqual([]);
    expect(await attemptAt(Date.now())).toBe(`${TABLE}_default`);
  });
});

describe("dropPartitions", () => {
  it("drops a partition when all its days are past, and no row of later days", async () => {
    await makePartitions(sql, TABLE, WINDOW);
    for (const days of [0, 1, 2, 3]) await attemptAt(NOON + days * DAY_MS);
    expect(await dropPartitions(sql, TABLE, new Date("2090-01-02T23:59:59.999Z"))).toEqual([`${TABLE}_before`]);
    expect(await dropPartitions(sql, TABLE, new Date("2090-01-03T00:00:00Z"))).toEqual([MADE[0]]);
    expect((await sql`select from delivery_attempts`).count).toBe(3);
  });

  it("waits only briefly for a long statement, lets writers pass, and drops later", async () => {
    await makePartitions(sql, TABLE, WINDOW);
    await dropPartitions(sql, TABLE, day(0));
    await other.begin(async (reader) => {
      await reader`select count(*) from delivery_attempts`;
      expect(await dropPartitions(sql, TABLE, day(1))).toEqual([]);
      expect(await attemptAt(NOON)).toBe(MADE[0]);
      expect((await makePartitions(sql, TABLE, { ...WINDOW, now: day(1) })).made).toEqual([]);
      expect(await namesOf()).toEqual(MADE);
    });
    expect(await dropPartitions(sql, TABLE, day(1))).toEqual([MADE[0]]);
    expect((await makePartitions(sql, TABLE, { ...WINDOW, now: day(1) })).made).toEqual([`${TABLE}_20900105`]);
  });

  it("drops each once when two processes do so", async () => {
    await makePartitions(sql, TABLE, WINDOW);
    await Promise.all([sql, other].map((client) => dropPartitions(client, TABLE, day(9))));
    await dropPartitions(sql, TABLE, day(9));
    expect(await namesOf()).toEqual([]);
    expect(await attemptAt(NOON)).toBe(`${TABLE}_default`);
  });
});

describe("firstIdKept", () => {
  it("leaves to the drop what a partition has, and nothing else", async () => {
    await makePartitions(sql, TABLE, { ...WINDOW, width: 7 });
    expect(await firstIdKept(sql, TABLE, day(3))).toBe(firstIdAt(Date.parse("2090-01-02T00:00:00Z")));
    expect(await firstIdKept(sql, TABLE, day(-1))).toBe(firstIdAt(NOON - DAY_MS));
    const before = new Date(Date.now() - DAY_MS);
    expect(await firstIdKept(sql, TABLE, before)).toBe(firstIdAt(before.getTime()));
  });
});
