// Each exit code of the command, against a running service.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EXIT } from "#client/command/exit-codes.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ SEND_CAP_RAMP: "1" });
const folder = await configFolder();
let inbox = "";
let closed = "";
let agentKey = "";

const command = (environment: Record<string, string> = {}) =>
  commandIn(folder.path, { MAILBERTH_URL: service.url, MAILBERTH_KEY: agentKey, ...environment });

beforeAll(async () => {
  ({ agentKey } = await service.newOrganization({ maxMailboxes: 1 }));
  closed = `http://127.0.0.1:${await freePort()}`;
  const created = await command().run(["inboxes", "create"]);
  inbox = JSON.parse(created.stdout).address;
  const sent = await command().run(["send", inbox, "--to", "a@else.example", "--text", "Hello"]);
  expect(sent.code).toBe(EXIT.ok);
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

test("the codes are frozen", () => {
  expect(EXIT).toEqual({
    ok: 0,
    error: 1,
    usage: 2,
    unauthorized: 3,
    notFound: 4,
    conflict: 5,
    timeout: 6,
    rateLimited: 7,
    unavailable: 8,
    doctorFailed: 9,
    interrupted: 130,
  });
});

describe("the command ends with", () => {
  type Case = [
    code: number,
    what: string,
    args: () => string[],
    says: RegExp,
    environment?: () => Record<string, string>,
  ];
  const none = { MAILBERTH_URL: "", MAILBERTH_KEY: "" };
  const cases: Case[] = [
    [0, "a call that succeeded", () => ["whoami"], /^$/],
    [0, "the help", () => ["--help"], /^$/],
    [0, "the version", () => ["--version"], /^$/],
    [1, "invalid input", () => ["inboxes", "create", "--username", "no spaces"], /invalid_request\)\n {2}username: /],
    [2, "an unknown command", () => ["nonsense"], /unknown command 'nonsense'\n$/],
    [2, "a command in other words", () => ["emails"], /did you mean `mailberth messages`\?/],
    [2, "a part of a command in other words", () => ["inboxes", "view"], /did you mean `mailberth inboxes get`\?/],
    [2, "a part of another command", () => ["search", "x"], /did you mean `mailberth messages search`\?/],
    [2, "a name of a tool", () => ["wait-for-mail"], /did you mean `mailberth wait`\?/],
    [2, "an unknown option", () => ["whoami", "--nonsense"], /unknown option/],
    [2, "a missing argument", () => ["reply"], /missing required argument/],
    [2, "no mailbox", () => ["wait"], /The mailbox is missing/],
    [2, "two mailboxes", () => ["wait", inbox, "--inbox", "b@else.example"], /Two mailboxes are given/],
    [2, "a number that is none", () => ["wait", inbox, "--timeout", "soon"], /whole number/],
    [2, "no service", () => ["whoami"], /No service is named/, () => none],
    [2, "no key", () => ["whoami"], /No agent key/, () => ({ MAILBERTH_KEY: "" })],
    [2, "a URL that is none", () => ["--url", "mail.example", "whoami"], /is no URL/],
    [2, "a URL with another scheme", () => ["--url", "ftp://mail.example", "whoami"], /is no URL/],
    [2, "no text", () => ["send", inbox, "--to", "a@else.example"], /no text/],
    [3, "an unknown key", () => ["whoami"], /\(unauthorized\)/, () => ({ MAILBERTH_KEY: "mb_agent_none" })],
    [3, "an unknown enrollment key", () => ["enroll", "mb_enroll_none"], /\(unauthorized\)/],
    [4, "an unknown mailbox", () => ["inboxes", "get", "nobody@mail.example"], /\(inbox_not_found\)/],
    [5, "a used-up quota", () => ["inboxes", "create"], /\(enrollment_token_exhausted\)/],
    [6, "a wait without mail", () => ["wait", inbox, "--timeout", "1"], /No matching mail arrived within 1 s\./],
    [7, "a reached cap", () => ["send", inbox, "--to", "b@else.example", "--text", "x"], /\(daily_send_cap_exceeded\)/],
    [8, "a service that is not there", () => ["whoami"], /Cannot reach/, () => ({ MAILBERTH_URL: closed })],
    [9, "a failed check of doctor", () => ["doctor"], /checks failed/, () => ({ MAILBERTH_URL: closed })],
  ];
  test.each(cases)("%i: %s", async (code, _, args, says, environment = () => ({})) => {
    const ended = await command(environment()).run(args());
    expect(ended).toMatchObject({ code, signal: null });
    expect(ended.stderr).toMatch(code === 0 ? /^$/ : says);
    expect(ended.stderr).not.toMatch(/\n {4}at /);
  });
});
