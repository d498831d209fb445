// What an operator reads of an error: its message and where it comes from, whatever name it was logged under.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "#test/support/database.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { startProxy } from "#test/support/proxy.ts";

const START_MS = 90_000;
const POLL = { interval: 100 };

type Line = { level: number; msg: string; error?: { type?: string; message?: string; stack?: string } };

const database = await createTestDatabase();
const proxy = await startProxy(database.url);
let folder: string;
let service: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailberth-log-"));
  service = await startProcess({ DATABASE_URL: proxy.url, DATA_DIR: folder, ROLES: "worker" });
}, START_MS);
afterAll(async () => {
  await service.end("SIGKILL");
  await proxy.cut();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test("a logged error has its message and its stack", async () => {
  await proxy.cut();
  const found = () =>
    service
      .output()
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line): Line => JSON.parse(line))
      .find(({ msg }) => msg.startsWith("could not lease due deliveries"));
  await expect.poll(found, POLL).toBeDefined();
  expect(found()?.error).toMatchObject({
    message: expect.stringMatching(/\w/),
    stack: expect.stringMatching(/Error: .+\n\s+at /),
  });
});
