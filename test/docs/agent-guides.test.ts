// The guides for callers of the service: each command works, pasted as it stands into a shell.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

const ROOT = join(import.meta.dirname, "../..");
const GUIDE_MAX_MS = 120_000;
const run = promisify(execFile);
const service = await startTestService({ DEFAULT_DOMAIN: "mail.localhost", SEND_CAP_RAMP: "100" });
const receiver = await startReceiver();
const folder = await mkdtemp(join(tmpdir(), "mailberth-agent-guides-"));
const { agentKey, enrollmentKey } = await service.newOrganization({
  allowedDomains: ["mail.localhost"],
  scopes: [...DEFAULT_SCOPES],
});
afterAll(async () => {
  await service.stop();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
};

async function blocksOf(guide: string, language: string): Promise<string[]> {
  const text = await readFile(join(ROOT, "docs/guides", guide), "utf8");
  const blocks = [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]+?)\`\`\``, "g"))].map(
    ([, block = ""]) => block,
  );
  expect(blocks).not.toEqual([]);
  return blocks;
}

/** All blocks of a guide, in one shell; the output of each. */
async function runAll(guide: string): Promise<string[]> {
  const blocks = await blocksOf(guide, "sh");
  const script = blocks
    .join("\necho =====\n")
    .replaceAll("http://127.0.0.1:3000", service.url)
    .replaceAll("http://127.0.0.1:4000/hooks/mail", receiver.url)
    .replaceAll("127.0.0.1:2525", `127.0.0.1:${service.smtpPort}`)
    .replace("mb_enroll_…", enrollmentKey)
    .replace("mb_agent_…", agentKey);
  const { stdout } = await run("bash", ["-ec", script], { cwd: folder, env: environment });
  expect(stdout).not.toContain('"error":{');
  return stdout.split("=====\n");
}

const mail = (subject: string) => service.mail({ from: "no-reply@shop.example", to: "desk@mail.localhost", subject });
const createDesk = () =>
  fetch(`${service.url}/v1/inboxes`, {
    method: "POST",
    headers: { Authorization: `Bearer ${agentKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ username: "desk", client_id: "desk" }),
  });

it("quickstart.md: a code is read in curl, TypeScript and Python", { timeout: GUIDE_MAX_MS }, async () => {
  const [create = "", wait = "", send = ""] = await runAll("quickstart.md");
  expect(create).toContain('"address":"first@mail.localhost"');
  expect(wait).toContain('"otp":"482913"');
  expect(send).toContain('"status":"queued"');
  environment.MB = service.url;
  environment.KEY = agentKey;
  const [typescript = ""] = await blocksOf("quickstart.md", "ts");
  const client = join(ROOT, "client/index.ts");
  await writeFile(join(folder, "quick.ts"), typescript.replace("@mailberth/client", client));
  expect((await run(process.execPath, ["quick.ts"], { cwd: folder, env: environment })).stdout.trim()).toBe("731946");
  const [python = ""] = await blocksOf("quickstart.md", "python");
  expect((await run("python3", ["-c", python], { env: environment })).stdout.trim()).toBe("604182");
});

it("waiting.md: waits, cursors, claims, verifications and events answer", { timeout: GUIDE_MAX_MS }, async () => {
  await createDesk();
  await mail("Your code is 482913");
  const [, one = "", next = "", claim = "", verification = "", events = ""] = await runAll("waiting.md");
  expect(one).toContain('"otp":"482913"');
  expect(next).toContain('"timed_out":true');
  expect(claim).toContain('"timed_out":false');
  expect(verification).toContain('"wait_url":');
  expect(events).toContain('"event":"message.received"');
});

it("webhooks.md: a webhook is registered, tested, repeated and rotated", { timeout: GUIDE_MAX_MS }, async () => {
  await createDesk();
  await mail("Hello");
  const [, register = "", tested = "", filtered = "", included = "", replayed = "", retried = "", ...rest] =
    await runAll("webhooks.md");
  const [deliveries = "", rotated = ""] = rest;
  expect(register).toContain('"secret":"whsec_');
  expect(tested).toContain('"delivered":true');
  expect([filtered, included]).toEqual([expect.stringContaining("whsec_"), expect.stringContaining("whsec_")]);
  expect(replayed).toMatch(/"\w+":[1-9]/);
  expect(retried).toContain('"retried":0');
  expect(deliveries).toContain('"attempts":');
  expect(rotated).toContain('"secret":"whsec_');
  await eventually(() => expect(receiver.received.some(({ body }) => body.includes("Hello"))).toBe(true));
});

it("limits.md and troubleshooting.md: the commands answer", { timeout: GUIDE_MAX_MS }, async () => {
  expect((await runAll("limits.md")).join()).toContain('"used":0');
  expect((await runAll("troubleshooting.md")).join()).toContain("ok");
});
