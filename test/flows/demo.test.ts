// `npm run demo` as a person runs it: it tells every step, ends with 0 only when all passed, and leaves nothing behind.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const PROJECT = fileURLToPath(new URL("../..", import.meta.url));
const DEMO_MAX_MS = 120_000;
const FOLDER_MODE = 0o755;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mailberth-demo-test-"));
  await chmod(folder, FOLDER_MODE);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** @param watch is given the output so far whenever there is more of it, and may signal the process */
async function runDemo(
  temporary: string,
  watch: (output: string, signal: (name: NodeJS.Signals) => void) => void,
  options: string[] = [],
) {
  const child = spawn(process.execPath, ["client/demo/run.ts", ...options], {
    cwd: PROJECT,
    env: { ...process.env, TMPDIR: temporary, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: string) => {
    output += chunk;
    watch(output, (name) => child.kill(name));
  };
  child.stdout.setEncoding("utf8").on("data", keep);
  child.stderr.setEncoding("utf8").on("data", keep);
  const [code] = await once(child, "close");
  return { code, output };
}

test(
  "passes every step and verifies both webhooks",
  async () => {
    const { code, output } = await runDemo(folder, () => {});
    expect(output).toMatch(/All 13 steps passed in \d+ ms/);
    expect(code).toBe(0);
    expect(output.match(/^ +\d+ {2,}\S.* \d+ ms$/gm)).toHaveLength(13);
    expect(output.match(/verified by verifyWebhook and by Stripe's SDK/g)).toHaveLength(2);
    expect(await readdir(folder)).toEqual([]);
  },
  DEMO_MAX_MS,
);

test(
  "pays for two mailboxes with --paid, and shows each transaction and the balances",
  async () => {
    const { code, output } = await runDemo(folder, () => {}, ["--paid"]);
    expect(output).toMatch(/All 14 steps passed in \d+ ms/);
    expect(code).toBe(0);
    expect(output).toContain("POST /v1/inboxes → 402, PAYMENT-REQUIRED: network=eip155:84532; asset=0x");
    expect(new Set(output.match(/transaction 0x[0-9a-f]{64}/g)).size).toBe(2);
    expect(output).toContain("payer 1.000000 USDC, service 0.000000 USDC");
    expect(output).toContain("payer 0.800000 USDC, service 0.200000 USDC");
    expect(await readdir(folder)).toEqual([]);
  },
  DEMO_MAX_MS,
);

test(
  "ends with 1 at an option that it does not know",
  async () => {
    const { code, output } = await runDemo(folder, () => {}, ["--free"]);
    expect(output).toContain("Usage: npm run demo [-- --paid]");
    expect(code).toBe(1);
  },
  DEMO_MAX_MS,
);

test(
  "ends with 1 when it is interrupted, and stops its service",
  async () => {
    let signalled = false;
    const { code, output } = await runDemo(folder, (soFar, signal) => {
      if (signalled || !soFar.includes("POST /v1/enroll")) return;
      signalled = true;
      signal("SIGINT");
    });
    expect(output).toContain("Interrupted by SIGINT");
    expect(output).toContain("SIGTERM → exit 0");
    expect(output).not.toContain("steps passed");
    expect(code).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  },
  DEMO_MAX_MS,
);

test(
  "ends with 1 and names the step that failed",
  async () => {
    const { code, output } = await runDemo(join(folder, "missing"), () => {});
    expect(output).toMatch(/Step 1 failed: ENOENT/);
    expect(code).toBe(1);
  },
  DEMO_MAX_MS,
);
