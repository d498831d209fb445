// Every command in the guides on domains, deliverability, storage and backups works, pasted as it stands into a shell.
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { loadZoneFile, startDomains } from "#test/domains/rig.ts";
import { inboxPath } from "#test/support/api.ts";
import { createEmptyDatabase } from "#test/support/database.ts";
import { startS3 } from "#test/support/s3/start.ts";
import { newOwner } from "#test/support/team.ts";

const ROOT = join(import.meta.dirname, "../..");

const rig = await startDomains({ DEFAULT_DOMAIN: "mail.localhost" });
const { service, client, dns, zone } = rig;
const folder = await mkdtemp(join(tmpdir(), "mailberth-guides-"));
const { agentKey, organizationId } = await service.newOrganization({
  allowedDomains: ["mail.localhost"],
  scopes: [...DEFAULT_SCOPES],
});
/** As the guide on domains says. */
const manager = await service.newEnrollment(organizationId, { scopes: [...DEFAULT_SCOPES, "domain:manage"] });
afterAll(async () => {
  await rig.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The blocks of a guide after the first one, which sets the variables of all. */
async function blocksOf(guide: string, key = agentKey): Promise<string[]> {
  const text = await readFile(join(ROOT, "docs/guides", guide), "utf8");
  const [variables = "", ...blocks] = [...text.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, block = ""]) => block);
  const own = variables.replace("http://127.0.0.1:3000", service.url).replace("mb_agent_…", key);
  expect(own).not.toBe(variables);
  return blocks.map((block) => own + block.replace("--organization Acme", `--organization ${organizationId}`));
}

/** @returns its standard output */
async function run(script: string, settings: Record<string, string> = {}): Promise<string> {
  const { DATA_DIR, DEFAULT_DOMAIN, SMTP_HOSTNAME } = service.settings;
  const environment = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    DATA_DIR,
    DEFAULT_DOMAIN,
    SMTP_HOSTNAME,
    DATABASE_URL: service.database.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    DNS_SERVERS: dns.address,
    ...settings,
  };
  const cwd = script.includes("npm run") ? ROOT : folder;
  const { stdout } = await promisify(execFile)("bash", ["-ec", script], { cwd, env: environment });
  expect(stdout).not.toContain('"error":{');
  return stdout;
}

it("domains.md: a domain is added, verified, rotated and deleted", async () => {
  const [add = "", download = "", verify = "", get = "", all = "", rotate = "", remove = "", operators = "", ...more] =
    await blocksOf("domains.md", manager.agentKey);
  expect(more).toEqual([]);
  expect(await run(add)).toContain('"status":"pending"');
  await run(download);
  loadZoneFile(zone, await readFile(join(folder, "acme.example.zone"), "utf8"));
  expect(await run(verify)).toContain('"status":"verified"');
  expect(await run(get)).toContain('"sending":{"status":"ready","reason":null}');
  const owner = await newOwner(service, organizationId);
  const wish = { name: "x", max_mailboxes: 10, allowed_domains: ["acme.example"] };
  const { agent_key: key } = await service.enroll((await owner.trpc.keys.issue.mutate(wish)).key);
  await client.createInbox(key, { username: "all", domain: "acme.example" });
  expect(await run(all)).toContain('"address":"all@acme.example"');
  expect(await run(get)).toContain('"catch_all":"all@acme.example"');
  await client.delete(inboxPath("all@acme.example"), { key });
  expect(await run(rotate)).toContain("mb2._domainkey.acme.example");
  expect(await run(remove)).toContain('"deleted":true');
  const output = await run(operators);
  expect(output).toContain("agents.acme.example");
  expect(output).toContain("_domainkey.mail.localhost");
});

it("deliverability.md: outcomes, events, suppressions and the cap are there", async () => {
  const [send = "", events = "", suppressions = "", unsubscribe = "", headers = "", limit = "", ...more] =
    await blocksOf("deliverability.md");
  expect(more).toEqual([]);
  expect(await run(send)).toContain('"recipients":[{"address":"joe@example.org"');
  expect(await run(events)).toContain('"message.bounced"');
  const listed = await run(suppressions);
  expect(listed).toContain('"reason":"asked by phone"');
  expect(listed).toContain('"deleted":true');
  expect(await run(unsubscribe)).toContain('"status":"queued"');
  expect(await run(headers)).toContain('"status":"queued"');
  expect(await run(limit)).toContain('"used":3');
});

it("storage.md: content is moved to S3, and objects are swept", async () => {
  const guide = await readFile(join(ROOT, "docs/guides/storage.md"), "utf8");
  const [move = "", sweep = "", ...more] = [...guide.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, block = ""]) => block);
  expect(more).toEqual([]);
  const s3 = await startS3();
  try {
    expect(await run(move, s3.settings)).toMatch(/moved +\d+\nunreadable +0/);
    expect(await run(sweep, s3.settings)).toMatch(/objects +\d+\nunreferenced +0\nremoved +0\nwaiting +0/);
    expect(await run(move.replace("s3", "postgres"), s3.settings)).toMatch(/moved +\d+/);
  } finally {
    await s3.stop();
  }
});

it("backup.md: a backup is made and restored", async () => {
  const guide = await readFile(join(ROOT, "docs/guides/backup.md"), "utf8");
  const [variables = "", ...blocks] = [...guide.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, block = ""]) => block);
  const own = variables.replace("/var/backups", folder);
  const database = await createEmptyDatabase();
  const [backup = "", restore = "", move = "", take = "", ...more] = blocks;
  expect(more).toEqual([]);
  expect(await run(own + backup)).toMatch(/rows +\d+/);
  expect(await run(own + restore.replace("postgres://user:password@db.example/new", database.url))).toMatch(
    /rows +\d+/,
  );
  await database.drop();
  const other = await createEmptyDatabase();
  await run("npm run -s admin -- organizations create --name Acme");
  const moved = move.replaceAll("/var/backups", folder);
  expect(await run(moved)).toMatch(/organization +Acme/);
  const variable = moved.split("\n", 1);
  expect(await run(`${variable}\n${take.replace("postgres://user:password@db.example/other", other.url)}`)).toMatch(
    /rows +\d+/,
  );
  await other.drop();
});
