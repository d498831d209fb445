// `mailberth import`: mail from mbox files, single files and another account, also after the command was killed.
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createClient } from "#client/index.ts";
import { size } from "#test/sizes.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { startTestService } from "#test/support/service.ts";

const IMPORT_MAX_MS = 900_000;
const WAITED = { timeout: IMPORT_MAX_MS, interval: 100 };
const GUIDE = join(import.meta.dirname, "../../../docs/guides/moving.md");

const service = await startTestService({ COMPAT_APIS: "agentmail" });
const config = await configFolder();
const folder = await mkdtemp(join(tmpdir(), "mailberth-import-"));
afterAll(async () => {
  await service.stop();
  await config.remove();
  await rm(folder, { recursive: true, force: true });
});

async function newAccount(allowedDomains?: string[]) {
  const { agentKey: key } = await service.newOrganization({ allowedDomains });
  const client = createClient({ url: service.url, key });
  const environment = { MAILBERTH_URL: service.url, MAILBERTH_KEY: key };
  const { address } = await client.inboxes.create.mutate({ domain: allowedDomains?.[0] });
  const all = async (addr = address) => {
    const found = [];
    for (let cursor: string | undefined; ; ) {
      const page = await client.messages.list.query({ addr, limit: 100, cursor });
      found.push(...page.data);
      if (page.next_cursor === null) return found;
      cursor = page.next_cursor;
    }
  };
  return { key, client, address, environment, command: commandIn(config.path, environment), all };
}

const mailOf = (n: number, text = "Hello", more: string[] = []) =>
  [
    "From: Ann <ann@shop.example>",
    `Subject: Mail ${n}`,
    `Date: Tue, 5 Mar 2019 10:${String(n % 60).padStart(2, "0")}:00 +0000`,
    `Message-ID: <${n}@old.example>`,
    ...more,
    "",
    text,
    "",
  ].join("\n");
const boxOf = (mails: string[]) =>
  mails.map((mail) => `From ann@shop.example Tue Mar  5 10:00:00 2019\n${mail}\n`).join("");

test("an mbox of Python's library is imported as it was, with quoted lines", async () => {
  const { command, client, all, address } = await newAccount();
  const path = join(folder, "python.mbox");
  const program = `
import mailbox, sys
box = mailbox.mbox(sys.argv[1])
for n in range(3):
    box.add("Subject: Mail %d\\nFrom: ann@shop.example\\n\\nFirst\\n\\nFrom here on\\n>From there\\n\\n" % n)
box.flush()`;
  const { status, stderr } = spawnSync("python3", ["-c", program, path], { encoding: "utf8" });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const ended = await command.run(["import", "mbox", address, path]);
  expect(ended).toMatchObject({ code: 0, stdout: '{"imported":3,"repeated":0,"skipped":0}\n' });
  expect(ended.stderr).toContain("3 imported, 0 already there, 0 not imported");
  const [newest] = await all();
  expect(newest).toMatchObject({ imported: true, read: true });
  const { text } = await client.messages.get.query({ id: newest?.id ?? "" });
  expect(text).toContain("First\n\nFrom here on\n");
});

test("a line that no program quoted separates only with a date", async () => {
  const { command, all, address } = await newAccount();
  const path = join(folder, "unquoted.mbox");
  await writeFile(path, boxOf([mailOf(1, "One\n\nFrom now on, write to Bob"), mailOf(2)]));
  expect(await command.run(["import", "mbox", address, path])).toMatchObject({ code: 0 });
  expect((await all()).map(({ subject }) => subject)).toEqual(["Mail 2", "Mail 1"]);
});

test(
  "a run that was killed is repeated without a loss or a double",
  async () => {
    const { command, all, address } = await newAccount();
    const count = size("IMPORTED_MAILS");
    const path = join(folder, "killed.mbox");
    await writeFile(path, boxOf(Array.from({ length: count }, (_, n) => mailOf(n))));
    const kills = size("IMPORT_KILLS");
    for (let kill = 1; kill <= kills; kill += 1) {
      const { child, ended } = command.start(["import", "mbox", address, path]);
      const least = (count / (kills + 2)) * kill;
      await expect.poll(async () => (await all()).length, WAITED).toBeGreaterThan(least);
      child.kill("SIGKILL");
      expect((await ended).signal).toBe("SIGKILL");
    }
    const again = await command.run(["import", "mbox", address, path]);
    const { imported, repeated, skipped } = JSON.parse(again.stdout);
    expect([again.code, imported + repeated, skipped]).toEqual([0, count, 0]);
    expect(repeated).toBeGreaterThan(20);
    const subjects = (await all()).map(({ subject }) => subject);
    expect([subjects.length, new Set(subjects).size]).toEqual([count, count]);
  },
  IMPORT_MAX_MS,
);

test("a mail that is too large is named, and the others are imported", async () => {
  const { command, all, address } = await newAccount();
  const path = join(folder, "large.mbox");
  await writeFile(path, boxOf([mailOf(1), mailOf(2, `${"x".repeat(998)}\n`.repeat(27_000)), mailOf(3)]));
  const ended = await command.run(["import", "mbox", address, path]);
  expect(ended).toMatchObject({ code: 1, stdout: '{"imported":2,"repeated":0,"skipped":1}\n' });
  expect(ended.stderr).toContain(`${path}: mail 2": It is larger than 26214400 bytes.`);
  expect(await all()).toHaveLength(2);
});

test("folders are read to the end, and no symbolic link is followed", async () => {
  const { command, all, address } = await newAccount();
  const root = join(folder, "mails");
  await mkdir(join(root, "old/cur"), { recursive: true });
  await writeFile(join(root, "1.eml"), mailOf(1));
  await writeFile(join(root, "old/2.EML"), mailOf(2));
  await writeFile(join(root, "old/cur/1551780000.M1.host:2,S"), mailOf(3));
  await writeFile(join(root, "notes.txt"), mailOf(4));
  await writeFile(join(folder, "secret"), mailOf(5));
  await symlink(join(folder, "secret"), join(root, "link.eml"));
  await symlink(folder, join(root, "folder"));
  const ended = await command.run(["import", "eml", address, root]);
  expect(ended).toMatchObject({ code: 0, stdout: '{"imported":3,"repeated":0,"skipped":0}\n' });
  expect(ended.stderr).toContain("link.eml");
  expect((await all()).map(({ subject }) => subject)).toEqual(["Mail 3", "Mail 2", "Mail 1"]);
});

test("what is no mbox, no file and no mailbox is refused", async () => {
  const { command, address } = await newAccount();
  const path = join(folder, "no.mbox");
  await writeFile(path, mailOf(1));
  const results = [
    await command.run(["import", "mbox", address, path]),
    await command.run(["import", "mbox", address, join(folder, "none")]),
    await command.run(["import", "eml", address, join(folder, "none")]),
    await command.run(["import", "eml", "nobody-here@mail.example", path]),
    await command.run(["import", "agentmail"]),
  ];
  expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 4, 2]);
  expect(results.map(({ stderr }) => stderr).join()).not.toMatch(/\n\s+at /);
});

test("an AgentMail account is copied with names, labels, read marks and threads", async () => {
  const old = await newAccount();
  await old.client.inboxes.update.mutate({ addr: old.address, display_name: "Desk" });
  for (const [n, more] of [
    [1, []],
    [2, ["In-Reply-To: <1@old.example>", "References: <1@old.example>"]],
  ] as const) {
    await service.mail({ from: "ann@shop.example", to: old.address, raw: mailOf(n, "Hello", [...more]) });
    await expect.poll(async () => (await old.all()).length).toBe(n);
  }
  const [, first] = await old.all();
  await old.client.messages.update.mutate({ id: first?.id ?? "", read: true, add_labels: ["orders"] });
  const moved = await newAccount(["moved.example"]);
  const command = commandIn(config.path, { ...moved.environment, AGENTMAIL_API_KEY: old.key });
  const args = ["import", "agentmail", "--from", `${service.url}/compat/agentmail`];
  const refused = await command.run(args);
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringContaining("--domain")]);
  const ended = await command.run([...args, "--domain", "moved.example"]);
  expect(ended).toMatchObject({ code: 0, stdout: '{"imported":2,"repeated":0,"skipped":0}\n' });
  const addr = `${old.address.split("@")[0]}@moved.example`;
  expect(await moved.client.inboxes.get.query({ addr })).toMatchObject({ display_name: "Desk" });
  const [later, earlier] = await moved.all(addr);
  expect([later, earlier]).toMatchObject([
    { subject: "Mail 2", read: false, labels: [], thread_id: earlier?.thread_id },
    { subject: "Mail 1", read: true, labels: ["orders"], imported: true },
  ]);
  const again = await command.run([...args, "--domain", "moved.example"]);
  expect(again).toMatchObject({ code: 0, stdout: '{"imported":0,"repeated":2,"skipped":0}\n' });
  // Mail that has not left has no raw mail there.
  const send_at = new Date(Date.now() + 3_600_000).toISOString();
  await old.client.messages.send.mutate({ addr: old.address, to: "ann@shop.example", text: "Yes", send_at });
  const third = await command.run([...args, "--domain", "moved.example"]);
  expect([third.code, third.stdout]).toEqual([1, '{"imported":0,"repeated":2,"skipped":1}\n']);
});

test("the commands of the guide succeed", async () => {
  const { environment, key, address, all } = await newAccount(["guide.example"]);
  await mkdir(join(folder, "guide/mails"), { recursive: true });
  await writeFile(join(folder, "guide/export.mbox"), boxOf([mailOf(1)]));
  await writeFile(join(folder, "guide/one.eml"), mailOf(2));
  await writeFile(join(folder, "guide/mails/3.eml"), mailOf(3));
  const guide = await readFile(GUIDE, "utf8");
  const section = guide.split("## Copy mail that is there")[1]?.split("\n## ")[0] ?? "";
  const script = [...section.matchAll(/```sh\n([\s\S]+?)```/g)].map(([, block]) => block).join("");
  const here = script
    .replaceAll("desk@mail.example.com", address)
    .replaceAll("mail.example.com", "guide.example")
    .replaceAll("http://127.0.0.1:3000", service.url)
    .replaceAll("https://api.agentmail.to", `${service.url}/compat/agentmail`)
    .replaceAll("am_example", key);
  const main = join(import.meta.dirname, "../../../client/command/main.ts");
  const shell = commandIn(config.path, { ...environment, KEY: key, NODE: process.execPath, MAIN: main }, [
    "bash",
    "-ec",
    `mailberth() { "$NODE" "$MAIN" "$@"; }\n${here}`,
  ]);
  const { child, ended } = shell.start([], { cwd: join(folder, "guide") });
  child.stdin.end();
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout.match(/"repeated":/g)).toHaveLength(4);
  expect(await all()).toHaveLength(3);
});

test("what an AgentMail inbox sent is copied too", async () => {
  const old = await newAccount();
  await old.client.messages.send.mutate({ addr: old.address, to: "ann@shop.example", subject: "Sent", text: "Hi" });
  await expect.poll(async () => (await old.all())[0]?.status).toBe("captured");
  const moved = await newAccount(["moved2.example"]);
  const command = commandIn(config.path, { ...moved.environment, AGENTMAIL_API_KEY: old.key });
  const args = ["--from", `${service.url}/compat/agentmail`, "--domain", "moved2.example"];
  const ended = await command.run(["import", "agentmail", ...args]);
  expect(ended).toMatchObject({ code: 0, stdout: '{"imported":1,"repeated":0,"skipped":0}\n' });
  const [copy] = await moved.all(`${old.address.split("@")[0]}@moved2.example`);
  expect(copy).toMatchObject({ subject: "Sent", from: old.address, to: ["ann@shop.example"], read: true });
});
