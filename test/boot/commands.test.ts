// What the operator's command says of a line that is no command, before it reads a setting or the database.
import { expect, test } from "vitest";
import { runCommand } from "#server/admin.ts";

async function run(line: string) {
  const [stdout, stderr] = [[] as string[], [] as string[]];
  const code = await runCommand(line.split(" "), {
    environment: { NODE_ENV: "test" },
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
  });
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

test.each([
  ["enrollment-keys", /Usage:.*enrollment-keys issue/s],
  ["organizations lists", /Did you mean list\?\)\nAdd --help/],
  ["organizations list --nope", /unknown option '--nope'/],
  ["organizations create --name Other --review all", /unknown option '--review'/],
  ["organizations create --name Other --paid-provisioning on", /unknown option '--paid-provisioning'/],
  ["enrollment-keys issue --organization Acme --max-mailboxes 1 --inboxes a@b.example", /unknown option '--inboxes'/],
  ["agent-keys list akey_x", /too many arguments for 'list'/],
  ["backup ", /an argument is empty\nAdd --help/],
  ["domains revoke ", /an argument is empty/],
  ["organizations create", /required option '--name <name>'/],
  ["organizations update --owner a@b.example", /missing required argument 'id\|name'/],
  ["organizations owner-link", /missing required argument 'id\|name'/],
  ["organizations import folder", /required option '--key <file>'/],
  ["blobs move", /required option '--to <s3\|postgres>'/],
  ["enrollment-keys revoke", /missing required argument 'id'/],
])("%s: exit code 2", async (line, message) => {
  expect(await run(line)).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(message) });
});

test.each([
  ["--help", /enrollment-keys issue/],
  ["enrollment-keys --help", /agents enroll with/],
  ["enrollment-keys issue --help", /--max-mailboxes <n>.*--json/s],
])("%s explains", async (line, text) => {
  expect(await run(line)).toEqual({ code: 0, stdout: expect.stringMatching(text), stderr: "" });
});
