// The end of a start: it says that the service is ready when its pages are served, and what it says when they cannot be built.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "#test/support/database.ts";
import { freePort, PRELOAD } from "#test/support/process.ts";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = ["server", "db", "package.json", "next.config.ts", "tsconfig.json"];
const LAYOUT = "export default ({ children }) => <html lang='en'><body>{children}</body></html>;";
const PAGE = "export default () => <h1>Built</h1>;";
const BUILD_MAX_MS = 240_000;
const ASK_EVERY_MS = 20;

type Clone = { url: string; child: ChildProcess; output: () => string };

/** Starts the service in a copy of the project that has one small page and no build. */
async function startClone(page: string): Promise<Clone> {
  await mkdir(join(ROOT, "test-results"), { recursive: true });
  // In the project, where the copy finds the packages: Next accepts no link to a folder outside.
  const folder = await mkdtemp(join(ROOT, "test-results/clone-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const source of SOURCES) await cp(join(ROOT, source), join(folder, source), { recursive: true });
  await mkdir(join(folder, "app"));
  await writeFile(join(folder, "app/layout.jsx"), LAYOUT);
  await writeFile(join(folder, "app/page.jsx"), page);
  const database = await createTestDatabase();
  onTestFinished(database.drop);
  const port = await freePort();
  const child = spawn(process.execPath, [...PRELOAD, "server/main.ts"], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: database.url, HOST: "127.0.0.1", PORT: `${port}`, SMTP_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => stop(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  return { url: `http://127.0.0.1:${port}`, child, output: () => output };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/** The status of a path; 0 while nothing listens. */
const statusOf = (url: string) =>
  fetch(url).then(
    ({ status }) => status,
    () => 0,
  );

test("a start without a build answers the API first, and says that it is ready when its pages are served", {
  timeout: BUILD_MAX_MS,
}, async () => {
  const { url, child, output } = await startClone(PAGE);
  const before = { page: new Set<number>(), ready: new Set<number>(), live: new Set<number>() };
  while (!output().includes("is ready")) {
    const [page, ready, live] = await Promise.all(
      ["/", "/health/ready", "/health/live"].map((path) => statusOf(url + path)),
    );
    // Printed while they were asked: the answers may be of either time.
    if (output().includes("Start here")) break;
    before.page.add(page ?? 0);
    before.ready.add(ready ?? 0);
    before.live.add(live ?? 0);
    if (child.exitCode !== null) throw new Error(output());
    await sleep(ASK_EVERY_MS);
  }
  expect(output()).toMatch(/building the pages.*pages built.*is ready.*Start here.*Dashboard/s);
  const first = await fetch(url);
  expect([first.status, await first.text()]).toEqual([200, expect.stringContaining("<h1>Built</h1>")]);
  expect(await (await fetch(`${url}/health/ready`)).json()).toMatchObject({ status: "ok", pages: "ready" });
  expect(before.page).toContain(503);
  expect(before.ready).toContain(503);
  expect(before.live).toContain(200);
});

test("a build that fails is named at the end of the start, and the API works", { timeout: BUILD_MAX_MS }, async () => {
  const { url, output } = await startClone("export default () => <h1>;");
  await expect.poll(output, { timeout: BUILD_MAX_MS }).toContain("runs without its pages");
  expect(output()).toContain("next build failed");
  expect(output()).not.toMatch(/is ready|Start here|Dashboard/);
  expect(output()).toContain(`REST         ${url}/v1`);
  expect(await statusOf(url)).toBe(500);
  const ready = await fetch(`${url}/health/ready`);
  expect([ready.status, await ready.json()]).toEqual([200, expect.objectContaining({ pages: "failed" })]);
});

test("SIGTERM while the pages are built ends the service with exit 0, and it never says that it is ready", {
  timeout: BUILD_MAX_MS,
}, async () => {
  const { child, output } = await startClone(PAGE);
  await expect.poll(output, { timeout: BUILD_MAX_MS }).toContain("building the pages");
  await stop(child);
  expect(child.exitCode).toBe(0);
  expect(output()).toContain("stopped");
  expect(output()).not.toContain("is ready");
});
