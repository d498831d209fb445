// What the commands print and save, and how they end when they are interrupted.

import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "#client/index.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const folder = await configFolder();
const PROFILE = join(folder.path, "mailberth/profile.json");
const command = commandIn(folder.path);
let inbox = "";

async function json(...args: string[]) {
  const { code, stdout, stderr } = await command.run(args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

beforeAll(async () => {
  const { enrollmentKey } = await service.newOrganization();
  const enrolled = await command.run(
    ["enroll", "-", "--url", `${service.url}/`, "--handle", "shell"],
    `${enrollmentKey}\n`,
  );
  expect(enrolled).toMatchObject({ code: 0, stderr: "" });
  expect(enrolled.stdout).not.toContain("mb_agent_");
  inbox = (await json("inboxes", "create", "--username", "command-line")).address;
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

describe("the profile", () => {
  test("is saved for its owner only", async () => {
    expect((await stat(PROFILE)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(PROFILE, "utf8"))).toEqual({
      url: service.url,
      key: expect.stringMatching(/^mb_agent_/),
    });
    expect(await json("whoami")).toMatchObject({ url: service.url, agent_handle: "shell" });
  });

  test("is refused when others can read it", async () => {
    await chmod(PROFILE, 0o640);
    onTestFinished(() => chmod(PROFILE, 0o600));
    const { code, stderr } = await command.run(["whoami"]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(`chmod 600 ${PROFILE}`) });
  });

  test("gives its key to its own service only", async () => {
    const { code, stderr } = await command.run(["whoami", "--url", service.url.replace("127.0.0.1", "localhost")]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("No agent key") });
  });
});

describe("mail", () => {
  test("is listed, searched, shown and answered", async () => {
    await service.mail({ from: "Ann <ann@else.example>", to: inbox, subject: "A quokka", text: "Hello" });
    const found = async () => (await json("messages", "search", "quokk", "--inbox", inbox)).data;
    await expect.poll(found).toHaveLength(1);
    const [{ id }] = await found();
    expect((await json("messages", "search", "quokka")).data[0]).toMatchObject({ id, inbox });
    expect((await json("messages", "list", "--from", "ann@else.example")).data).toHaveLength(1);
    expect((await json("messages", "list", inbox, "--unread", "--limit", "1")).data[0].id).toBe(id);
    expect(await json("messages", "get", id)).toMatchObject({ subject: "A quokka", from: "ann@else.example" });
    const replied = await command.run(["reply", id], "Thank you.\n");
    expect(JSON.parse(replied.stdout)).toMatchObject({ status: "queued" });
    const sent = await json("send", inbox, "--to", "a@else.example", "--to", "b@else.example", "--html", "<p>Hi</p>");
    expect(await json("messages", "get", sent.id)).toMatchObject({ to: ["a@else.example", "b@else.example"] });
  });

  test("carries files, small and large, by their names", async () => {
    const [small, large] = [join(folder.path, "small.txt"), join(folder.path, "large.pdf")];
    await writeFile(small, "small");
    await writeFile(large, Buffer.alloc(300_000, 7));
    const files = ["--attach", small, "--attach", large];
    const sent = await json("send", inbox, "--to", "a@else.example", "--text", "x", ...files);
    const attached = [
      { filename: "small.txt", content_type: "text/plain", size: 5 },
      { filename: "large.pdf", content_type: "application/pdf", size: 300_000 },
    ];
    expect(await json("messages", "get", sent.id)).toMatchObject({ attachments: attached });
    const repeated = ["send", inbox, "--to", "a@else.example", "--text", "x", ...files, "--idempotency-key", "files"];
    expect(await json(...repeated)).toEqual(await json(...repeated));
    const missing = await command.run(["send", inbox, "--to", "a@else.example", "--text", "x", "--attach", "gone.txt"]);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no file "gone.txt".') });
  });

  test("of a stranger does not control the terminal", async () => {
    const subject = "\u001b]0;owned\u0007\u009b31m\u202e";
    await service.mail({ from: "eve@else.example", to: inbox, subject: `mongoose ${subject}` });
    const search = ["messages", "search", "mongoose"];
    await expect.poll(async () => (await json(...search)).data).toHaveLength(1);
    for (const form of ["--json", "--no-json"]) {
      const { stdout } = await command.run([...search, form]);
      expect(stdout).toContain("mongoose");
      expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
    }
  });

  test("is waited for, with its code alone", async () => {
    const waiting = command.start(["wait", inbox, "--from", "shop.example", "--timeout", "60", "--code"]);
    await expect.poll(waiting.stderr).toContain("Waiting up to 60 s");
    await service.mail({ from: "no-reply@shop.example", to: inbox, subject: "Your code is 482913", text: "482913" });
    const late = ["--after", "2026-01-01T00:00:00Z", "--from", "shop.example", "--subject", "code"];
    expect(await json("wait", inbox, ...late)).toMatchObject({ timed_out: false, extracted: { otp: "482913" } });
    // The wait above may have begun after the mail had arrived.
    await service.mail({ from: "no-reply@shop.example", to: inbox, subject: "Your code is 482913", text: "482913" });
    expect(await waiting.ended).toMatchObject({ code: 0, stdout: "482913\n" });
  });

  test("without a code ends `wait --code` with 4", async () => {
    await service.mail({ from: "plain@words.example", to: inbox, subject: "Words", text: "Only words." });
    const args = ["wait", inbox, "--from", "words.example", "--after", "2026-01-01T00:00:00Z", "--code"];
    expect(await command.run(args)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("mailberth messages get msg_"),
    });
  });
});

describe("tables", () => {
  test("are printed with --no-json: a list with its titles, an object with its fields", async () => {
    const list = await command.run(["inboxes", "list", "--no-json"]);
    expect(list.stdout).toMatch(/^ADDRESS +STATUS +ID\ncommand-line@mail\.example +live +inb_\w+\n$/);
    const one = await command.run(["inboxes", "get", inbox, "--no-json"]);
    expect(one.stdout).toMatch(/^address +command-line@mail\.example$/m);
  });

  test("say how to read on", async () => {
    const other = (await json("inboxes", "create")).address;
    const { stdout, stderr } = await command.run(["inboxes", "list", "--limit", "1", "--no-json"]);
    const cursor = /--cursor (\S+)/.exec(stderr)?.[1] ?? "";
    const rest = await command.run(["inboxes", "list", "--cursor", cursor, "--no-json"]);
    expect(stdout + rest.stdout).toContain(inbox);
    expect(stdout + rest.stdout).toContain(other);
    expect(await json("inboxes", "delete", other)).toMatchObject({ deleted: true });
  });
});

test("domains are added, listed, shown and checked", async () => {
  const { enrollmentKeyId } = await service.newOrganization();
  const { key } = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read", "domain:manage"] });
  const manager = commandIn(folder.path, { MAILBERTH_KEY: key, MAILBERTH_URL: service.url });
  const added = await manager.run(["domains", "add", "shop.example"]);
  const { records } = JSON.parse(added.stdout);
  const shown = await manager.run(["domains", "get", "shop.example", "--no-json"]);
  expect(shown.stdout).toMatch(/^status +pending$/m);
  for (const { value } of records) expect(shown.stdout).toContain(value);
  const list = await manager.run(["domains", "list", "--no-json"]);
  expect(list.stdout).toMatch(/^shop\.example +pending +pending +pending$/m);
  const checked = JSON.parse((await manager.run(["domains", "verify", "shop.example"])).stdout);
  expect(checked).toMatchObject({ domain: "shop.example", status: "pending" });
});

test("a key that the key issued is undone", async () => {
  const { agentKey } = await service.newOrganization();
  const issued = await createClient({ url: service.url, key: agentKey }).issuedKeys.issue.mutate({
    scopes: ["list:manage"],
  });
  const child = createClient({ url: service.url, key: issued.key });
  await child.lists.add.mutate({ direction: "send", list: "block", entry: "shop.example" });
  const parent = commandIn(folder.path, { MAILBERTH_KEY: agentKey, MAILBERTH_URL: service.url });
  const { stdout } = await parent.run(["keys", "activity", issued.id, "--no-json"]);
  expect(stdout).toMatch(/lists\.add +shop\.example +1/);
  const since = ["--since", "2026-01-01T00:00:00Z"];
  const dry = JSON.parse((await parent.run(["keys", "undo", issued.id, ...since, "--dry-run"])).stdout);
  expect(dry).toMatchObject({ dry_run: true, revoked: false, operations: [{ verb: "lists.add", count: 1 }] });
  const undone = JSON.parse((await parent.run(["keys", "undo", issued.id, ...since])).stdout);
  expect(undone).toMatchObject({ revoked: true, not_undone: [] });
});

describe("an end from outside", () => {
  test.each(["SIGINT"] as const)("%s ends a wait with 130", async (signal) => {
    const waiting = command.start(["wait", inbox, "--timeout", "600"]);
    await expect.poll(waiting.stderr).toContain("Waiting");
    waiting.child.kill(signal);
    const { code, stdout, stderr } = await waiting.ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 130,
      stdout: "",
      stderr: `Waiting up to 600 s for mail to ${inbox}\n`,
    });
  });

  test("a reader who leaves ends it quietly", async () => {
    const reading = command.start(["messages", "list", inbox]);
    reading.child.stdout.destroy();
    expect(await reading.ended).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("completion", () => {
  test.each([
    ["mailberth in", ["init", "inboxes"]],
    ["mailberth inboxes cr", ["create"]],
    ["mailberth wait someone@mail.example --cl", ["--claim"]],
    ["mailberth messages list --unr", ["--unread"]],
  ])("bash completes %s", async (line, words) => {
    const { stdout } = await command.run(["completion", "bash"]);
    const typed = line.split(" ");
    const shell = `${stdout}\nCOMP_WORDS=(${typed.join(" ")}); COMP_CWORD=${typed.length - 1}; _mailberth; echo "\${COMPREPLY[*]}"`;
    const bash = commandIn(folder.path, {}, ["bash", "-c", shell]);
    expect((await bash.run([])).stdout.trim().split(" ")).toEqual(words);
  });

  test("zsh and fish get scripts of their own", async () => {
    expect((await command.run(["completion", "zsh"])).stdout).toContain("bashcompinit");
    expect((await command.run(["completion", "fish"])).stdout).toContain("__fish_seen_subcommand_from messages");
  });
});

test("admin passes its arguments and its exit code on", async () => {
  const shown = await command.run(["admin", "--help"]);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining("enrollment-keys issue") });
  expect(await command.run(["admin", "organizations", "--nonsense"])).toMatchObject({ code: 2 });
});
