// Several hosts in DATABASE_URL, and a password that changes while the service runs.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import { createTestDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";
import { cleanUp } from "#test/support/embedded-fixture.ts";
import { type OwnServer, startOwnServer } from "#test/support/postgresql/server.ts";
import { freePort } from "#test/support/process.ts";
import { startProxy } from "#test/support/proxy.ts";
import { startTestService } from "#test/support/service.ts";

let primary: OwnServer;
/** Refuses writes, as a standby does. */
let readOnly: OwnServer;

beforeAll(async () => {
  [primary, readOnly] = await Promise.all([
    startOwnServer(),
    startOwnServer({ settings: { default_transaction_read_only: "on" } }),
  ]);
});
afterAll(async () => {
  await Promise.all([primary?.stop(), readOnly?.stop()]);
  await cleanUp();
});

/** The URL of the primary, with other hosts. The servers have one password: both are copies of one cluster. */
function urlWith(hosts: (OwnServer | number)[], query = ""): string {
  const list = hosts.map((host) => `127.0.0.1:${typeof host === "number" ? host : host.port}`).join(",");
  return `${primary.url.replace(/127\.0\.0\.1:\d+/, list)}${query}`;
}

async function portOf(url: string): Promise<number | string> {
  const sql = connect(url, { max: 1, fetch_types: false });
  try {
    const [row] = await sql<{ port: string }[]>`select current_setting('port') as port`;
    return Number(row?.port);
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

describe("several hosts", () => {
  it("the first that answers and accepts writes is used", async () => {
    expect(await portOf(urlWith([await freePort(), primary]))).toBe(primary.port);
    expect(await portOf(urlWith([readOnly, primary]))).toBe(primary.port);
    expect(await portOf(urlWith([readOnly, primary], "?target_session_attrs=any"))).toBe(readOnly.port);
  });

  it("are named when none of them answers, or none accepts writes", async () => {
    const [a, b] = [await freePort(), await freePort()];
    await expect(migrate({ url: urlWith([a, b]) })).rejects.toThrow(
      `DATABASE_URL: Nothing listens at 127.0.0.1:${a}, 127.0.0.1:${b}. Start PostgreSQL there, or correct host and port.`,
    );
    await expect(migrate({ url: urlWith([readOnly, readOnly]) })).rejects.toThrow("accepts writes: they are standbys.");
    await expect(migrate({ url: urlWith([readOnly], "?target_session_attrs=any") })).rejects.toThrow(
      /read-only transaction\. The service writes: name the primary, or list all hosts\.$/,
    );
  });

  it("a running service continues with the other host, and answers 503 while there is none", async () => {
    const [first, second] = [await startProxy(primary.url), await startProxy(primary.url)];
    const url = urlWith([first, second].map((proxy) => Number(new URL(proxy.url).port)));
    await migrate({ url });
    const service = await startTestService({}, { database: { url, drop: async () => {} } });
    const { agentKey } = await service.newOrganization();
    const list = async () => {
      const answer = await fetch(`${service.url}/v1/inboxes`, { headers: { Authorization: `Bearer ${agentKey}` } });
      return answer.status;
    };
    expect(await list()).toBe(200);
    await first.cut();
    await expect.poll(list).toBe(200);
    await second.cut();
    expect(await list()).toBe(503);
    await first.mend();
    await expect.poll(list).toBe(200);
    await service.stop();
    await Promise.all([first.cut(), second.mend().then(() => second.cut())]);
  });
});

describe("a password that changes while the service runs", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it("keeps open connections, costs 503 when they are gone, and heals when it is right again", async () => {
    const admin = connect(database.url, { max: 1, onnotice: () => {} });
    await admin.unsafe("drop role if exists rotated; create role rotated superuser login password 'old'");
    const url = new URL(database.url);
    [url.username, url.password] = ["rotated", "old"];
    const service = await startTestService({}, { database: { url: url.href, drop: async () => {} } });
    const { agentKey } = await service.newOrganization();
    const list = async () => {
      const answer = await fetch(`${service.url}/v1/inboxes`, { headers: { Authorization: `Bearer ${agentKey}` } });
      return [answer.status, answer.headers.has("retry-after")];
    };
    expect(await list()).toEqual([200, false]);
    await admin.unsafe("alter role rotated password 'new'");
    expect(await list()).toEqual([200, false]);
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'rotated'`;
    await expect.poll(list).toEqual([503, true]);
    expect((await fetch(`${service.url}/health/ready`)).status).toBe(503);
    await admin.unsafe("alter role rotated password 'old'");
    await expect.poll(list).toEqual([200, false]);
    await service.stop();
    // The role owns the partitions that the service made.
    await admin.unsafe("reassign owned by rotated to current_user; drop role rotated");
    await admin.end();
  });
});
