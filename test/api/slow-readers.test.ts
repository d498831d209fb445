// Answers that their clients do not read: an organization may have only so many octets of them in memory.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, expect, test } from "vitest";
import { boundUnreadAnswer, createBodyBudget } from "#server/api/bodies/body-budget.ts";
import { startReplyRig } from "#test/sending/reply-rig.ts";
import { type Failure, inboxPath, type Page } from "#test/support/api.ts";

const FILE_BYTES = 15_000_000;
/** With one more, an organization has more than 67,108,864 octets. */
const FIT = 4;
const LARGE_BYTES = 1_000_000;
/** Node warns of a leak from 11 listeners on. */
const STALLS = 12;
const rig = await startReplyRig();
const { service, client } = rig;
const port = Number(new URL(service.url).port);
const sockets: Socket[] = [];
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await rig.stop();
});

type Listed = { id: string };
type Whole = { attachments: { id: string }[] };

/** A mailbox with a mail that has a large file, and the path of the file. */
async function withFile() {
  const { agentKey: key } = await service.newOrganization();
  const inbox = await rig.inboxFor(key);
  const id = await inbox.receive({ attachments: [{ filename: "big.bin", content: Buffer.alloc(FILE_BYTES, "x") }] });
  const whole = async () => (await client.get<Whole>(`/v1/messages/${id}`, { key })).body.attachments;
  await expect.poll(async () => (await whole()).length).toBe(1);
  const [file] = await whole();
  return { key, address: inbox.address, path: `/v1/messages/${id}/attachments/${file?.id}`, id, file: file?.id };
}

/** Asks, waits for the first octets of the answer, and reads no more. */
async function askAndStop(path: string, key: string): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  sockets.push(socket);
  socket.write(`GET ${path} HTTP/1.1\r\nHost: mail\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  await once(socket, "readable");
  socket.pause();
  return socket;
}

test("a download is refused while clients of its organization have not read too many others", async () => {
  const { key, path, address } = await withFile();
  const unread = await Promise.all(Array.from({ length: FIT }, () => askAndStop(path, key)));
  const { status, body, headers } = await client.get<Failure>(path, { key });
  expect([status, body.error.code, headers["retry-after"]]).toEqual([503, "unavailable", "2"]);
  const small = await client.get<Page<Listed>>(inboxPath(address, "/messages"), { key });
  expect([small.status, small.body.data.length]).toEqual([200, 1]);
  const other = await withFile();
  expect((await client.get(other.path, { key: other.key })).status).toBe(200);
  for (const socket of unread) socket.destroy();
  await expect.poll(async () => (await client.get(path, { key })).status).toBe(200);
});

test("a client that has not read too much JSON is disconnected", async () => {
  const { key, id, file } = await withFile();
  const input = encodeURIComponent(JSON.stringify({ id, attachment_id: file }));
  const path = `/trpc/messages.attachment?input=${input}`;
  const unread = await Promise.all(Array.from({ length: FIT + 1 }, () => askAndStop(path, key)));
  for (const socket of unread) socket.on("error", () => undefined).resume();
  // A connection whose answer was read to its end stays open.
  await expect.poll(() => unread.some(({ closed }) => closed)).toBe(true);
  expect(unread.every(({ closed }) => closed)).toBe(false);
});

test("a client that has caught up keeps its connection, however often it fell behind", async () => {
  const answered = Promise.withResolvers<ServerResponse>();
  const server = createServer((_req, res) => {
    boundUnreadAnswer(createBodyBudget("answers"), () => "one", res);
    answered.resolve(res);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: at } = server.address() as AddressInfo;
  const socket = connect({ port: at, host: "127.0.0.1" }).resume();
  sockets.push(socket);
  socket.write("GET / HTTP/1.1\r\nHost: mail\r\n\r\n");
  const res = await answered.promise;
  const listeners = new Set<number>();
  for (let behind = 0; behind < STALLS; behind += 1) {
    res.write(Buffer.alloc(LARGE_BYTES));
    await once(res, "drain");
    listeners.add(res.listenerCount("timeout"));
  }
  expect(listeners.size).toBe(1);
  // What its timer does when the stream has nothing to write for a minute.
  res.emit("timeout");
  expect(res.destroyed).toBe(false);
  res.write(Buffer.alloc(LARGE_BYTES));
  res.emit("timeout");
  expect(res.destroyed).toBe(true);
  server.close();
});
