// systemd, nginx and Caddy accept the files of ops/, and systemd rates the unit as hardened.
import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const UNIT = join(ROOT, "ops/mailberth.service");
/** Of 10.0, which is a unit without any protection. systemd gives tenths, the option takes percent. */
const EXPOSURE_MAX_PERCENT = "20";
const RUNNABLE_MODE = 0o755;
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "mailberth-packages-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

test("systemd accepts the unit", async () => {
  const program = join(folder, "mailberth");
  await writeFile(program, "#!/bin/sh\n");
  await chmod(program, RUNNABLE_MODE);
  const installed = (await readFile(UNIT, "utf8")).replace("/opt/mailberth/node_modules/.bin/mailberth", program);
  const unit = join(folder, "mailberth.service");
  await writeFile(unit, installed);
  const { stdout, stderr } = await run("systemd-analyze", ["verify", unit]);
  expect(stdout + stderr).not.toContain("mailberth.service");
});

test("systemd rates the unit's exposure as low", async () => {
  const { stdout } = await run("systemd-analyze", [
    "security",
    "--offline=true",
    `--threshold=${EXPOSURE_MAX_PERCENT}`,
    UNIT,
  ]);
  expect(stdout).toMatch(/Overall exposure level for mailberth\.service: [01]\.\d OK/);
});

test("Caddy accepts the command of the guide", async () => {
  const { stdout } = await run("caddy", ["validate", "--adapter", "caddyfile", "--config", "ops/Caddyfile"], {
    cwd: ROOT,
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  expect(stdout).toContain("Valid configuration");
});
