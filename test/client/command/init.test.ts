// `mailberth init`: the settings for a domain, what DNS says of it, and what is never overwritten.
import { lstat, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { readSettings } from "#server/base/env.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { startDnsServer } from "#test/support/dns-server.ts";

const dns = await startDnsServer({
  "mail.agents.example": { A: ["192.0.2.7"] },
  "agents.example": {
    MX: [{ priority: 10, exchange: "mail.agents.example" }],
    TXT: [["v=spf1 a:mail.agents.example ~all"]],
  },
  "taken.example": {
    MX: [{ priority: 5, exchange: "mx.other.example" }],
    TXT: [["v=spf1 include:other.example ~all"]],
  },
});
const config = await configFolder();
afterAll(async () => {
  await dns.close();
  await config.remove();
});

async function newFolder() {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-init-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, ".env");
  const init = async (args: string[], servers = dns.address) => {
    const { child, ended } = commandIn(config.path, { DNS_SERVERS: servers }).start(["init", ...args], { cwd: folder });
    child.stdin.end();
    return ended;
  };
  return { folder, path, init };
}
type Result = { records: { type: string; name: string; status: string }[]; notes: string[]; next: string[] };

test("writes settings that the service takes, for their owner only, and says what DNS has", async () => {
  const { path, init } = await newFolder();
  const { code, stdout } = await init(["agents.example"]);
  expect(code).toBe(0);
  const { records, next, notes } = JSON.parse(stdout) as Result;
  expect(records.map(({ type, name, status }) => `${type} ${name} ${status}`)).toEqual([
    "A mail.agents.example found",
    "MX agents.example found",
    "TXT agents.example found",
    "MX bounce.agents.example missing",
    "TXT bounce.agents.example missing",
    "TXT _dmarc.agents.example missing",
    "TXT _smtp._tls.agents.example missing",
  ]);
  expect(next).toEqual(["mailberth start", "mailberth admin domains check"]);
  expect(notes.join()).not.toContain("another service");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const settings = readSettings(parseEnv(await readFile(path, "utf8")));
  expect(settings).toMatchObject({ DEFAULT_DOMAIN: "agents.example", SMTP_HOSTNAME: "mail.agents.example" });
  expect(settings.METRICS_TOKEN).toMatch(/^[0-9a-f]{64}$/);
});

test("changes nothing in a second run, and with --force only its own lines", async () => {
  const { path, init } = await newFolder();
  await init(["agents.example"]);
  const before = await readFile(path, "utf8");
  const second = await init(["other.example"]);
  expect([second.code, second.stdout]).toEqual([5, ""]);
  expect(second.stderr).toContain("DEFAULT_DOMAIN=agents.example");
  expect(second.stderr).not.toContain(parseEnv(before).METRICS_TOKEN);
  expect(await readFile(path, "utf8")).toBe(before);
  await writeFile(path, `# mine\nENCRYPTION_KEY=secret\n${before}PORT=4000\n`);
  expect((await init(["other.example", "--host", "mx.other.example", "--force"])).code).toBe(0);
  const after = await readFile(path, "utf8");
  expect(after).toContain("# mine\nENCRYPTION_KEY=secret\n");
  expect(parseEnv(after)).toEqual({
    ...parseEnv(before),
    ENCRYPTION_KEY: "secret",
    PORT: "4000",
    PUBLIC_URL: "https://mx.other.example",
    DEFAULT_DOMAIN: "other.example",
    SMTP_HOSTNAME: "mx.other.example",
  });
});

test("says that another service has the domain, and how to move or to use a subdomain", async () => {
  const { init } = await newFolder();
  const { code, stdout } = await init(["taken.example"]);
  const { records, notes } = JSON.parse(stdout) as Result;
  expect([code, records[1]?.status, records[2]?.status]).toEqual([0, "other", "other"]);
  expect(notes[0]).toMatch(/mx\.other\.example.*mailberth init agents\.taken\.example.*without a gap/);
  expect(notes[1]).toContain("a:mail.taken.example");
});

test("says offline what could not be checked", async () => {
  const { path, init } = await newFolder();
  const { code, stdout } = await init(["agents.example"], "127.0.0.1:9");
  const { records, notes } = JSON.parse(stdout) as Result;
  expect([code, new Set(records.map(({ status }) => status))]).toEqual([0, new Set(["unknown"])]);
  expect(notes[0]).toContain("no answer for 7 of 7 records");
  expect(parseEnv(await readFile(path, "utf8")).DEFAULT_DOMAIN).toBe("agents.example");
});

test("refuses what is no domain, and writes through no link", async () => {
  const { folder, path, init } = await newFolder();
  for (const bad of ["localhost", "a b.example", "agents.example\nPORT=1", "https://agents.example", "-x.example"]) {
    expect((await init(["--", bad])).code).toBe(2);
  }
  await symlink(join(folder, "elsewhere"), path);
  expect((await init(["agents.example"])).code).toBe(1);
  expect((await lstat(path)).isSymbolicLink()).toBe(true);
  await expect(stat(join(folder, "elsewhere"))).rejects.toThrow("ENOENT");
});

test("prints a table on request", async () => {
  const { init } = await newFolder();
  const { stdout } = await init(["agents.example", "--no-json"]);
  expect(stdout).toMatch(/^Wrote \.env\./);
  expect(stdout).toContain("missing  MX    bounce.agents.example      10 mail.agents.example");
  expect(stdout).toMatch(/Next:\n {2}mailberth start\n/);
});
