// One attempt against real endpoints, good and bad: what it reports, and that a bad answer costs its neighbours nothing.
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { createPoster, type Poster } from "#server/webhooks/delivery/post.ts";
import { dialFor } from "#server/webhooks/targets/dial.ts";
import { rulesOf } from "../targets/rules.ts";
import { hang, startReceiver, status } from "./receiver.ts";

const BODY = '{"event":"message.received","subject":"Grüße"}';
const HEADERS = ["Content-Type", "application/json", "X-Service-Event", "message.received"];
const SHORT_MS = 300;
const LONG_MS = 20_000;
const MEGABYTE = Buffer.alloc(1_048_576, "x");

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function poster(timeoutMs = LONG_MS): Poster {
  const made = createPoster(dialFor(rulesOf({ WEBHOOK_TARGETS: "any" }), timeoutMs), timeoutMs);
  cleanups.push(made.close);
  return made;
}

async function receiver(...args: Parameters<typeof startReceiver>) {
  const made = await startReceiver(...args);
  cleanups.push(made.close);
  return made;
}

/** A TCP server that counts a connection as used once it received data. */
async function rawServer(onData: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // the other side may abort
    socket.once("data", () => onData(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = (by: Poster, url: string) => by.post({ origin: new URL(url).origin, path: "/hook?a=b" }, HEADERS, BODY);

test("sends exactly the body and the headers given", async () => {
  const { url, received } = await receiver();
  expect(await post(poster(), url)).toEqual({
    ...{ status: 200, error: null, retryAfter: null, timedOut: false, body: "" },
    durationMs: expect.any(Number),
  });
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({ url: "/hook?a=b", method: "POST", body: BODY });
  expect(received[0]?.headers).toEqual({
    "content-type": "application/json",
    "x-service-event": "message.received",
    "content-length": String(Buffer.byteLength(BODY)),
    host: new URL(url).host,
    connection: "keep-alive",
  });
});

test.each([200, 201, 202, 204, 299, 300, 304, 400, 404, 410, 429, 500, 503])("reports %i", async (code) => {
  const { url } = await receiver(status(code));
  expect(await post(poster(), url)).toMatchObject({ status: code, error: null });
});

test.each([301, 302, 303, 307, 308])("does not follow %i", async (code) => {
  const canary = await receiver();
  const { url } = await receiver(status(code, { location: canary.url }));
  expect(await post(poster(), url)).toMatchObject({ status: code });
  expect(canary.connections).toBe(0);
});

test("hands on Retry-After", async () => {
  const { url } = await receiver(status(503, { "retry-after": "120" }));
  expect(await post(poster(), url)).toMatchObject({ status: 503, retryAfter: "120" });
});

test("uses its sockets again and again", async () => {
  const small = await receiver(status(200, {}, "thanks"));
  const long = await receiver(status(500, {}, "x".repeat(20_000)));
  const by = poster();
  for (let i = 0; i < 20; i += 1) await Promise.all([post(by, small.url), post(by, long.url)]);
  for (const { received, connections } of [small, long]) {
    expect(received).toHaveLength(20);
    // A second one, since the next request may start before undici has put the first socket back.
    expect(connections).toBeLessThanOrEqual(2);
  }
});

test("never uses a socket for two organizations", async () => {
  const ports: (number | undefined)[] = [];
  const made = await receiver((response, request) => {
    ports.push(request.socket.remotePort);
    response.end();
  });
  const { url } = made;
  const by = poster();
  const target = { origin: new URL(url).origin, path: "/" };
  for (const organization_id of ["a", "b", "a", "b"]) {
    await by.post({ ...target, organization_id }, HEADERS, BODY);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(made.connections).toBe(2);
  expect([ports[0] === ports[2], ports[1] === ports[3], ports[0] === ports[1]]).toEqual([true, true, false]);
});

test("an interim answer is not the answer", async () => {
  const { url } = await receiver((response) => {
    response.writeEarlyHints({ link: "</a>; rel=preload" });
    response.writeHead(500).end();
  });
  expect(await post(poster(), url)).toMatchObject({ status: 500 });
});

describe("an endpoint without an answer", () => {
  test("that hangs is given up at the deadline", async () => {
    const { url } = await receiver(hang);
    expect(await post(poster(SHORT_MS), url)).toMatchObject({
      status: null,
      timedOut: true,
      error: /^no answer within/,
    });
  });

  test("that trickles its header is given up at the deadline", async () => {
    const url = await rawServer((socket) => {
      const timer = setInterval(() => socket.write("H"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    expect(await post(poster(SHORT_MS), url)).toMatchObject({ status: null });
  });

  test("that does not listen, resets, closes or talks garbage is an error", async () => {
    const closed = await receiver();
    await closed.close();
    const by = poster();
    expect(await post(by, closed.url)).toMatchObject({ status: null, error: expect.stringMatching(/ECONNREFUSED/) });
    for (const misbehave of [
      (socket: Socket) => socket.resetAndDestroy(),
      (socket: Socket) => socket.end(),
      (socket: Socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"),
      (socket: Socket) => socket.end("HTTP/1.1 2OO OK\r\n\r\n"),
      (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${"x".repeat(20_000)}\r\n\r\n`),
      (socket: Socket) => socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    ]) {
      const answer = await post(by, await rawServer(misbehave));
      expect(answer).toMatchObject({ status: null, timedOut: false, error: expect.stringMatching(/\w/) });
      expect(answer.error).not.toMatch(/\p{Cc}/u);
    }
  });

  test("that speaks no TLS is an error", async () => {
    const { url } = await receiver();
    expect(await post(poster(), url.replace("http:", "https:"))).toMatchObject({ status: null, timedOut: false });
  });
});

describe("an answer's body", () => {
  test("without end is cut off, and its status stands", async () => {
    let sent = 0;
    let closed: () => void;
    const cut = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const { url } = await receiver((response) => {
      response.writeHead(200).on("close", () => closed());
      const more = () => {
        while (!response.destroyed && response.write(MEGABYTE)) sent += MEGABYTE.length;
      };
      response.on("drain", more);
      more();
    });
    expect(await post(poster(), url)).toMatchObject({ status: 200, error: null, timedOut: false });
    await cut;
    expect(sent).toBeLessThan(64 * MEGABYTE.length);
  });

  test("that trickles or breaks off leaves the status as it was", async () => {
    const trickle = await receiver((response) => {
      const timer = setInterval(() => response.write("."), 20);
      response.writeHead(202).on("close", () => clearInterval(timer));
    });
    expect(await post(poster(SHORT_MS), trickle.url)).toMatchObject({ status: 202, error: null, timedOut: true });
    const broken = await rawServer((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"));
    expect(await post(poster(), broken)).toMatchObject({ status: 200, error: null });
  });

  test("of one endpoint that is cut off does not disturb others", async () => {
    const huge = await receiver((response, _, { url }) => {
      if (url === "/hook?a=b") response.writeHead(200).end(Buffer.concat([MEGABYTE, MEGABYTE]));
    });
    const good = await receiver();
    const by = poster();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => post(by, i % 2 === 0 ? huge.url : good.url)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(60).fill(200));
    expect(good.received).toHaveLength(30);
  });
});

describe("close", () => {
  test("ends running attempts with an error, and later ones immediately", async () => {
    const { url, received } = await receiver(hang);
    const by = poster();
    const attempts = [post(by, url), post(by, url)];
    await expect.poll(() => received.length).toBe(2);
    await by.close();
    for (const answer of await Promise.all(attempts)) expect(answer).toMatchObject({ status: null, timedOut: false });
    expect(await post(by, url)).toMatchObject({ status: null, timedOut: false });
  });
});
