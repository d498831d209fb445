// The package `mailberth` as it is published: packed, installed in an empty folder, started, and used by its command.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { size } from "#test/sizes.ts";
import { type CommandProcess, commandIn } from "#test/support/command.ts";
import { freePort } from "#test/support/process.ts";

const PROJECT = join(import.meta.dirname, "../..");
const BUILD_MAX_MS = 600_000;
const START_MAX_MS = 120_000;
const TARBALL_MAX_BYTES = 25_000_000;
const OUTPUT_MAX_BYTES = 50_000_000;
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

  async function start() {
    const [port, smtpPort] = [await freePort(), await freePort()];
    const service = installed({ PORT: `${port}`, SMTP_PORT: `${smtpPort}` }).start(["start"], { cwd: app });
    onTestFinished(async () => void (await stop(service)));
    await expect.poll(service.stdout, { timeout: START_MAX_MS }).toMatch(/is ready[\s\S]+mb_enroll_\w+/);
    const token = /mb_enroll_\w+/.exec(service.stdout())?.[0] ?? "";
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
      for (const path of ["/", "/dashboard", "/docs", "/v1/openapi.json", "/.well-known/oauth-authorization-server"]) {
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
});
