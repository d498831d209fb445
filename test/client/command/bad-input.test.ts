// Every command with options it does not have, with things of another organization, and with a restricted or revoked key.
import { Readable, Writable } from "node:stream";
import type { Command } from "commander";
import { afterAll, describe, expect, test } from "vitest";
import { EXIT } from "#client/command/exit-codes.ts";
import { describeProblem } from "#client/command/problem.ts";
import { createProgram } from "#client/command/program.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
const folder = await configFolder();
afterAll(async () => {
  await client.close();
  await service.stop();
  await folder.remove();
});

/** Runs a command in this process, as client/command/main.ts does. */
async function run(key: string, args: string[]) {
  const written = { stdout: "", stderr: "" };
  const into = (name: keyof typeof written) =>
    new Writable({
      write(chunk, _, done) {
        written[name] += chunk;
        done();
      },
    });
  const environment = { MAILBERTH_URL: service.url, MAILBERTH_KEY: key, XDG_CONFIG_HOME: folder.path } as never;
  const stop = new AbortController().signal;
  const streams = { stdin: Readable.from([]), stdout: into("stdout"), stderr: into("stderr") };
  const shell = { environment, ...streams, stop, calls() {} };
  try {
    await createProgram(shell).parseAsync(args, { from: "user" });
    return { code: EXIT.ok, ...written };
  } catch (error) {
    const { exit, text } = describeProblem(error, service.url);
    return { code: exit, stdout: written.stdout, stderr: `${written.stderr}${text}` };
  }
}

async function furnished(key: string) {
  const inbox = await client.createInbox(key);
  await service.mail({ from: "a@else.example", to: inbox.address, subject: "secret" });
  const { data } = (await client.get<Page<{ id: string }>>(inboxPath(inbox.address, "/messages"), { key })).body;
  return { inbox: inbox.address, inboxId: inbox.id, message: data[0]?.id ?? "" };
}

const [a, b] = [await service.newOrganization(), await service.newOrganization()];
const [foreign, barred, own] = [await furnished(b.agentKey), await furnished(a.agentKey), await furnished(a.agentKey)];
const restricted = (await service.newAgentKey(a.enrollmentKeyId, { inboxes: [own.inbox] })).key;
const never = {
  inbox: "never-there@mail.example",
  inboxId: "inb_01jd3m9v5sf0b8j3mgz7qk2x4c",
  message: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c",
};
type Things = typeof never;

const leaves = (command: Command, path: string[] = []): string[][] =>
  command.commands.flatMap((each) =>
    each.commands.length > 0 ? leaves(each, [...path, each.name()]) : [[...path, each.name()]],
  );
const nothing = Readable.from([]);
const program = createProgram({
  environment: {} as never,
  stdin: nothing,
  stdout: new Writable(),
  stderr: new Writable(),
  stop: new AbortController().signal,
  calls() {},
});
/** `admin` passes its arguments on to the program of the operators. */
const COMMANDS = leaves(program).filter(([name]) => name !== "admin");

test("every command refuses an option that it does not have, before it calls the service", async () => {
  expect(COMMANDS.length).toBeGreaterThan(15);
  const ended = await Promise.all(COMMANDS.map((path) => run("mb_agent_none", [...path, "--no-such-option"])));
  expect(ended.map(({ code, stderr }, i) => [COMMANDS[i]?.join(" "), code, /error: /.test(stderr)])).toEqual(
    COMMANDS.map((path) => [path.join(" "), EXIT.usage, true]),
  );
});

const CALLS: [string, (things: Things) => string[]][] = [
  ["inboxes get", ({ inbox }) => ["inboxes", "get", inbox]],
  ["inboxes get, by id", ({ inboxId }) => ["inboxes", "get", inboxId]],
  ["inboxes delete", ({ inbox }) => ["inboxes", "delete", inbox]],
  ["messages list", ({ inbox }) => ["messages", "list", inbox]],
  ["messages search", ({ inbox }) => ["messages", "search", "secret", "--inbox", inbox]],
  ["messages get", ({ message }) => ["messages", "get", message]],
  ["wait", ({ inbox }) => ["wait", inbox, "--timeout", "0", "--after", "2020-01-01T00:00:00Z"]],
  ["send", ({ inbox }) => ["send", inbox, "--to", "c@else.example", "--text", "x"]],
  ["reply", ({ message }) => ["reply", message, "--text", "x"]],
  ["listen", ({ inbox }) => ["listen", "--forward", "http://127.0.0.1:9/", "--secret", "s", "--inbox", inbox]],
];

describe.each(CALLS)("%s", (_, args) => {
  test.each([
    ["another organization's", foreign, a.agentKey],
    ["what a restricted key may not see", barred, restricted],
  ])("%s ends like what never was", async (_what, things, key) => {
    const said = async (which: Things) => {
      const { code, stdout, stderr } = await run(key, args(which));
      const names = Object.values(which).reduce((text, name) => text.replaceAll(name, "…"), stderr);
      return { code, stdout, names };
    };
    const ended = await said(things);
    expect(ended).toMatchObject({ code: EXIT.notFound, stdout: "" });
    expect(ended).toEqual(await said(never));
  });
});

test("a domain of another organization ends like one that never was", async () => {
  await client.post("/v1/domains", { domain: "theirs.example" }, { key: b.agentKey });
  for (const name of ["get", "verify"]) {
    const [theirs, none] = await Promise.all(
      ["theirs.example", "never.example"].map((domain) => run(a.agentKey, ["domains", name, domain])),
    );
    expect(theirs?.code).toBe(EXIT.notFound);
    expect(theirs?.stderr.replaceAll("theirs.", "never.")).toBe(none?.stderr);
  }
});

test("a restricted key creates no mailbox", async () => {
  expect(await run(restricted, ["inboxes", "create"])).toMatchObject({ code: EXIT.unauthorized, stdout: "" });
});

test("a key that is revoked during a wait ends the wait with 3, and prints no mail", async () => {
  const { id, key } = await service.newAgentKey(a.enrollmentKeyId);
  const environment = { MAILBERTH_URL: service.url, MAILBERTH_KEY: key };
  const after = new Date().toISOString();
  const waiting = commandIn(folder.path, environment).start(["wait", own.inbox, "--after", after, "--timeout", "600"]);
  const open = () => service.system.openAnswers.used;
  await expect.poll(open).toBe(1);
  await revokeAgentKey(service.system, id);
  await expect.poll(async () => (await client.get("/v1/auth/me", { key })).status).toBe(401);
  await service.mail({ from: "a@else.example", to: own.inbox, subject: "after the revocation" });
  const { code, stdout, stderr } = await waiting.ended;
  expect({ code, stdout }).toEqual({ code: EXIT.unauthorized, stdout: "" });
  expect(stderr).toContain("(unauthorized)");
});
