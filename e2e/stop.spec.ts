// Requests with an Upgrade header once a page was shown, and a stop while connections of every kind are open.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "@playwright/test";
import { type RunningService, startService } from "./service.ts";

let service: RunningService;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  service = await startService();
  // From the first page on, Next listens for upgrade requests.
  expect((await fetch(service.baseUrl)).status).toBe(200);
});

// Also when a test failed before the stop below, which this repeats without effect.
test.afterAll(() => service.stop());

/** A connection to the service with these bytes sent. */
async function open(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined); // the service may cut it
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

const request = (line: string, ...headers: string[]) =>
  `${[line, "Host: mailberth.example", ...headers].join("\r\n")}\r\n\r\n`;
const H2C = ["Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"];
const JSON_BODY = ["Content-Type: application/json", "Content-Length: 2"];
const WEBSOCKET = ["Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="];

for (const path of ["/", "/v1/openapi.json", "/health/live", "/_next/webpack-hmr"]) {
  for (const upgrade of [H2C, WEBSOCKET]) {
    test(`GET ${path} with ${upgrade[0]} is answered as HTTP/1.1`, async () => {
      const port = Number(new URL(service.baseUrl).port);
      const socket = await open(port, request(`GET ${path} HTTP/1.1`, "Connection: Upgrade, close", ...upgrade));
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 (200|404) /);
    });
  }
}

/** Which of the connections below get an answer, or its beginning, before the stop. */
const ANSWERED = [3, 4, 6, 7];

test("SIGTERM ends the service and its PostgreSQL while connections of every kind are open", async () => {
  test.setTimeout(60_000);
  const port = Number(new URL(service.baseUrl).port);
  const enrolled = await fetch(`${service.baseUrl}/v1/enroll`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token: service.enrollmentKey, agent_handle: "stop" }),
  });
  const { agent_key: key } = (await enrolled.json()) as { agent_key: string };
  const authorization = `Authorization: Bearer ${key}`;
  const created = await fetch(`${service.baseUrl}/v1/inboxes`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: "{}",
  });
  const { address } = (await created.json()) as { address: string };
  const sockets = await Promise.all([
    open(port, ""),
    open(port, "GET / HTTP/1.1\r\nHost: half"),
    open(port, request("POST /v1/enroll HTTP/1.1", "Content-Type: application/json", "Content-Length: 50")),
    open(port, request("GET / HTTP/1.1", "Connection: Upgrade", ...WEBSOCKET)),
    open(port, request("GET /v1/events/stream HTTP/1.1", authorization)),
    open(port, `${request(`POST /v1/inboxes/${address}/wait HTTP/1.1`, authorization, ...JSON_BODY)}{}`),
    open(service.smtpPort, "EHLO a.example\r\n"),
    open(
      service.smtpPort,
      `EHLO a.example\r\nMAIL FROM:<a@a.example>\r\nRCPT TO:<${address}>\r\nDATA\r\nSubject: half`,
    ),
  ]);
  await Promise.all(ANSWERED.map((n) => once(sockets[n] as Socket, "data")));
  // Fails unless the service exits 0 in time and leaves no PostgreSQL behind.
  await service.stop();
  for (const socket of sockets) socket.destroy();
});
