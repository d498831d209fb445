// A stop with work in flight: what was begun is finished, on a database that is there until the end.
import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { api } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { speakUpToData } from "#test/support/inbound.ts";
import { openRequest } from "#test/support/raw-http.ts";
import { startTestService } from "#test/support/service.ts";

/** A service on a database that outlives it, with an agent and a mailbox. */
async function startStoppable() {
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const { sql, close } = openDatabase({ url: database.url, poolSize: 1 });
  onTestFinished(close);
  const service = await startTestService({}, { database });
  const client = api(service);
  onTestFinished(client.close);
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  return { service, sql, key, address };
}

/** Resolves when the stop has closed the door: what is under way now is all that is left. */
async function untilClosed(port: number): Promise<void> {
  const isOpen = async () => {
    const socket = connect(port, "127.0.0.1");
    const opened = await once(socket, "connect").then(
      () => true,
      () => false, // refused
    );
    socket.destroy();
    return opened;
  };
  await expect.poll(isOpen).toBe(false);
}

test("a create whose body is under way is answered 201, and is there", async () => {
  const { service, sql, key } = await startStoppable();
  const body = JSON.stringify({ username: "late" });
  const request = await openRequest(service, "POST /v1/inboxes", [
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
  ]);
  onTestFinished(() => void request.close());
  // The service has begun the request.
  await expect.poll(() => request.text()).toContain("100 Continue");
  const stopped = service.stop();
  await untilClosed(Number(new URL(service.url).port));
  await request.sendText(body);
  await expect.poll(() => request.text()).toContain("HTTP/1.1 201");
  await stopped;
  expect(await sql`select address from inboxes where address = 'late@mail.example'`).toHaveLength(1);
});

test("a mail under way is answered 250, and is there", async () => {
  const { service, sql, address } = await startStoppable();
  const session = await speakUpToData(service.smtpPort, address);
  await session.ask("DATA");
  session.write("Subject: under way\r\n\r\n");
  const stopped = service.stop();
  await untilClosed(service.smtpPort);
  expect(await session.ask(".")).toMatch(/^250 2\.6\.0 /);
  await stopped;
  expect(await sql`select subject from messages`).toEqual([{ subject: "under way" }]);
});

test("a request whose body never comes does not hold up a stop", async () => {
  const { service, key } = await startStoppable();
  const request = await openRequest(service, "POST /v1/inboxes", [
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
    "Content-Length: 100",
    "Expect: 100-continue",
  ]);
  await expect.poll(() => request.text()).toContain("100 Continue");
  await service.stop();
  await request.closed;
  expect(request.text()).not.toContain("HTTP/1.1 201");
});
