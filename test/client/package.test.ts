// The package `@mailberth/client` as it is published: packed, looked over by publint and attw, then installed and used by an
// outside project.
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CHROMIUM_ARGS, ensureChromium } from "#test/support/chromium.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { startSite } from "../../examples/site.ts";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const MODULES = join(PROJECT, "node_modules");
const SECRET = "whsec_consumer";

// It knows nothing of Node's types, so that a declaration which leans on them would show.
const CONSUMER = `
import { createClient, type MailEvent, type RouterInputs, type RouterOutputs, serviceError, verifyWebhook } from "@mailberth/client";

declare const process: { argv: string[] };
const [url = "", token = "", handle = "", body = "", header = ""] = process.argv.slice(2);

async function main() {
  const { agent_key } = await createClient({ url }).enroll.redeem.mutate({ token, agent_handle: handle });
  const client = createClient({ url, key: agent_key, fetch: globalThis.fetch });
  const wish: RouterInputs["inboxes"]["create"] = { display_name: "Consumer" };
  const inbox: RouterOutputs["inboxes"]["create"] = await client.inboxes.create.mutate(wish);
  const status: "live" = inbox.status;

  // @ts-expect-error a number is no username
  const badWish: RouterInputs["inboxes"]["create"] = { username: 5 };
  // @ts-expect-error there is no such procedure
  const noVerb = client.inboxes.destroy;
  // @ts-expect-error the address is required
  const noAddress: Parameters<typeof client.inboxes.get.query>[0] = {};
  // @ts-expect-error an address is no number
  const noNumber: number = inbox.address;

  const refusal = await createClient({ url }).auth.me.query().then(() => undefined, serviceError);
  const code: "unauthorized" | undefined = refusal?.code === "unauthorized" ? refusal.code : undefined;
  const fix: string | undefined = refusal?.fix;
  // @ts-expect-error there is no such code
  const noCode = refusal?.code === "no_such_code";

  const event = verifyWebhook(body, header, "${SECRET}");
  const from: string = event.message.from;

  const subscribed = await new Promise<boolean>((resolve, reject) => {
    const subscription = client.events.onMessage.subscribe({ inbox: inbox.address }, {
      onStarted() {
        subscription.unsubscribe();
        resolve(true);
      },
      onData({ id, data }) {
        const item: MailEvent = data;
        const sender: string = item.message.from;
        // @ts-expect-error an event's id is no number
        const noNumber: number = id;
        // @ts-expect-error there is no such field
        const noField = data.body;
      },
      onError: reject,
    });
  });
  // @ts-expect-error a subscription is no query
  const noQuery = client.events.onMessage.query;
  console.log(JSON.stringify({ status, code, fixed: typeof fix, from, subscribed }));
}
void main();
`;

const run = promisify(execFile);
let folder: string;
let service: TestService;
let tarball = "";
/** The whole of it, installed. */
const UNPACKED_MAX_BYTES = 6_000_000;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailberth-package-"));
  service = await startTestService();
  await run("npm", ["run", "build:client"], { cwd: PROJECT });
  await run("npm", ["pack", "./dist/client", "--pack-destination", folder], { cwd: PROJECT });
  tarball = join(folder, (await readdir(folder)).find((name) => name.endsWith(".tgz")) ?? "");
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a command of the project's own; its output when it fails, "" when it does not. */
async function complaints(command: string, args: string[], cwd = PROJECT): Promise<string> {
  return run(join(MODULES, ".bin", command), args, { cwd }).then(
    () => "",
    (error: { stdout: string; stderr: string }) => `${error.stdout}\n${error.stderr}`,
  );
}

/** An outside project with the packed package, which asks for no other. */
async function makeConsumer(name: string, compilerOptions: object): Promise<string> {
  const project = join(folder, name);
  const modules = join(project, "node_modules");
  const home = join(modules, "@mailberth/client");
  await mkdir(home, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", home, "--strip-components", "1"]);
  const options = {
    strict: true,
    skipLibCheck: false,
    target: "es2022",
    lib: ["es2022", "dom"],
    types: [],
  };
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...options, ...compilerOptions }, include: ["*.mts", "*.cts", "*.ts"] }),
  );
  await writeFile(join(project, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  return project;
}

describe("the package", () => {
  test("is clean for publint", async () => {
    expect(await complaints("publint", [tarball, "--strict"])).toBe("");
  });
  test("is clean for attw in every resolution", async () => {
    expect(await complaints("attw", [tarball])).toBe("");
  });

  test("asks npm for nothing, is small, and holds nothing of the server", async () => {
    const home = join(await makeConsumer("contents", {}), "node_modules/@mailberth/client");
    const manifest = JSON.parse(await readFile(join(home, "package.json"), "utf8"));
    expect(Object.keys(manifest).filter((name) => /dependencies/i.test(name))).toEqual([]);
    let bytes = 0;
    for (const file of await readdir(home, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = await readFile(join(file.parentPath, file.name), "utf8");
      bytes += Buffer.byteLength(text);
      const isOwn = /^(index|ai|testing|router|paying|verify)/.test(file.name) && file.parentPath === home;
      if (isOwn) expect(text, file.name).not.toMatch(/drizzle|postgres|#server|#db|smtp-server|\.ts"/);
    }
    console.log(`@mailberth/client: ${bytes} bytes installed`);
    expect(bytes).toBeLessThan(UNPACKED_MAX_BYTES);
  });

  test("its router's type fits tRPC's own client", async () => {
    const project = await makeConsumer("trpc", { module: "nodenext", noEmit: true, skipLibCheck: true });
    await mkdir(join(project, "node_modules/@trpc"));
    for (const name of ["client", "server"]) {
      await symlink(join(MODULES, "@trpc", name), join(project, "node_modules/@trpc", name));
    }
    await writeFile(
      join(project, "own.ts"),
      `import { createTRPCClient, httpLink } from "@trpc/client";
       import type { AppRouter } from "@mailberth/client";
       const client = createTRPCClient<AppRouter>({ links: [httpLink({ url: "http://127.0.0.1:3000/trpc" })] });
       const status: Promise<"live"> = client.inboxes.create.mutate({}).then((inbox) => inbox.status);
       // @ts-expect-error there is no such procedure
       const none = client.inboxes.destroy;`,
    );
    expect(await complaints("tsc", ["-p", "."], project)).toBe("");
  });
});

describe("a project that installs it", () => {
  test("type-checks with a bundler's resolution, declarations included", async () => {
    const options = { module: "preserve", moduleResolution: "bundler", noEmit: true };
    const project = await makeConsumer("bundler", options);
    await writeFile(join(project, "consumer.ts"), CONSUMER);
    expect(await complaints("tsc", ["-p", "."], project)).toBe("");
  });

  test.each(["mts", "cts"])("type-checks with Node's resolution, and runs, as .%s", async (extension) => {
    const project = await makeConsumer(extension, { module: "nodenext" });
    await writeFile(join(project, `consumer.${extension}`), CONSUMER);
    expect(await complaints("tsc", ["-p", "."], project)).toBe("");

    const { enrollmentKey } = await service.newOrganization();
    const message = { id: "msg_1", thread_id: "thr_1", from: "ann@example.com", subject: "", received_at: "" };
    const body = JSON.stringify({ event: "message.received", inbox: "a@b.example", message });
    const t = Math.floor(Date.now() / 1000);
    const header = `t=${t},v1=${createHmac("sha256", SECRET).update(`${t}.${body}`).digest("hex")}`;
    const program = join(project, `consumer.${extension.replace("ts", "js")}`);
    const { stdout } = await run(process.execPath, [program, service.url, enrollmentKey, extension, body, header]);
    const { from } = message;
    expect(JSON.parse(stdout)).toEqual({
      status: "live",
      code: "unauthorized",
      fixed: "string",
      from,
      subscribed: true,
    });
  });

  test("runs the examples of tests with Vitest and Playwright", async () => {
    const project = await makeConsumer("testing", {});
    for (const name of ["@playwright", "vitest", "vite"]) {
      await symlink(join(MODULES, name), join(project, "node_modules", name));
    }
    await cp(join(PROJECT, "examples/testing"), join(project, "testing"), { recursive: true });
    for (const name of await readdir(join(project, "testing"))) {
      const file = join(project, "testing", name);
      const source = await readFile(file, "utf8");
      await writeFile(
        file,
        source.replace(/"(#client|\.\.\/\.\.\/client)\/testing\.ts"/, '"@mailberth/client/testing"'),
      );
    }
    const options = `launchOptions: ${JSON.stringify({ executablePath: await ensureChromium(), args: CHROMIUM_ARGS })}`;
    const config = join(project, "testing/playwright.config.ts");
    await writeFile(config, (await readFile(config, "utf8")).replace("use: {", `use: { ${options},`));
    const site = await startSite({ port: 0, smtp: { host: "127.0.0.1", port: service.smtpPort } });
    onTestFinished(() => site.stop());
    const { agentKey } = await service.newOrganization();
    const { NODE_OPTIONS, VITEST, ...inherited } = process.env;
    const env = { ...inherited, MAILBERTH_URL: service.url, MAILBERTH_KEY: agentKey, SITE_URL: site.url };
    const at = { cwd: project, env: { ...env, FORCE_COLOR: "0", NO_COLOR: "1" } };
    const vitest = await run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "--root", "testing"], at);
    expect(vitest.stdout).toMatch(/Tests.*1 passed/);
    const playwright = ["node_modules/@playwright/test/cli.js", "test", "--config", "testing"];
    expect((await run(process.execPath, playwright, at)).stdout).toContain("1 passed");
  });
});
