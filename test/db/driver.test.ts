// The PostgreSQL driver with our patch (db/patches/README.md): whatever ends a query, the next query of its connection gets its own rows, and
// nothing of one transaction reaches another one.
import { type AddressInfo, createServer, connect as dial, type Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql, TransactionSql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, openDatabase } from "#db/client.ts";
import { createTestDatabase } from "../support/database.ts";
import { eventually } from "../support/events.ts";

/** A promise that is not settled by then counts as lost. */
const SETTLED_MS = 30_000;
const ROWS = [1, 2, 3, 4, 5];
/** How a query fails whose connection was lost. */
const LOST = /^(CONNECTION_|ECONN|EPIPE)/;
/** More than a socket takes in one write. */
const SOCKET_CHARS = 4_000_000;
/** The longest workload has fewer answers: a proxy that never cuts would test nothing. */
const MESSAGES_MAX = 120;

const database = await createTestDatabase();
const admin = connect(database.url, { max: 2 });
const proxy = await startCuttingProxy(database.url);
beforeAll(async () => {
  await admin`create table driver_writes (n int, note text)`;
  await admin`create table driver_values (n int, flag boolean, octets bytea)`;
});
afterAll(async () => {
  await admin.end();
  await proxy.close();
  await database.drop();
});

/** A proxy that ends a connection after some messages of the server, which it counts from the first ReadyForQuery on. */
async function startCuttingProxy(url: string) {
  const target = new URL(url);
  const host = decodeURIComponent(target.searchParams.get("host") ?? target.hostname);
  const port = Number(target.searchParams.get("port") ?? (target.port || 5432));
  let left = Number.POSITIVE_INFINITY;
  let passed = 0;
  let isRefusing = false;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    if (isRefusing) return void near.resetAndDestroy();
    const far = host.startsWith("/") ? dial({ path: `${host}/.s.PGSQL.${port}` }) : dial({ host, port, noDelay: true });
    let held = Buffer.alloc(0);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    far.on("data", (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      while (held.length >= 5 && held.length > held.readUInt32BE(1)) {
        const end = held.readUInt32BE(1) + 1;
        near.write(held.subarray(0, end));
        held = held.subarray(end);
        passed += 1;
        left -= 1;
        if (left <= 0) {
          left = Number.POSITIVE_INFINITY;
          near.end();
          far.destroy();
          return;
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.search = "sslmode=disable";
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    /** New connections are reset. */
    refuse(refused: boolean) {
      isRefusing = refused;
    },
    /** @param after so many more messages */
    cutAfter(after: number) {
      passed = 0;
      left = after;
    },
    spare() {
      left = Number.POSITIVE_INFINITY;
      return passed;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

type Outcome = { rows: unknown } | { error: string };

/** What a promise became; fails if it became nothing. */
async function settled(promise: Promise<unknown>): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("a query was never settled")), SETTLED_MS);
  });
  const outcome = promise.then(
    (rows) => ({ rows }),
    (error: Error & { code?: string }) => ({ error: error.code ?? error.message }),
  );
  try {
    return await Promise.race([outcome, late]);
  } finally {
    clearTimeout(timer);
  }
}

const one = (sql: Sql | TransactionSql, n: number) =>
  sql<{ n: number }[]>`select ${n}::int as n`.then(([row]) => row?.n);
const series = (sql: Sql | TransactionSql) =>
  sql<{ g: number }[]>`select g from generate_series(1, 5) g`.then((rows) => [...rows].map((row) => row?.g));

/** The next queries have their own rows, each once, without holes. Queries that find the connection closed are repeated. */
async function expectRight(sql: Sql): Promise<void> {
  for (;;) {
    const next = await Promise.all([series(sql), one(sql, 7)].map(settled));
    const [rows, n] = next;
    for (const outcome of next) if ("error" in outcome) expect(outcome.error).toMatch(LOST);
    if (rows && "rows" in rows) expect(rows.rows).toEqual(ROWS);
    if (n && "rows" in n) expect(n.rows).toBe(7);
    if (next.every((outcome) => "rows" in outcome)) break;
  }
  const after = await Promise.all([
    series(sql),
    sql.begin(async (tx) => [await one(tx, 8), await one(tx, 9)]),
    one(sql, 10),
  ]);
  expect(after).toEqual([ROWS, [8, 9], 10]);
}

/** What runs while the connection ends. Each gives values that must be right, where it gives any. */
const WORKLOADS: Record<string, (sql: Sql) => Promise<unknown>[]> = {
  "a simple query with two results": (sql) => [
    sql.unsafe("select 1 as n; select g from generate_series(1, 5) g").then((all) => {
      expect((all as unknown as { g: number }[][])[1]?.map(({ g }) => g)).toEqual(ROWS);
    }),
  ],
  "a prepared statement": (sql) => [series(sql).then((rows) => expect(rows).toEqual(ROWS))],
  "a statement with parameters": (sql) => [one(sql, 3).then((n) => expect(n).toBe(3))],
  "a statement without a name": (sql) => [
    sql.unsafe("select g + $1 as g from generate_series(1, 5) g", [0]).then((rows) => {
      expect(rows.map(({ g }) => g)).toEqual(ROWS);
    }),
  ],
  "a cursor": (sql) => {
    const seen: number[] = [];
    const all = sql<{ g: number }[]>`select g from generate_series(1, 5) g`.cursor(2, async (rows) => {
      await new Promise(setImmediate);
      seen.push(...rows.map(({ g }) => g));
    });
    return [all.then(() => expect(seen).toEqual(ROWS))];
  },
  "COPY TO STDOUT": (sql) => [
    (async () => {
      let text = "";
      const rows = await sql`copy (select g from generate_series(1, 5) g) to stdout`.readable();
      for await (const row of rows) text += row;
      expect(text).toBe("1\n2\n3\n4\n5\n");
    })(),
  ],
  "COPY FROM STDIN": (sql) => [
    (async () => {
      await pipeline(
        Readable.from(["1\tcopied\n", "2\tcopied\n"]),
        await sql`copy driver_writes from stdin`.writable(),
      );
    })(),
  ],
  "a transaction with a savepoint": (sql) => [
    sql
      .begin(async (tx) => {
        const first = await one(tx, 1);
        const [second, third] = await tx.savepoint((inner) => Promise.all([one(inner, 2), series(inner)]));
        return [first, second, third];
      })
      .then((all) => expect(all).toEqual([1, 2, ROWS])),
  ],
  "five queries in one pipeline": (sql) =>
    [1, 2, 3, 4]
      .map((n) => one(sql, n).then((got) => expect(got).toBe(n)))
      .concat([series(sql).then((rows) => expect(rows).toEqual(ROWS))]),
};

const POOLED = ["a statement without a name", "a transaction with a savepoint"];
describe("a connection that is lost after each message of the server", () => {
  test.each([
    ...Object.keys(WORKLOADS).map((name) => [name, "a direct connection", false] as const),
    ...POOLED.map((name) => [name, "a connection to a pooler", true] as const),
  ])("in %s, on %s", async (name, _connection, isPooled) => {
    const workload = WORKLOADS[name] as (typeof WORKLOADS)[string];
    const pooled = { prepare: false, max_pipeline: 0 };
    const sql = connect(proxy.url, { max: 1, backoff: () => 0, ...(isPooled && pooled) });
    let cuts = 0;
    for (let after = 1; ; after += 1) {
      await one(sql, 0);
      proxy.cutAfter(after);
      const outcomes = await Promise.all(workload(sql).map(settled));
      const passed = proxy.spare();
      for (const outcome of outcomes) expect("error" in outcome ? outcome.error : "CONNECTION_").toMatch(LOST);
      await expectRight(sql);
      if (passed < after) break;
      cuts += 1;
      expect(cuts).toBeLessThan(MESSAGES_MAX);
    }
    await sql.end();
    expect(cuts).toBeGreaterThan(2);
  });
});

describe("a query that ends in the middle of its rows", () => {
  const pool = openDatabase({ url: database.url, poolSize: 1, timeoutMs: 1_000 });
  afterAll(pool.close);

  test.each([0, 1, 2, 50, 500])("an error after %i rows", async (rows) => {
    const { sql } = pool;
    const failing = sql`select 10 / (${rows} - g) from generate_series(0, 1000) g`.execute();
    const beside = series(sql);
    expect(await settled(failing)).toEqual({ error: "22012" });
    expect(await beside).toEqual(ROWS);
    await expectRight(sql);
  });

  test("a timeout of the statement while rows arrive", async () => {
    const { sql } = pool;
    const slow = sql`select g, repeat('x', 9000), pg_sleep(0.01) from generate_series(1, 1000) g`;
    expect(await settled(slow)).toEqual({ error: "57014" });
    await expectRight(sql);
  });

  test("a cancelled query, and one that is cancelled before its turn", async () => {
    const { sql } = pool;
    const active = sql`select g, pg_sleep(0.01) from generate_series(1, 1000) g`.execute();
    const waiting = sql`select pg_sleep(0.2)`.execute();
    const beside = [one(sql, 1), one(sql, 2)];
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    waiting.cancel();
    active.cancel();
    const outcomes = await Promise.all([active, waiting].map(settled));
    for (const outcome of outcomes) expect("error" in outcome ? outcome.error : "57014").toBe("57014");
    expect(await Promise.all(beside)).toEqual([1, 2]);
    await expectRight(sql);
  });

  test("a row that cannot be read", async () => {
    const parse = () => {
      throw new Error("cannot be read");
    };
    const odd = connect(database.url, { max: 1, types: { odd: { to: 18, from: [18], parse, serialize: String } } });
    expect(await settled(odd`select g, 'x'::"char" as c from generate_series(1, 5) g`)).toEqual({
      error: "cannot be read",
    });
    await expectRight(odd);
    await odd.end();
  });
});

describe("a parameter that cannot be written", () => {
  test.each([
    ["undefined", undefined],
    ["an invalid date", new Date(Number.NaN)],
    [
      "a value whose text fails",
      {
        toString() {
          throw new Error("no text");
        },
      },
    ],
  ])("%s fails its own query alone", async (_name, value) => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    await sql`select ${new Date(0)}::timestamptz as at`;
    const active = sql`select 1 as n, pg_sleep(0.1)`.then(([row]) => row?.n);
    const bad = settled(sql`select ${value as never}::timestamptz as at`);
    const beside = [one(sql, 2), one(sql, 3)];
    expect(await bad).toHaveProperty("error");
    expect(await Promise.all([active, ...beside])).toEqual([1, 2, 3]);
    // Also on an idle connection, and in a transaction.
    expect(await settled(sql`select ${value as never}::timestamptz as at`)).toHaveProperty("error");
    const inside = await settled(
      sql.begin((tx) => Promise.all([one(tx, 1), tx`select ${value as never}::timestamptz`])),
    );
    expect(inside).toHaveProperty("error");
    await expectRight(sql);
    await close();
  });
});

describe("what a transaction has sent late", () => {
  test.each([
    ["a direct connection", false],
    ["a connection to a pooler", true],
  ])("is refused after the connection was lost and has another transaction: %s", async (_name, isPooled) => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1, isPooled });
    let dead: TransactionSql | undefined;
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const lost = settled(
      sql.begin(async (tx) => {
        dead = tx;
        const [backend] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
        await admin`select pg_terminate_backend(${backend.pid})`;
        await held;
        await tx`insert into driver_writes values (1, 'late statement of a dead transaction')`;
      }),
    );
    expect(await lost).toHaveProperty("error");
    const note = `kept beside a dead one, pooled ${isPooled}`;
    await sql.begin(async (tx) => {
      await tx`insert into driver_writes values (2, ${note})`;
      release();
      expect(await settled((dead as TransactionSql)`insert into driver_writes values (1, 'late')`)).toEqual({
        error: "CONNECTION_CLOSED",
      });
      expect(await settled((dead as TransactionSql)`rollback`)).toEqual({ error: "CONNECTION_CLOSED" });
    });
    const rows = await admin`select note from driver_writes where note like 'late%' or note = ${note}`;
    expect(rows.map((row) => row.note)).toEqual([note]);
    await close();
  });

  test("is refused after a rollback, and no other transaction commits it", async () => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let late: Promise<Outcome> | undefined;
    const failed = settled(
      sql.begin((tx) =>
        Promise.all([
          tx`select 1 / 0`,
          (async () => {
            await held;
            late = settled(tx`insert into driver_writes values (3, 'of a transaction that was rolled back')`);
          })(),
        ]),
      ),
    );
    expect(await failed).toEqual({ error: "22012" });
    await sql.begin(async (tx) => {
      release();
      await one(tx, 1);
      await eventually(() => expect(late).toBeDefined());
      expect(await late).toEqual({ error: "TRANSACTION_ENDED" });
    });
    expect(await admin`select from driver_writes where n = 3`).toHaveLength(0);
    await close();
  });

  test("is refused after a savepoint was rolled back", async () => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    await sql.begin(async (tx) => {
      let inner: TransactionSql | undefined;
      const failed = tx.savepoint(async (point) => {
        inner = point;
        await point`select 1 / 0`;
      });
      expect(await settled(failed)).toEqual({ error: "22012" });
      expect(await settled((inner as TransactionSql)`insert into driver_writes values (4, 'late')`)).toEqual({
        error: "TRANSACTION_ENDED",
      });
    });
    expect(await admin`select from driver_writes where n = 4`).toHaveLength(0);
    await close();
  });

  test("ends with an error if a statement failed that was not awaited", async () => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    const committed = sql.begin(async (tx) => {
      await tx`insert into driver_writes values (5, 'beside a failure')`;
      tx`select 1 / 0`.execute();
    });
    expect(await settled(committed)).toEqual({ error: "22012" });
    expect(await admin`select from driver_writes where n = 5`).toHaveLength(0);
    await close();
  });

  test("settles when the connection is lost, queued or not", async () => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1, isPooled: true });
    let queued: Promise<Outcome[]> | undefined;
    const outer = settled(
      sql.begin(async (tx) => {
        const [backend] = await tx<[{ pid: number }]>`select pg_backend_pid() as pid`;
        const first = tx`select pg_sleep(20)`.execute();
        queued = Promise.all([first, one(tx, 1), one(tx, 2)].map(settled));
        await eventually(async () => {
          const [row] = await admin`select query from pg_stat_activity where pid = ${backend.pid}`;
          expect(row?.query).toContain("pg_sleep(20)");
        });
        await admin`select pg_terminate_backend(${backend.pid})`;
        await queued;
      }),
    );
    expect(await outer).toHaveProperty("error");
    for (const outcome of (await queued) ?? []) expect(outcome).toHaveProperty("error");
    await expectRight(sql);
    await close();
  });
});

test("a transaction whose begin fills the socket has its connection for itself", async () => {
  const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
  await one(sql, 0);
  const before = one(sql, 1);
  const more = " ".repeat(SOCKET_CHARS);
  const inside = sql.begin(`isolation level read committed${more}`, async (tx) => {
    const [own] = await tx`select pg_current_xact_id()::text as id`;
    await one(tx, 1);
    return own?.id as string;
  });
  const beside = Promise.all(
    [1, 2, 3].map(() => sql`select pg_current_xact_id()::text as id`.then(([row]) => row?.id as string)),
  );
  expect(await before).toBe(1);
  const outcome = await settled(inside);
  expect(outcome).toHaveProperty("rows");
  expect(await beside).not.toContain((outcome as { rows: string }).rows);
  await close();
});

test("a statement that is prepared again writes the same values", async () => {
  const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
  const write = (n: number) =>
    sql`insert into driver_values (n, flag, octets) values (${n}, ${true}, ${Buffer.from([0, 255, 7])}) returning *`;
  await write(1);
  await admin`alter table driver_values add column more int`;
  await write(2);
  await admin`alter table driver_values alter column more type text`;
  await write(3);
  const rows = await admin`select flag, octets from driver_values order by n`;
  expect(rows.map(({ flag, octets }) => [flag, [...octets]])).toEqual(Array(3).fill([true, [0, 255, 7]]));
  await close();
});

test("a statement that is described again keeps its rows from the queries behind it", async () => {
  const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
  await admin`create table driver_described as select 1 as a, 2 as b`;
  const stale = () =>
    sql`select * from driver_described where a = ${1}`.then((rows) => rows.map((row) => ({ ...row })));
  await stale();
  await stale();
  await admin`alter table driver_described add column c text default 'x'`;
  const described = stale();
  const behind: Promise<number | undefined>[] = [];
  const wanted = Array.from({ length: 200 }, (_, n) => n);
  // In several turns of the event loop, so that some are sent before the first answer and some after.
  for (const n of wanted) {
    behind.push(sql.unsafe(`select ${n} as n`, [], { prepare: true }).then(([row]) => row?.n));
    await new Promise(setImmediate);
  }
  expect(await described).toEqual([{ a: 1, b: 2, c: "x" }]);
  expect(await Promise.all(behind)).toEqual(wanted);
  await close();
});

describe("a cursor that fails keeps its connection in step", () => {
  const three = (sql: Sql) => Promise.all([1, 2, 3].map((n) => sql.unsafe(`select ${n} as n`).then(([row]) => row?.n)));

  test("when its error comes with its end", async () => {
    const sql = connect(database.url, { max: 1 });
    await admin.unsafe(`create table driver_parents (id int primary key);
      create table driver_children (id int references driver_parents deferrable initially deferred)`);
    const failing = settled(
      sql`insert into driver_children select g from generate_series(1, 3) g returning id`.cursor(2, () => {}),
    );
    expect(await three(sql)).toEqual([1, 2, 3]);
    expect(await failing).toEqual({ error: "23503" });
    expect(await three(sql)).toEqual([1, 2, 3]);
    await sql.end();
  });

  test("when none of its rows can be read", async () => {
    const parse = () => {
      throw new Error("cannot be read");
    };
    const sql = connect(database.url, { max: 1, types: { odd: { to: 18, from: [18], parse, serialize: String } } });
    const failing = settled(sql`select 'x'::"char" as c from generate_series(1, 5) g`.cursor(5, () => {}));
    expect(await three(sql)).toEqual([1, 2, 3]);
    expect(await failing).toEqual({ error: "cannot be read" });
    expect(await three(sql)).toEqual([1, 2, 3]);
    await sql.end();
  });

  test("when its reader fails at the last rows", async () => {
    const sql = connect(database.url, { max: 1 });
    const failing = settled(
      sql`select g from generate_series(1, 5) g`.cursor(2, async (rows) => {
        await new Promise(setImmediate);
        if (rows.length < 2) throw new Error("the reader failed");
      }),
    );
    expect(await three(sql)).toEqual([1, 2, 3]);
    expect(await failing).toEqual({ error: "the reader failed" });
    expect(await three(sql)).toEqual([1, 2, 3]);
    await sql.end();
  });
});

test("a begin outside of sql.begin fails, and leaves no transaction to the next query", async () => {
  const sql = connect(database.url, { max: 2, backoff: () => 0 });
  expect(await settled(sql`begin`)).toEqual({ error: "UNSAFE_TRANSACTION" });
  // The connection of the begin closes; a query that still finds it is repeated.
  const insert = () => settled(sql`insert into driver_writes values (8, 'of no transaction') returning n`);
  await eventually(async () => expect(await insert()).toMatchObject({ rows: [{ n: 8 }] }));
  expect(await admin`select from driver_writes where n = 8`).toHaveLength(1);
  await sql.end();
});

test("a cancellation that cannot connect leaves its query running", async () => {
  const sql = connect(proxy.url, { max: 1 });
  await one(sql, 0);
  const unhandled: unknown[] = [];
  const listen = (reason: unknown) => unhandled.push(reason);
  process.on("unhandledRejection", listen);
  proxy.refuse(true);
  const running = sql`select pg_sleep(0.2), 4 as n`.execute();
  await new Promise(setImmediate);
  running.cancel();
  expect((await running)[0]?.n).toBe(4);
  proxy.refuse(false);
  await expectRight(sql);
  process.off("unhandledRejection", listen);
  expect(unhandled).toEqual([]);
  await sql.end();
});

test.each([
  ["a direct connection", {}],
  ["a connection to a pooler", { prepare: false, max_pipeline: 0 }],
])("a query that is cancelled before an idle connection takes it leaves that idle: %s", async (_name, options) => {
  const sql = connect(database.url, { max: 1, ...options });
  await one(sql, 0);
  const cancelled = sql`select 1`;
  cancelled.cancel();
  expect(await settled(cancelled)).toEqual({ error: "57014" });
  await expectRight(sql);
  await sql.end();
});

/** The COPY is written by then, and no answer was read: the event loop did not turn. */
async function behindCopy(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe("COPY", () => {
  test.each([
    ["the pool", (sql: Sql, copy: (on: Sql) => Promise<unknown>) => copy(sql)],
    ["a transaction", (sql: Sql, copy: (on: Sql) => Promise<unknown>) => sql.begin((tx) => copy(tx as unknown as Sql))],
  ])("FROM STDIN has its connection alone: on %s", async (name, runs) => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    const both = await runs(sql, (on) => {
      const copied = (async () => {
        const rows = Readable.from([`9\t${name}\n`, `9\t${name}\n`]);
        await pipeline(rows, await on`copy driver_writes from stdin`.writable());
      })();
      const next = behindCopy().then(() => one(on, 7));
      return Promise.all([copied, next].map(settled));
    });
    expect(both).toEqual([{ rows: undefined }, { rows: 7 }]);
    expect(await admin`select from driver_writes where n = 9 and note = ${name}`).toHaveLength(2);
    await expectRight(sql);
    await close();
  });

  test.each([
    ["in its last row", ["1\ta\n", "x\tb\n"]],
    ["in its first of many rows", ["x\ta\n", ...Array.from({ length: 20_000 }, () => "6\tmany\n")]],
  ])("FROM STDIN that the server refuses %s fails and is rolled back", async (_name, rows) => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    const copied = sql.begin(async (tx) => {
      await tx`insert into driver_writes values (6, 'before')`;
      await pipeline(Readable.from(rows), await tx`copy driver_writes from stdin`.writable());
    });
    expect(await settled(copied)).toEqual({ error: "22P02" });
    expect(await admin`select from driver_writes where n = 6`).toHaveLength(0);
    await expectRight(sql);
    await close();
  });

  test("FROM STDIN whose source fails is rolled back", async () => {
    const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
    async function* source() {
      yield "7\tpart\n";
      throw new Error("the source failed");
    }
    const copied = sql.begin(async (tx) =>
      pipeline(Readable.from(source()), await tx`copy driver_writes from stdin`.writable()),
    );
    expect(await settled(copied)).toEqual({ error: "the source failed" });
    expect(await admin`select from driver_writes where n = 7`).toHaveLength(0);
    await expectRight(sql);
    await close();
  });

  test.each([1, 100])(
    "TO STDOUT that is abandoned after %i rows keeps its cause, and its connection answers",
    async (read) => {
      const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
      const session = () => sql`select pg_backend_pid() as pid`.then(([row]) => row?.pid);
      const before = await session();
      const abandoned = sql.begin(async (tx) => {
        let n = 0;
        const rows = await tx`copy (select repeat('x', 2000) from generate_series(1, 20000)) to stdout`.readable();
        for await (const row of rows) {
          n += row.length > 0 ? 1 : 0;
          if (n === read) throw new Error("the disk is full");
        }
      });
      expect(await settled(abandoned)).toEqual({ error: "the disk is full" });
      expect(await session()).toBe(before);
      await expectRight(sql);
      await close();
    },
  );
});

test("a pool that is closed while its connection is lost does not wait", async () => {
  const { sql } = openDatabase({ url: database.url, poolSize: 1 });
  const [backend] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  const running = settled(sql`select pg_sleep(20)`);
  const ended = sql.end();
  await eventually(async () => {
    const [row] = await admin`select query from pg_stat_activity where pid = ${backend.pid}`;
    expect(row?.query).toContain("pg_sleep(20)");
  });
  await admin`select pg_terminate_backend(${backend.pid})`;
  expect(await running).toHaveProperty("error");
  expect(await settled(ended)).toHaveProperty("rows");
});
