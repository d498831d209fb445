// A subscription over tRPC whose caller disconnects: what was asked for on its behalf must not end the process.
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "#db/client.ts";
import { api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { METRICS_TOKEN, startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
/** Separate connections: over those of the service a look at locks may be sent behind the query that is held. */
const { sql, close } = openDatabase({ url: service.database.url, poolSize: 2 });
afterAll(async () => {
  await client.close();
  await close();
  await service.stop();
});

async function open(key: string) {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  const request = `GET /trpc/events.onMessage?input=%7B%7D HTTP/1.1\r\nHost: mailberth.example\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  socket.write(request);
  await once(socket, "data");
  return socket;
}

async function streamsOpen(): Promise<number> {
  const answer = await fetch(`${service.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
  return Number(/^mailberth_waits_open (\d+)/m.exec(await answer.text())?.[1]);
}

test("a caller who disconnects while its key is checked for an event leaves no rejected promise behind", async () => {
  const { agentKey: key } = await service.newOrganization();
  const inbox = await client.createInbox(key);
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", note);
  onTestFinished(() => void process.off("unhandledRejection", note));
  const socket = await open(key);
  await sql.begin(async (holding) => {
    await holding`lock table agent_keys in access exclusive mode`;
    await eventually(async () => {
      // Each event asks whether the key is still valid, which is remembered for half a second.
      await service.mail({ from: "a@else.example", to: inbox.address });
      expect(await waitingForLocks(sql)).toBe(1);
    });
    socket.destroy();
    await eventually(async () => expect(await streamsOpen()).toBe(0));
  });
  await client.get("/v1/inboxes", { key });
  // A rejection without a handler is reported once the microtasks before it have run.
  await new Promise(setImmediate);
  expect(unhandled).toEqual([]);
});
