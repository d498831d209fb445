// The package `mailberth` as it is published: packed, installed in an empty folder, started, and used by its command.
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { size } from "#test/sizes.ts";
import { type CommandProcess, commandIn } from "#test/support/command.ts";
import { freePort } from "#test/support/process.ts";

const PROJECT = join(import.meta.dirname, "../..");
const PAGES = ["/", "/dashboard", "/docs", "/guides", "/guides/watching", "/guides/search.json"];
const BUILD_MAX_MS = 600_000;
const START_MAX_MS = 120_000;
const TARBALL_MAX_BYTES = 25_000_000;
const OUTPUT_MAX_BYTES = 50_000_000;
/** The checks of MCP hosts: `--strict` ends with 6 for a schema that some of them refuse. */
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";
/** As root, the embedded PostgreSQL runs as another user. */
const ENTERED_BY_ALL_MODE = 0o755;
const CONCURRENT_WAITS = 200;
const run = promisify(execFile);

/** The build and the installation take some minutes, and the installation needs the registry. */
const installations = Array.from({ length: size("SERVICE_PACKAGES") }, (_, index) => index + 1);

test("the launcher says which Node it needs, where the package has none for the platform", async () => {
  const older = "Object.defineProperty(process.versions, 'node', { value: '20.0.0' });";
  const elsewhere = "Object.defineProperty(process, 'arch', { value: 'unknown' });";
  const script = `${older}${elsewhere}require(${JSON.stringify(join(PROJECT, "client/command/launch.cjs"))})`;
  const launched = run(process.execPath, ["-e", script]);
  await expect(launched).rejects.toMatchObject({
    code: 1,
    stderr: "Install Node 24 or newer (this is 20.0.0), then repeat.\n",
  });
});

describe.each(installations)("installation %i", () => {
  let folder = "";
  let app = "";
  let tarball = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mailberth-installed-"));
    app = join(folder, "app");
    await mkdir(app);
    await run("npm", ["run", "build:service"], { cwd: PROJECT, maxBuffer: OUTPUT_MAX_BYTES });
    await run("npm", ["pack", "./dist/mailberth", "--pack-destination", folder], { cwd: PROJECT });
    tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "");
    await writeFile(join(app, "package.json"), JSON.stringify({ private: true }));
    await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", tarball], { cwd: app });
  }, BUILD_MAX_MS);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The installed program, with only a PATH and a home of its own. */
  const installed = (environment: Record<string, string> = {}) =>
    commandIn(join(folder, "home"), environment, [join(app, "node_modules/.bin/mailberth")]);

  /** Started in an empty folder, it prints an enrollment key. */
  async function start() {
    const cwd = await mkdtemp(join(folder, "start-"));
    await chmod(cwd, ENTERED_BY_ALL_MODE);
    const [port, smtpPort] = [await freePort(), await freePort()];
    const settings = { PORT: `${port}`, SMTP_PORT: `${smtpPort}`, RATE_LIMIT_BURST: "1000" };
    const service = installed(settings).start(["start"], { cwd });
    onTestFinished(async () => void (await stop(service)));
    await expect.poll(service.stderr, { timeout: START_MAX_MS }).toMatch(/is ready[\s\S]+mb_enroll_\w+/);
    const token = /mb_enroll_\w+/.exec(service.stderr())?.[0] ?? "";
    return { service, url: `http://127.0.0.1:${port}`, smtpPort, token };
  }

  async function stop({ child, ended }: CommandProcess) {
    child.kill("SIGINT");
    return ended;
  }

  test("is small, and publint finds nothing", async () => {
    const { stdout } = await run("npm", ["pack", "./dist/mailberth", "--dry-run", "--json"], {
      cwd: PROJECT,
      maxBuffer: OUTPUT_MAX_BYTES,
    });
    const packed = Object.values(JSON.parse(stdout))[0] as { size: number; unpackedSize: number };
    console.log(`mailberth: ${packed.size} bytes packed, ${packed.unpackedSize} unpacked`);
    expect(packed.size).toBeLessThan(TARBALL_MAX_BYTES);
    await run(join(PROJECT, "node_modules/.bin/publint"), [tarball, "--strict"]);
  });

  test(
    "starts in an empty folder, and its command enrolls, waits, listens and checks it",
    async () => {
      const { service, url, smtpPort, token } = await start();
      for (const path of [...PAGES, "/v1/openapi.json", "/.well-known/oauth-authorization-server"]) {
        const { status } = await fetch(url + path);
        expect([path, status]).toEqual([path, 200]);
      }
      const command = installed();
      const exits = async (code: number, args: string[]) => {
        const ended = await command.run(args);
        expect({ args, ...ended }).toMatchObject({ args, code });
        return ended.stdout;
      };
      await exits(2, ["whoami"]);
      expect((await command.run(["admin"])).stderr).toContain("Usage: npx mailberth admin [options] [command]");
      await exits(0, ["enroll", "--url", url, token]);
      await exits(0, ["inboxes", "create", "--username", "bot"]);
      const listening = command.start(["listen", "--forward", "http://127.0.0.1:9/hook"]);
      await expect.poll(listening.stderr).toContain(": connected\n");
      const mail = {
        from: "joe@else.example",
        to: "bot@mail.localhost",
        subject: "Your code is 482913",
        text: "Hello",
      };
      const transport = createTransport({ host: "127.0.0.1", port: smtpPort, tls: { rejectUnauthorized: false } });
      await transport.sendMail(mail);
      transport.close();
      const wait = ["wait", "bot@mail.localhost", "--after", "2026-01-01T00:00:00Z"];
      expect(await exits(0, [...wait, "--from", "joe@else.example", "--code"])).toBe("482913\n");
      await exits(6, [...wait, "--from", "nobody.example", "--timeout", "1"]);
      await exits(4, ["inboxes", "get", "none@mail.localhost"]);
      await exits(3, ["--url", url, "--key", "mb_agent_none", "whoami"]);
      expect(await exits(0, ["doctor", "--smtp", `127.0.0.1:${smtpPort}`])).toContain('"mailberth.doctor/v1"');
      listening.child.kill("SIGINT");
      expect((await listening.ended).code).toBe(130);
      expect((await stop(service)).code).toBe(0);
      await exits(8, ["whoami"]);
      await exits(9, ["doctor"]);
    },
    BUILD_MAX_MS,
  );

  test(
    "the MCP inspector accepts its tools over HTTP and stdio, in both protocols, and concurrent waits",
    async () => {
      const { service, url, token } = await start();
      const body = JSON.stringify({ token, agent_handle: "inspected" });
      const headers = { "Content-Type": "application/json" };
      const enrolled = await (await fetch(`${url}/v1/enroll`, { method: "POST", headers, body })).json();
      const { agent_key: key } = enrolled as { agent_key: string };
      const inspector = join(folder, "inspector");
      await mkdir(inspector);
      await writeFile(join(inspector, "package.json"), JSON.stringify({ private: true }));
      await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", INSPECTOR], { cwd: inspector });
      const launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
      const inspect = async (args: string[]) => {
        const env = { PATH: process.env.PATH, HOME: join(folder, "home"), NODE_ENV: "test" as const };
        const options = { cwd: inspector, env, maxBuffer: OUTPUT_MAX_BYTES };
        return JSON.parse((await run(process.execPath, [launcher, "--cli", ...args], options)).stdout);
      };
      const http = [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`];
      const listing = ["--method", "tools/list", "--strict"];
      const [older, newer] = [
        await inspect([...http, "--protocol-era", "legacy", ...listing]),
        await inspect([...http, "--protocol-era", "modern", ...listing]),
      ];
      expect(older.tools.length).toBeGreaterThan(15);
      expect(newer.tools).toEqual(older.tools);
      const profile = ["-e", `MAILBERTH_URL=${url}`, "-e", `MAILBERTH_KEY=${key}`];
      const program = [process.execPath, join(app, "node_modules/mailberth/bin/mailberth.cjs"), "mcp"];
      expect((await inspect(["--transport", "stdio", ...profile, ...listing, ...program])).tools).toEqual(older.tools);
      const call = (name: string, ...given: string[]) => [
        ...http,
        "--method",
        "tools/call",
        "--tool-name",
        name,
        ...given,
      ];
      await inspect(call("create_inbox", "--tool-arg", "username=inspected"));
      const wait = call("wait_for_email", "--tool-arg", "inbox=inspected@mail.localhost", "timeout_seconds=1");
      const many = `${CONCURRENT_WAITS}`;
      const load = await inspect([...wait, "--load", "--load-concurrency", many, "--load-requests", many]);
      expect(load).toMatchObject({ ok: CONCURRENT_WAITS, toolErrors: 0, errors: 0 });
      await stop(service);
    },
    BUILD_MAX_MS,
  );

  test(
    "starts for a test suite, and leaves nothing behind",
    async () => {
      await run("npm", ["run", "build:client"], { cwd: PROJECT });
      const suite = join(app, "suite.mjs");
      await cp(join(PROJECT, "dist/client"), join(app, "node_modules/@mailberth/client"), { recursive: true });
      await writeFile(
        suite,
        `import { readdirSync } from "node:fs";
         import startMailberth, { mailbox } from "@mailberth/client/testing";
         const folders = () => readdirSync(process.env.TMPDIR).filter((name) => name.startsWith("mailberth-test-"));
         const stop = await startMailberth();
         const { address } = await mailbox();
         const during = folders().length;
         const url = process.env.MAILBERTH_URL;
         await stop();
         const isReached = await fetch(url).then(() => true, () => false);
         console.log(JSON.stringify({ address, during, after: folders().length, isReached }));`,
      );
      const env = { PATH: process.env.PATH, HOME: join(folder, "home"), TMPDIR: folder, NODE_ENV: "test" as const };
      const smtp = { MAILBERTH_SMTP_PORT: `${await freePort()}`, DATABASE_URL: "postgres://nobody@127.0.0.1:9/none" };
      const { stdout } = await run(process.execPath, [suite], { cwd: app, env: { ...env, ...smtp } });
      expect(JSON.parse(stdout)).toEqual({
        address: expect.stringContaining("@mail.localhost"),
        during: 1,
        after: 0,
        isReached: false,
      });
    },
    BUILD_MAX_MS,
  );
});
