// A database that answers but takes no writes: /health/ready says so, clients are asked to come back, and no restart is needed.
import { afterAll, describe, expect, inject, test } from "vitest";
import { connect } from "#db/client.ts";
import { type Answer, api, type Failure, inboxPath, type Sent } from "#test/support/api.ts";
import { speakUpToData } from "#test/support/inbound.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { openSmallDisk, whyNoSmallDisk } from "#test/support/small-disk.ts";

const WAIT = { interval: 100 };
/** More than fits into what tables have left in their last pages. */
const TEXT = "x".repeat(200_000);

type Readiness = { status: string; database: string; writes: string };

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing.toReversed()) await close();
});

async function start(database?: Parameters<typeof startTestService>[1]) {
  const service = await startTestService({}, database);
  const client = api(service);
  closing.push(() => service.stop(), client.close);
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  return {
    service,
    address,
    create: () => client.post<Failure>("/v1/inboxes", {}, { key }),
    send: () => {
      const mail = { to: "someone@example.org", subject: "x", text: TEXT };
      return client.post<Sent & Failure>(inboxPath(address, "/send"), mail, { key });
    },
    readiness: async () => {
      const { status, text } = await client.exchange("GET", "/health/ready", {});
      const body = JSON.parse(text) as Readiness;
      return [status, body.status, body.database, body.writes];
    },
  };
}

/** The reply to a mail of 200 kB. */
async function mail({ smtpPort }: TestService, address: string): Promise<string> {
  const smtp = await speakUpToData(smtpPort, address);
  await smtp.ask("DATA");
  const line = `${"x".repeat(78)}\r\n`;
  smtp.write(`Subject: x\r\n\r\n${line.repeat(TEXT.length / line.length)}`);
  const reply = await smtp.ask(".");
  smtp.socket.destroy();
  return reply;
}

function expectUnavailable({ status, body, headers }: Answer<Failure>): void {
  expect([status, body.error.code]).toEqual([503, "unavailable"]);
  expect(headers["retry-after"]).toMatch(/^\d+$/);
}

describe("a full disk", () => {
  const reason = whyNoSmallDisk();

  test.skipIf(reason)(
    `is 452 4.3.1 and 503, and all is well once there is room${reason ? ` (${reason})` : ""}`,
    async () => {
      const disk = await openSmallDisk(inject("databaseServer"));
      closing.push(disk.drop);
      const { service, address, send, readiness } = await start({ database: disk });
      expect(await readiness()).toEqual([200, "ok", "ok", "ok"]);
      disk.fill();
      expect(await mail(service, address)).toMatch(/^452 4\.3\.1 /);
      expectUnavailable(await send());
      await expect.poll(readiness, WAIT).toEqual([503, "unavailable", "ok", "disk_full"]);
      disk.free();
      await expect.poll(readiness, WAIT).toEqual([200, "ok", "ok", "ok"]);
      expect(await mail(service, address)).toMatch(/^250 /);
      expect((await send()).status).toBe(202);
    },
  );
});

describe("a server that takes no writes", () => {
  test("is 451 and 503, and all is well once it does", async () => {
    const { service, address, create, readiness } = await start();
    const admin = connect(inject("databaseServer").adminUrl, { max: 1 });
    closing.push(() => admin.end());
    const name = new URL(service.database.url).pathname.slice(1);
    const switchTo = async (readOnly: "on" | "off") => {
      await admin.unsafe(`alter database ${name} set default_transaction_read_only = ${readOnly}`);
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`;
    };
    expect(await readiness()).toEqual([200, "ok", "ok", "ok"]);
    await switchTo("on");
    await expect.poll(readiness, WAIT).toEqual([503, "unavailable", "ok", "read_only"]);
    expectUnavailable(await create());
    expect(await mail(service, address)).toMatch(/^451 4\.3\.0 /);
    await switchTo("off");
    await expect.poll(readiness, WAIT).toEqual([200, "ok", "ok", "ok"]);
    expect((await create()).status).toBe(201);
    expect(await mail(service, address)).toMatch(/^250 /);
  });
});
