// The service behind Debian's PgBouncer and on Debian's PostgreSQL 15.
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, openDatabase } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import { debianFolders, startDebian } from "#test/support/postgresql/debian.ts";
import { PGBOUNCER, startPooler } from "#test/support/postgresql/pooler.ts";
import { type OwnServer, whyNoDebian } from "#test/support/postgresql/server.ts";
import { TOLD, tellStory } from "#test/support/postgresql/story.ts";

const STORY_MS = 120_000;
const TIMEOUT_MS = 15_000;
const USERS = { mailberth: "of-tests", alpha: "a", beta: "b", gamma: "c", delta: "d" };
/** Roles of the first starts, and the clients that use the pooler before and during each. */
const NEW_ROLES = Array.from({ length: 10 }, (_, n) => `new_${n}`);
const BUSY_CLIENTS = 3;
/** A start waits three times as long for sessions that are busy. */
const SHORT_TIMEOUT_MS = 500;

/** The settings of as many sessions as there are clients, and closes them. */
async function readSettings({ sql, close }: ReturnType<typeof openDatabase>) {
  const asked = Array.from({ length: BUSY_CLIENTS }, async () => {
    const [row] = await sql`
      select current_schema() as schema, current_setting('enable_seqscan') as scan,
        current_setting('statement_timeout') as timeout, pg_sleep(0.1)::text as slept`;
    const { slept, ...settings } = row ?? {};
    return settings;
  });
  return Promise.all(asked).finally(close);
}

const why = whyNoDebian(PGBOUNCER);
if (why) console.log(`skipped: ${why}`);

describe.skipIf(why)("Debian's PostgreSQL 15", () => {
  let server: OwnServer;
  let admin: ReturnType<typeof connect>;
  beforeAll(async () => {
    server = await startDebian();
    admin = connect(server.url, { max: 1, onnotice: () => {} });
    for (const [name, password] of Object.entries(USERS).slice(1)) {
      await admin.unsafe(`create role ${name} login password '${password}'`);
      await admin.unsafe(`create database ${name} owner ${name}`);
    }
  });
  afterAll(async () => {
    await admin?.end();
    await server?.stop();
    for (const folder of debianFolders()) await rm(folder, { recursive: true, force: true });
  });

  const urlOf = (user: keyof typeof USERS, port: number, database: string = user) =>
    `postgres://${user}:${USERS[user]}@127.0.0.1:${port}/${database}`;

  it("carries the story", { timeout: STORY_MS }, async () => {
    await admin.unsafe("create database plain");
    expect(await tellStory({ DATABASE_URL: urlOf("mailberth", server.port, "plain") })).toEqual(TOLD);
  });

  describe.each([
    ["session", "alpha", "public"],
    ["transaction", "beta", "mail"],
  ] as const)("behind PgBouncer in the mode %s", (mode, user, schema) => {
    it(`carries the story, and a second start, in the schema ${schema}`, { timeout: 2 * STORY_MS }, async () => {
      const pooler = await startPooler({ server, mode, users: USERS });
      const environment = {
        DATABASE_URL: urlOf(user, pooler.port),
        DATABASE_DIRECT_URL: urlOf(user, server.port),
        DATABASE_SCHEMA: schema,
      };
      expect(await tellStory(environment)).toEqual(TOLD);
      const again = { url: environment.DATABASE_DIRECT_URL, schema };
      await migrate({ ...again, pooler: { url: environment.DATABASE_URL, timeoutMs: TIMEOUT_MS } });
      const direct = connect(environment.DATABASE_DIRECT_URL, { max: 1 });
      const [row] = await direct`
        select count(*)::int as tables from pg_class where relkind = 'r' and relnamespace = ${schema}::regnamespace`;
      expect(row?.tables).toBeGreaterThan(30);
      // The worker of the story made at least the partition of the day after tomorrow.
      const partitions = await direct`
        select from pg_class where relname ~ '^delivery_attempts_\\d{8}$' and relnamespace = ${schema}::regnamespace`;
      expect(partitions.count).toBeGreaterThan(0);
      // The defaults of the role reach every session, also this one.
      const [session] = await direct`select current_schema() as schema, current_setting('enable_seqscan') as scan`;
      expect(session).toEqual({ schema, scan: "off" });
      await direct.end();
      await pooler.stop();
    });
  });

  describe.each(["transaction", "session"] as const)("behind PgBouncer in the mode %s", (mode) => {
    const names = [...NEW_ROLES, "held"].map((name) => `${name}_${mode}`);
    const users = Object.fromEntries(names.map((name) => [name, "of-tests"]));
    let pooler: Awaited<ReturnType<typeof startPooler>>;
    beforeAll(async () => {
      for (const name of names) {
        await admin.unsafe(`create role ${name} login password '${users[name]}'`);
        await admin.unsafe(`create database ${name} owner ${name}`);
      }
      pooler = await startPooler({ server, mode, users: { ...USERS, ...users } });
    });
    afterAll(() => pooler?.stop());

    const at = (port: number, name: string) => `postgres://${name}:${users[name]}@127.0.0.1:${port}/${name}`;
    const start = (name: string, timeoutMs = TIMEOUT_MS) =>
      migrate({ url: at(server.port, name), schema: "mail", pooler: { url: at(pooler.port, name), timeoutMs } });
    const openClients = (name: string) =>
      openDatabase({ url: at(pooler.port, name), isPooled: true, poolSize: BUSY_CLIENTS });
    const sessionsOf = async (name: string) => {
      const sessions = await admin<{ pid: number }[]>`
        select pid from pg_stat_activity where usename = ${name} and datname = ${name}`;
      return sessions.map(({ pid }) => pid);
    };

    it.each(names.slice(0, -1))("the first start gives its settings to every session: %s", async (name) => {
      const clients = openClients(name);
      let isDone = false;
      const busy = Array.from({ length: BUSY_CLIENTS }, async () => {
        // The start may end the session of a statement.
        while (!isDone)
          await clients.sql`select pg_sleep(0.003)`.catch((error) => expect(error).toHaveProperty("code"));
      });
      try {
        await expect.poll(async () => (await sessionsOf(name)).length).toBe(BUSY_CLIENTS);
        const before = await sessionsOf(name);
        await start(name);
        const remaining = await sessionsOf(name);
        expect(before.filter((pid) => remaining.includes(pid))).toEqual([]);
      } finally {
        isDone = true;
        await Promise.all(busy);
        await clients.close();
      }
      const [settings, ...others] = await readSettings(openClients(name));
      expect(settings).toEqual({ schema: "mail", scan: "off", timeout: `${TIMEOUT_MS / 1000}s` });
      expect(others).toEqual(Array(BUSY_CLIENTS - 1).fill(settings));
    });

    it("a start waits for a session in a transaction, then names it, and a later start ends it", async () => {
      const [name] = names.slice(-1) as [string];
      const clients = openClients(name);
      const held = await clients.sql.reserve();
      try {
        await held`begin`;
        const [own] = await held<{ pid: number }[]>`select pg_backend_pid() as pid`;
        for (let time = 0; time < 2; time += 1) {
          await expect(start(name, SHORT_TIMEOUT_MS)).rejects.toThrow(
            `DATABASE_URL: sessions of the role began before it got its settings, and are still busy: ${own?.pid} (mailberth, idle in transaction). Wait until they have ended, or end each with: select pg_terminate_backend(<number>). Then start again.`,
          );
        }
        await held`commit`;
        await start(name, SHORT_TIMEOUT_MS);
        expect(await sessionsOf(name)).not.toContain(own?.pid);
      } finally {
        held.release();
        await clients.close();
      }
    });
  });

  it("answers a query that is sent while the one before runs", async () => {
    const pooler = await startPooler({ server, mode: "transaction", users: USERS });
    const direct = connect(urlOf("gamma", server.port), { max: 1 });
    const { sql, close } = openDatabase({
      url: urlOf("gamma", pooler.port),
      isPooled: true,
      poolSize: 1,
      timeoutMs: TIMEOUT_MS,
    });
    await sql`create table held (x text)`;
    const second = await direct.begin(async (tx) => {
      await tx`lock table held`;
      const answers = [sql`select 1`, sql`select x from held where x = ${"x"}`].map((query) => query.execute());
      await answers[0];
      return { answer: answers[1] };
    });
    expect([...((await second.answer) ?? ["none"])]).toEqual([]);
    await sql`drop table held`;
    await Promise.all([close(), direct.end()]);
    await pooler.stop();
  });

  describe("a start behind PgBouncer that cannot work says what to do", () => {
    let pooler: Awaited<ReturnType<typeof startPooler>>;
    let ignoring: typeof pooler;
    beforeAll(async () => {
      const ignored =
        "search_path,enable_seqscan,plan_cache_mode,statement_timeout,lock_timeout,idle_in_transaction_session_timeout";
      const settings = `ignore_startup_parameters = ${ignored}\n`;
      pooler = await startPooler({ server, mode: "transaction", users: USERS });
      ignoring = await startPooler({ server, mode: "transaction", users: USERS, settings });
    });
    afterAll(() => Promise.all([pooler?.stop(), ignoring?.stop()]));

    const attempt = (url: string, directUrl?: string, schema = "public") =>
      migrate(directUrl ? { url: directUrl, schema, pooler: { url, timeoutMs: TIMEOUT_MS } } : { url, schema });

    it("without DATABASE_DIRECT_URL", async () => {
      await expect(attempt(urlOf("gamma", pooler.port))).rejects.toThrow(
        /^DATABASE_URL: PostgreSQL at .* answered: unsupported startup parameter: \w+\. A connection pooler such as PgBouncer answers there\. Set DATABASE_DIRECT_URL to the PostgreSQL behind it\.$/,
      );
    });

    it("without it, and with parameters that PgBouncer ignores", async () => {
      await expect(attempt(urlOf("gamma", ignoring.port))).rejects.toThrow(
        /^DATABASE_URL: the settings of the session do not reach PostgreSQL at .*\. A connection pooler/,
      );
    });

    it("with the pooler as DATABASE_DIRECT_URL", async () => {
      const url = urlOf("gamma", pooler.port);
      await expect(attempt(url, url)).rejects.toThrow(
        /^DATABASE_DIRECT_URL: .* Set it to PostgreSQL itself, not to a connection pooler\.$/,
      );
    });

    it("with another database behind the pooler", async () => {
      await expect(attempt(urlOf("mailberth", pooler.port, "delta"), urlOf("gamma", server.port))).rejects.toThrow(
        "DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Set both to the same one.",
      );
    });

    it("with a role that another service uses", async () => {
      await attempt(urlOf("delta", pooler.port), urlOf("delta", server.port));
      await expect(attempt(urlOf("delta", pooler.port), urlOf("delta", server.port), "other")).rejects.toThrow(
        "The role delta has the search_path public in the database delta. Use a role that is only for this service, or run: alter role delta in database delta reset search_path.",
      );
    });
  });
});
