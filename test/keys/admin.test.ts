// The operators' command beside a running service: each of its commands in this process, each kind of end as a process.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { runCommand } from "#server/admin.ts";
import { SCOPES } from "#server/base/context.ts";
import { api } from "#test/support/api.ts";
import { PRELOAD } from "#test/support/process.ts";
import { turnOn } from "#test/support/second-factor.ts";
import { startTestService } from "#test/support/service.ts";
import { cookiesOf, newOwner, PASSWORD, post, sessionClient } from "#test/support/team.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const ID = "01jd3m9v5sf0b8j3mgz7qk2x4c";
const DAY_MS = 86_400_000;
const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Outcome = { code: number | null; stdout: string; stderr: string };

function environmentOf(more: Record<string, string>) {
  const { PATH = "", HOME = "" } = process.env;
  const { DATA_DIR, DEFAULT_DOMAIN } = service.settings;
  return {
    NODE_ENV: "test" as const,
    PATH,
    HOME,
    DATA_DIR,
    DEFAULT_DOMAIN,
    DATABASE_URL: service.database.url,
    ...more,
  };
}

/** The command in this process, which spares the start of one. */
async function run(args: string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const [stdout, stderr] = [[] as string[], [] as string[]];
  const code = await runCommand(args, {
    environment: environmentOf(environment),
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

/** The command as operators call it. */
function runProcess(args: string[]): Promise<Outcome> {
  const child = spawn(process.execPath, [...PRELOAD, "server/admin.ts", ...args], {
    cwd: ROOT,
    env: environmentOf({}),
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output.stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, ...output }));
  });
}

type Row = Record<string, unknown> & { id: string; key: string; data: Row[] };

/** What the command prints with --json, which must be one object and nothing else. */
async function admin(...args: string[]): Promise<Row> {
  const { code, stdout, stderr } = await run([...args, "--json"]);
  expect([args.join(" "), code, stderr]).toEqual([args.join(" "), 0, ""]);
  expect(stdout.trimEnd()).not.toContain("\n");
  return JSON.parse(stdout);
}
const split = (line: string) => line.split(" ");
const me = (key: string) => client.get<Record<string, unknown>>("/v1/auth/me", { key });

const acme = await run(["organizations", "create", "--name", "Acme", "--json"]).then(({ stdout }) =>
  JSON.parse(stdout),
);
const issued = await run([
  ...split(`enrollment-keys issue --organization Acme --max-mailboxes 5 --scopes ${SCOPES.join(",")}`),
  "--json",
]).then(({ stdout }) => JSON.parse(stdout) as Row);
const agentKey = (await service.enroll(issued.key)).agent_key;

describe("people", () => {
  test("an owner link makes an owner, once", async () => {
    const made = await admin(...split("organizations create --name Peopled"));
    const { link } = await admin("organizations", "owner-link", "Peopled");
    const token = String(link).split("/join#")[1];
    const joining = { token, name: "Olive", email: "olive@people.example", password: PASSWORD };
    expect((await post(service, "/trpc/team.join", joining)).status).toBe(200);
    expect((await post(service, "/trpc/team.join", joining)).status).toBe(404);
    const owners = await service.system.sql`
      select u.email from members m join users u on u.id = m.user_id join organizations o on o.id = m.organization_id
      where o.name = 'Peopled' and m.role = 'owner'`;
    expect([made.name, owners.map(({ email }) => email)]).toEqual(["Peopled", ["olive@people.example"]]);
  });

  test("a second factor is reset, and required no more", async () => {
    const { id, name } = await admin("organizations", "create", "--name", "Locked");
    const owner = await newOwner(service, String(id));
    await turnOn(owner, () => new Date());
    expect(await admin("organizations", "update", String(name), "--second-factor", "on")).toMatchObject({
      require_second_factor: true,
    });
    const { email } = owner;
    expect(await admin("accounts", "reset-second-factor", email)).toEqual({ email });
    const signedIn = await post(service, "/auth/sign-in/email", { email, password: PASSWORD });
    const me = () => sessionClient(service, cookiesOf(signedIn)).team.me.query();
    await expect(me()).rejects.toMatchObject({ data: { error: { code: "second_factor_missing" } } });
    await admin("organizations", "update", String(name), "--second-factor", "off");
    expect((await me()).user.email).toBe(email);
  });

  test("a reset link sets a new password, once", async () => {
    const { email } = await newOwner(service, acme.id);
    const { link } = await admin("accounts", "reset-link", email);
    const token = new URL(String(link)).searchParams.get("token");
    const reset = () => post(service, "/auth/reset-password", { token, newPassword: "another horse battery" });
    expect((await reset()).status).toBe(200);
    expect((await reset()).status).toBe(400);
    const signIn = (password: string) => post(service, "/auth/sign-in/email", { email, password });
    expect([(await signIn(PASSWORD)).status, (await signIn("another horse battery")).status]).toEqual([401, 200]);
  });
});

describe("organizations", () => {
  test("create gives id and name; list has it", async () => {
    expect(acme).toEqual({
      id: expect.stringMatching(/^org_/),
      name: "Acme",
      owner_emails: [],
      paid_provisioning: false,
      require_company_sign_in: false,
      require_second_factor: false,
    });
    const { data } = await admin("organizations", "list");
    expect(data).toContainEqual({ ...acme, created_at: expect.stringMatching(/Z$/) });
  });

  test("paid provisioning is switched on and off, alone or with the owners", async () => {
    const made = await admin(...split("organizations create --name Paying"));
    const on = await admin(...split("organizations update Paying --paid-provisioning on --owner x@y.example"));
    expect(on).toEqual({ ...made, owner_emails: ["x@y.example"], paid_provisioning: true });
    const off = await admin("organizations", "update", made.id, "--paid-provisioning", "off");
    expect(off).toEqual({ ...on, paid_provisioning: false });
  });

  test("--review and --review-ttl say which messages of agents wait, and how long", async () => {
    const { id } = await admin(...split("organizations create --name Reviewed"));
    const all = await admin(...split("organizations update Reviewed --review all"));
    expect(all).toEqual({ id, review: "all", review_ttl_seconds: 259_200 });
    const short = await admin("organizations", "update", id, "--review-ttl", "24h");
    expect(short).toEqual({ id, review: "all", review_ttl_seconds: 86_400 });
    const first = await admin(...split("organizations update Reviewed --review first_contact --owner x@y.example"));
    expect(first).toMatchObject({ owner_emails: ["x@y.example"], review: "first_contact", review_ttl_seconds: 86_400 });
  });

  test("owners are named when it is created, replaced by update, by id or name, and taken away", async () => {
    const owners = "a@b.example, c@d.example,a@b.example";
    const made = await admin(...split("organizations create --name Owned --owner"), owners);
    expect(made).toMatchObject({ name: "Owned", owner_emails: ["a@b.example", "c@d.example"] });
    const changed = await admin(...split("organizations update Owned --owner x@y.example"));
    expect(changed).toEqual({ ...made, owner_emails: ["x@y.example"] });
    expect(await admin("organizations", "update", made.id, "--owner", "")).toEqual({ ...changed, owner_emails: [] });
  });
});

describe("enrollment-keys", () => {
  test("issue gives the key; without --allowed-domains the default domain alone", async () => {
    expect(issued).toMatchObject({
      id: expect.stringMatching(/^ekey_/),
      key: expect.stringMatching(/^mb_enroll_/),
      max_mailboxes: 5,
      used_count: 0,
      allowed_domains: ["mail.example"],
      expires_at: null,
    });
  });

  test("issue with everything, for an organization named by id; list shows no secret; revoke acts", async () => {
    const [full, none] = await Promise.all([
      admin(
        "enrollment-keys",
        "issue",
        "--organization",
        acme.id,
        ...split("--max-mailboxes 0 --name x --expires-in 30d"),
        "--allowed-domains",
        "a.example, *.Bücher.example",
      ),
      admin(...split("enrollment-keys issue --organization Acme --max-mailboxes 1 --expires-in 2h")),
    ]);
    expect(full).toMatchObject({
      name: "x",
      max_mailboxes: 0,
      allowed_domains: ["a.example", "*.xn--bcher-kva.example"],
    });
    expect(Math.abs(Date.parse(String(full.expires_at)) - Date.now() - 30 * DAY_MS)).toBeLessThan(DAY_MS / 24);
    const listed = await run(["enrollment-keys", "list", "--json"]);
    const { data } = JSON.parse(listed.stdout) as Row;
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([issued.id, full.id, none.id]));
    expect(listed.stdout).not.toContain("mb_enroll_");
    expect(data[0]).not.toHaveProperty("key");
    const enrolled = (await service.enroll(none.key)).agent_key;
    expect(await admin("enrollment-keys", "revoke", none.id)).toMatchObject({
      id: none.id,
      revoked_at: expect.any(String),
    });
    await expect.poll(async () => (await me(enrolled)).status).toBe(401);
  });
});

describe("agent-keys", () => {
  test("issue with the enrollment key's scopes, or some, for some inboxes; list shows no secret; revoke acts", async () => {
    const inbox = await client.createInbox(agentKey);
    const [all, some] = await Promise.all([
      admin("agent-keys", "issue", "--enrollment-key", issued.id, "--handle", "bot"),
      admin(
        "agent-keys",
        "issue",
        "--enrollment-key",
        issued.id,
        ...split("--handle reader --scopes mailbox:read,mailbox:send --expires-in 10m"),
        "--inboxes",
        inbox.address.toUpperCase(),
      ),
    ]);
    expect(all).toEqual({
      id: expect.stringMatching(/^akey_/),
      agent_id: expect.stringMatching(/^agt_/),
      key: expect.stringMatching(/^mb_agent_/),
      scopes: SCOPES,
    });
    expect(some.scopes).toEqual(["mailbox:read", "mailbox:send"]);
    expect((await me(some.key)).body).toMatchObject({
      agent_handle: "reader",
      inboxes: [inbox.address],
      scopes: some.scopes,
    });
    expect((await me(all.key)).body.agent_id).toBe((await me(agentKey)).body.agent_id);
    const listed = await run(["agent-keys", "list", "--json"]);
    expect(listed.stdout).not.toContain("mb_agent_");
    expect((JSON.parse(listed.stdout) as Row).data.map(({ id }) => id)).toEqual(
      expect.arrayContaining([all.id, some.id]),
    );
    expect(await admin("agent-keys", "revoke", all.id)).toMatchObject({ id: all.id, revoked_at: expect.any(String) });
    await expect.poll(async () => (await me(all.key)).status).toBe(401);
    expect((await me(some.key)).status).toBe(200);
  });
});

describe("refusals: exit code, a line on stderr, nothing on stdout", () => {
  test.concurrent.each([
    [1, /Acme exists already/, "organizations create --name Acme"],
    [1, /owner: "missing" is not a mail address/, "organizations create --name Other --owner missing"],
    [1, /owner: "a@b@c" is not a mail address/, "organizations update Acme --owner a@b.example,a@b@c"],
    [
      1,
      /--owner, --paid-provisioning, --company-sign-in, --second-factor, --review or --review-ttl is needed/,
      "organizations update Acme",
    ],
    [1, /paid-provisioning: on or off/, "organizations update Acme --paid-provisioning yes"],
    [1, /company-sign-in: on or off/, "organizations update Acme --company-sign-in yes"],
    [1, /second-factor: on or off/, "organizations update Acme --second-factor yes"],
    [1, /review: none, first_contact, all/, "organizations update Acme --review some"],
    [1, /review-ttl: a number/, "organizations update Acme --review-ttl 31d"],
    [1, /no organization Missing/, "organizations update Missing --owner a@b.example"],
    [1, /no organization Missing/, "organizations owner-link Missing"],
    [1, /no account of missing@people.example/, "accounts reset-link missing@people.example"],
    [1, /no account of missing@people.example/, "accounts reset-second-factor missing@people.example"],
    [1, /no account of missing@people.example/, "accounts unlink-company missing@people.example"],
    [1, /no organization Missing/, "enrollment-keys issue --organization Missing --max-mailboxes 1"],
    [1, /max-mailboxes/, "enrollment-keys issue --organization Acme --max-mailboxes=-1"],
    [1, /not a domain name/, "enrollment-keys issue --organization Acme --max-mailboxes 1 --allowed-domains a..b"],
    [1, /expires-in/, "enrollment-keys issue --organization Acme --max-mailboxes 1 --expires-in soon"],
    [1, /no enrollment key/, `enrollment-keys revoke ekey_${ID}`],
    [1, /no enrollment key/, `agent-keys issue --enrollment-key ekey_${ID} --handle x`],
    [1, /none of mailbox:create/, `agent-keys issue --enrollment-key ${issued.id} --handle x --scopes mailbox:all`],
    [
      1,
      /no inbox missing@mail.example/,
      `agent-keys issue --enrollment-key ${issued.id} --handle x --inboxes missing@mail.example`,
    ],
    [1, /handle/, `agent-keys issue --enrollment-key ${issued.id} --handle=`],
    [1, /no agent key/, `agent-keys revoke akey_${ID}`],
    [1, /or pass --unparsed, not both/, `messages reparse msg_${ID} --unparsed`],
    [1, /or pass --unparsed/, "messages reparse"],
  ])("%i %s", async (code, message, line) => {
    const outcome = await run([...split(line), "--json"]);
    expect(outcome).toEqual({ code, stdout: "", stderr: expect.stringMatching(message) });
    expect(outcome.stderr).not.toMatch(/\n\s+at |select /);
  });

  test.concurrent.each([
    [0, /"name":"Acme"/, /^$/, "organizations list --json"],
    [1, /^$/, /^An organization named Acme exists already/, "organizations create --name Acme"],
    [2, /^$/, /Usage:/, "enrollment-keys"],
  ])("as a process: %i", async (code, stdout, stderr, line) => {
    const outcome = await runProcess(split(line));
    expect(outcome).toEqual({
      code,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(stderr),
    });
  });

  test("a bad setting is named", async () => {
    const bad = await run(["organizations", "list"], { DEFAULT_DOMAIN: "not a domain" });
    expect(bad).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining("DEFAULT_DOMAIN") });
  });

  test("without --json the output is for a person", async () => {
    const { stdout } = await run(["organizations", "list"]);
    expect(stdout).toMatch(/name\s+Acme/);
    const changed = await run(split("organizations update Acme --review-ttl 24h"));
    expect(changed.stdout).toMatch(/^review_ttl_seconds +86400$/m);
  });
});
