// A caller that leaves in the middle of a stream, a wait, a download or its own upload is no error of the service.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "#test/support/database.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";

/** More than the buffers of both ends hold, so that the download cannot be complete. */
const MAIL_BYTES = 8_000_000;

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let folder: string;
let service: ServiceProcess;
let key: string;
let address: string;

async function call<T>(method: string, path: string, json?: object): Promise<T> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  return (
    await fetch(service.url + path, { method, headers, body: json && JSON.stringify(json) })
  ).json() as Promise<T>;
}

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "mailberth-gone-"));
  service = await startProcess({ DATABASE_URL: database.url, DATA_DIR: folder, LOG_LEVEL: "debug" });
  const token = /mb_enroll_\w+/.exec(service.output())?.[0];
  key = (await call<{ agent_key: string }>("POST", "/v1/enroll", { token, agent_handle: "gone" })).agent_key;
  address = (await call<{ address: string }>("POST", "/v1/inboxes", {})).address;
});
afterAll(async () => {
  await service.end("SIGTERM");
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a request, disconnects after the first bytes of the answer (or immediately), and waits for its log line. */
async function leave(line: string, headers: string[], body = "", answers = true): Promise<void> {
  const ends = () => service.output().match(/"method":/g)?.length ?? 0;
  const before = ends();
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  await once(socket, "connect");
  const head = [`${line} HTTP/1.1`, "Host: mailberth.example", `Authorization: Bearer ${key}`, ...headers];
  await new Promise((resolve) => socket.write(`${head.join("\r\n")}\r\n\r\n${body}`, resolve));
  if (answers) await once(socket, "readable");
  socket.resetAndDestroy();
  await expect.poll(ends).toBeGreaterThan(before);
}

const errors = () =>
  service
    .output()
    .split("\n")
    .filter((line) => /"level":(50|60)|ERROR|FATAL/.test(line));

describe("a caller that leaves", () => {
  it("a stream is not logged as an error", async () => {
    await leave("GET /v1/events/stream", []);
    expect(errors()).toEqual([]);
  });

  it("a wait is not logged as an error", async () => {
    const headers = ["Content-Type: application/json", "Content-Length: 2"];
    await leave(`POST /v1/inboxes/${address}/wait`, headers, "{}", false);
    expect(errors()).toEqual([]);
  });

  it("its own upload is not logged as an error", async () => {
    await leave("POST /v1/inboxes", ["Content-Type: application/json", "Content-Length: 50"], "{", false);
    expect(errors()).toEqual([]);
  });

  it("a download is not logged as an error", async () => {
    const transport = createTransport({
      port: service.smtpPort,
      host: "127.0.0.1",
      tls: { rejectUnauthorized: false },
    });
    const attachments = [{ filename: "large.bin", content: Buffer.alloc(MAIL_BYTES, 7) }];
    await transport.sendMail({ from: "a@else.example", to: address, subject: "large", attachments });
    transport.close();
    const { data } = await call<{ data: { id: string }[] }>("GET", `/v1/inboxes/${address}/messages`);
    await leave(`GET /v1/messages/${data[0]?.id}/raw`, []);
    expect(errors()).toEqual([]);
  });
});

describe("OPTIONS *", () => {
  it("says what the server takes", async () => {
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    socket.write("OPTIONS * HTTP/1.1\r\nHost: mailberth.example\r\nConnection: close\r\n\r\n");
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(
      /^HTTP\/1\.1 204 No Content\r\n(.*\r\n)*Allow: GET, HEAD, POST, PATCH, DELETE, OPTIONS\r\n/,
    );
    socket.destroy();
  });
});
