// Requests that ask for another protocol, a tunnel or an unknown expectation are answered as plain HTTP/1.1 requests.
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Sends the request on a separate connection and returns everything received until the service closes it. */
async function exchange(line: string, headers: string[], body = ""): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  await once(socket, "connect");
  const head = [`${line} HTTP/1.1`, "Host: mailberth.example", ...headers];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  return text(socket);
}

const UPGRADES = ["h2c", "websocket", "TLS/1.0", "x".repeat(1000)];

describe.each(UPGRADES)("Upgrade: %.10s", (protocol) => {
  const upgrade = ["Connection: Upgrade, close", `Upgrade: ${protocol}`];

  it("is ignored by a GET", async () => {
    expect(await exchange("GET /v1/openapi.json", upgrade)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it("is ignored by a POST, whose body is read", async () => {
    const body = JSON.stringify({ token: "mb_enroll_unknown", agent_handle: "bot" });
    const headers = [...upgrade, "Content-Type: application/json", `Content-Length: ${body.length}`];
    expect(await exchange("POST /v1/enroll", headers, body)).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("CONNECT", () => {
  it("is refused in the error envelope", async () => {
    const answer = await exchange("CONNECT example.com:443", []);
    expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(answer).toMatch(/\r\nAllow: GET, /);
    expect(answer).toContain('"code":"method_not_allowed"');
  });
});

describe("Expect", () => {
  it("100-continue gets 100, then the answer", async () => {
    const headers = ["Expect: 100-continue", "Connection: close", "Content-Type: application/json"];
    const answer = await exchange("POST /v1/enroll", [...headers, "Content-Length: 2"], "{}");
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
  });

  it("anything else is ignored", async () => {
    const answer = await exchange("GET /v1/openapi.json", ["Expect: the-unexpected", "Connection: close"]);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});
