// The examples as users run them: many concurrent sign-ups, without mixed-up or stale codes.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";
import { openMailbox, signUp } from "../../examples/sign-up.ts";
import { startSite } from "../../examples/site.ts";

const PROJECT = join(import.meta.dirname, "../..");
const RUNS = 100;
const LONG_AGO = "2026-01-01T00:00:00Z";

const run = promisify(execFile);

const service = await startTestService({ MAX_WAITS_PER_KEY: "1000" });
let site: Awaited<ReturnType<typeof startSite>>;
let enrollmentKey: string;

beforeAll(async () => {
  site = await startSite({ port: 0, smtp: { host: "127.0.0.1", port: service.smtpPort } });
  enrollmentKey = (await service.newOrganization({ maxMailboxes: 3 * RUNS, scopes: [...DEFAULT_SCOPES] }))
    .enrollmentKey;
});
afterAll(async () => {
  site.stop();
  await service.stop();
});

const settings = () => ({ url: service.url, enrollmentKey, site: { url: site.url, mailsFrom: "site.example" } });
const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

async function requestCode(email: string): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const { status } = await fetch(`${site.url}/sign-up`, { method: "POST", headers, body: JSON.stringify({ email }) });
  expect(status).toBe(202);
}

describe("the sign-up", () => {
  test(`${RUNS} concurrently: each gets its own code, and no other`, async () => {
    const results = await times(RUNS, async () => {
      const mailbox = await openMailbox(settings());
      return { email: mailbox.address, answer: await signUp(mailbox, settings().site) };
    });
    expect(new Set(results.map(({ email }) => email)).size).toBe(RUNS);
    for (const { email, answer } of results) expect(answer).toEqual({ email, confirmed: true, refused: 0 });
  });

  test(`${RUNS} concurrently, with the code of an earlier sign-up in the mailbox: no stale code is tried`, async () => {
    const results = await times(RUNS, async () => {
      const mailbox = await openMailbox(settings());
      const { mail, address: addr } = mailbox;
      await requestCode(addr);
      await mail.messages.wait.mutate({ addr, after: LONG_AGO, timeout_seconds: 60 });
      return { email: addr, answer: await signUp(mailbox, settings().site) };
    });
    for (const { email, answer } of results) expect(answer).toEqual({ email, confirmed: true, refused: 0 });
  });

  test("an earlier code that is late: it is refused, and the next one is taken", async () => {
    const answers = await times(20, async () => {
      const mailbox = await openMailbox(settings());
      await requestCode(mailbox.address);
      return signUp(mailbox, settings().site);
    });
    for (const answer of answers) expect(answer).toMatchObject({ confirmed: true });
  });

  test("one agent, twice with the same mailbox: the second run does not take the code of the first", async () => {
    const mailbox = await openMailbox(settings());
    for (let run = 0; run < 5; run += 1) {
      expect(await signUp(mailbox, settings().site)).toEqual({ email: mailbox.address, confirmed: true, refused: 0 });
    }
  });
});

/** The shell commands, as in the README. */
const commands = async () => {
  const text = await readFile(join(PROJECT, "examples/README.md"), "utf8");
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, command]) => command as string);
};

const forTest = (command = "") =>
  command.replaceAll("http://127.0.0.1:3000", service.url).replaceAll("http://127.0.0.1:4000", site.url);

describe("the README", () => {
  test("its two programs run, and end with the mailbox confirmed", async () => {
    const [siteCommand = "", agentCommand = ""] = await commands();
    const port = String(await freePort());
    const [program = "", ...args] = siteCommand.trim().split(" ");
    const ownSite = spawn(join(PROJECT, program), args, {
      cwd: PROJECT,
      env: { ...process.env, SITE_PORT: port, SMTP_PORT: String(service.smtpPort) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void ownSite.kill());
    const [greeting] = await once(ownSite.stdout, "data");
    expect(String(greeting)).toBe(`The site is at http://127.0.0.1:${port}\n`);
    const { stdout } = await run("sh", ["-c", agentCommand.replace("mb_enroll_…", enrollmentKey)], {
      cwd: PROJECT,
      env: { ...process.env, MAILBERTH_URL: service.url, SITE_URL: `http://127.0.0.1:${port}` },
    });
    expect(stdout).toMatch(/^\S+@mail\.example \{/);
    expect(stdout).toMatch(/confirmed: true,\s+refused: 0\s+}/);
  });

  test("its curl lines get the code", async () => {
    const script = forTest((await commands())[4]);
    const { stdout } = await run("bash", ["-ec", script], { env: { ...process.env, ENROLLMENT_KEY: enrollmentKey } });
    expect(stdout).toMatch(/"otp":"\d{6}"/);
  });

  test("its curl line follows the stream", async () => {
    const command = forTest((await commands())[5]);
    const { mail, address } = await openMailbox(settings());
    const { agent_key: KEY } = await service.enroll(enrollmentKey);
    const curl = spawn("bash", ["-c", `exec ${command}`], {
      env: { ...process.env, KEY },
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void curl.kill());
    let output = "";
    curl.stdout.setEncoding("utf8").on("data", (chunk) => {
      output += chunk;
    });
    await eventually(() => expect(output).toContain("retry: 1000"));
    await requestCode(address);
    const { message } = await mail.messages.wait.mutate({ addr: address, after: LONG_AGO });
    await eventually(() => expect(output).toContain(message?.id));
    expect(output).toMatch(/^id: evt_\w+\nevent: message.received\ndata: \{/m);
  });
});
