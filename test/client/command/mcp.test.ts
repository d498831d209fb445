// `mcp` serves MCP on the standard input and output: the official client through the command, and hosts that misbehave.

import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { connect, connectOver, PROTOCOLS, type ProtocolVersion } from "#test/api/mcp/rig.ts";
import { withoutRequest } from "#test/support/api.ts";
import { commandIn, configFolder } from "#test/support/command.ts";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";

const HUGE_CHARS = 2_000_000;
const CONCURRENT_WAITS = 50;
const service = await startTestService();
const folder = await configFolder();
const command = commandIn(folder.path);
let enrollmentKeyId = "";
beforeAll(async () => {
  const organization = await service.newOrganization();
  enrollmentKeyId = organization.enrollmentKeyId;
  const enrolled = await command.run(["enroll", "--url", service.url, organization.enrollmentKey]);
  expect(enrolled).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await service.stop();
  await folder.remove();
});

type Message = { id: string; thread_id: string };
type Waited = { message: Message; extracted: { otp: string } };
const openWaits = () => service.system.openAnswers.used;

/** The official client, connected to the command, which uses the profile that `enroll` saved. */
async function host(version?: ProtocolVersion, from = command) {
  const transport = new StdioClientTransport({ ...from.launch(["mcp"]), stderr: "pipe" });
  const connected = await connectOver(transport, version);
  onTestFinished(connected.close);
  return { ...connected, pid: transport.pid as number };
}

/** The command with bare lines. `answers` are the lines of its standard output, each of which must be JSON. */
function bare(environment: Record<string, string> = {}) {
  const process = commandIn(folder.path, environment).start(["mcp"]);
  onTestFinished(async () => {
    process.child.kill("SIGKILL");
    await process.ended;
  });
  const answers = () =>
    process
      .stdout()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: number; result?: object; error?: { message: string; data?: object } });
  const write = (message: unknown) => process.child.stdin.write(`${JSON.stringify(message)}\n`);
  const answer = async (id: number) => {
    await expect.poll(() => answers().map((each) => each.id)).toContain(id);
    return answers().find((each) => each.id === id);
  };
  return { ...process, answers, answer, write };
}

const request = (id: number, method: string, params: object = {}) => ({ jsonrpc: "2.0", id, method, params });
const wait = (id: number, addr: string) =>
  request(id, "tools/call", { name: "wait_for_email", arguments: { addr, timeout_seconds: 60 } });

describe.each(PROTOCOLS)("a host that speaks %s", (version) => {
  test("creates a mailbox, waits for a code, replies and searches", async () => {
    const { client, done } = await host(version);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("wait_for_email");
    const { address: addr } = await done<{ address: string }>("create_inbox", {});
    const waiting = done<Waited>("wait_for_email", { addr, from: "shop.example", timeout_seconds: 60 });
    await eventually(() => expect(openWaits()).toBe(1));
    await service.mail({ from: "no-reply@shop.example", to: addr, subject: "Code", text: "Your code is 482915" });
    const { message, extracted } = await waiting;
    expect(extracted.otp).toBe("482915");
    expect(await done("reply_to_email", { id: message.id, text: "Thank you" })).toMatchObject({ status: "queued" });
    const found = await done<{ data: Message[] }>("search_messages", { inbox: addr, q: "482915" });
    expect(found.data.map(({ id }) => id)).toEqual([message.id]);
  });

  test("gets the tools and the errors that the service has", async () => {
    const { client, call } = await host(version);
    const { key } = await service.newAgentKey(enrollmentKeyId);
    const direct = await connect(service, key, version);
    onTestFinished(direct.close);
    expect((await client.listTools()).tools).toEqual((await direct.client.listTools()).tools);
    const wrong = ["search_messages", { inbox: "none@mail.example" }] as const;
    expect(withoutRequest(await call(...wrong))).toEqual(withoutRequest(await direct.call(...wrong)));
    await expect(client.callTool({ name: "no_such_tool" })).rejects.toThrow("Unknown tool: no_such_tool");
  });

  test("ends a wait when it cancels the call", async () => {
    const { client, done } = await host(version);
    const { address: addr } = await done<{ address: string }>("create_inbox", {});
    const canceller = new AbortController();
    const waiting = client.callTool(
      { name: "wait_for_email", arguments: { addr, timeout_seconds: 60 } },
      { signal: canceller.signal },
    );
    const refused = expect(waiting).rejects.toThrow();
    await eventually(() => expect(openWaits()).toBe(1));
    canceller.abort();
    await refused;
    await eventually(() => expect(openWaits()).toBe(0));
    expect(await done("list_threads", { inbox: addr })).toMatchObject({ data: [] });
  });
});

test("many waits at the same time each get their own mail", async () => {
  const { done } = await host();
  const { address: addr } = await done<{ address: string }>("create_inbox", {});
  const senders = Array.from({ length: CONCURRENT_WAITS }, (_, index) => `a${index}@shop.example`);
  const waits = senders.map((from) => done<Waited & { message: { from: string } }>("wait_for_email", { addr, from }));
  await eventually(() => expect(openWaits()).toBe(CONCURRENT_WAITS));
  for (const from of senders) await service.mail({ from, to: addr, subject: from, text: from });
  expect((await Promise.all(waits)).map(({ message }) => message.from)).toEqual(senders);
});

describe("a host that misbehaves", () => {
  test("gets an error for a message above the limit, and can continue", async () => {
    const { client, call, done } = await host();
    await expect(call("delete_inbox", { addr: "x".repeat(HUGE_CHARS) })).rejects.toThrow(
      "The body is larger than 1048576 bytes. Send a smaller body.",
    );
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    expect(await done("get_account")).toMatchObject({ agent_handle: "cli" });
  });

  test("gets no answer to what is not JSON-RPC, and stdout has nothing but answers", async () => {
    const { child, answer, answers, write, stderr } = bare();
    child.stdin.write('not json\n[]\n{"a":1}\n"text"\nnull\n');
    write([request(1, "tools/list")]);
    write(request(2, "ping"));
    expect(await answer(2)).toMatchObject({ result: {} });
    expect(answers()).toHaveLength(1);
    expect(stderr()).toContain("A message of the host is not valid");
  });

  test("gets the service's refusal of an envelope that lacks a part, and of an unknown protocol version", async () => {
    const { answer, write } = bare();
    const envelope = { "io.modelcontextprotocol/protocolVersion": "2099-01-01" };
    write(request(1, "tools/list", { _meta: envelope }));
    expect(await answer(1)).toMatchObject({ error: { code: -32602 } });
    const whole = { ...envelope, "io.modelcontextprotocol/clientCapabilities": {} };
    write(request(2, "tools/list", { _meta: whole }));
    expect(await answer(2)).toMatchObject({ error: { code: -32022, data: { requested: "2099-01-01" } } });
  });

  test("ends the command and its waits when it closes its end", async () => {
    const { child, ended, write } = bare();
    const { address } = await newInbox();
    write(wait(1, address));
    await eventually(() => expect(openWaits()).toBe(1));
    child.stdin.end();
    expect(await ended).toMatchObject({ code: 0, stdout: "" });
    await eventually(() => expect(openWaits()).toBe(0));
  });

  test("ends the command when it stops reading", async () => {
    const { child, ended, write } = bare();
    child.stdout.destroy();
    write(request(1, "tools/list"));
    expect(await ended).toMatchObject({ code: 0, stderr: "" });
  });
});

test("SIGINT ends the command and its waits", async () => {
  const { child, ended, write } = bare();
  const { address } = await newInbox();
  write(wait(1, address));
  await eventually(() => expect(openWaits()).toBe(1));
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 130, stdout: "" });
  await eventually(() => expect(openWaits()).toBe(0));
});

describe("without a service that answers", () => {
  test("a key that is not valid is refused in each answer, with what to do", async () => {
    const { answer, write } = bare({ MAILBERTH_URL: service.url, MAILBERTH_KEY: "mb_agent_none" });
    write(request(1, "tools/list"));
    expect(await answer(1)).toMatchObject({ error: { data: { code: "unauthorized", fix: expect.any(String) } } });
  });

  test("a key that is revoked during a wait ends the wait", async () => {
    const { key, id } = await service.newAgentKey(enrollmentKeyId);
    const revoked = await host(undefined, commandIn(folder.path, { MAILBERTH_URL: service.url, MAILBERTH_KEY: key }));
    const { address: addr } = await revoked.done<{ address: string }>("create_inbox", {});
    const waiting = revoked.call("wait_for_email", { addr, timeout_seconds: 60 });
    await eventually(() => expect(openWaits()).toBe(1));
    await revokeAgentKey(service.system, id);
    const headers = { Authorization: `Bearer ${key}` };
    await expect.poll(async () => (await fetch(`${service.url}/v1/auth/me`, { headers })).status).toBe(401);
    await service.mail({ from: "a@else.example", to: addr, subject: "late" });
    expect(await waiting).toMatchObject({ isError: true, body: { code: "unauthorized" } });
  });

  test("an unreachable service is an error in the answer", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { answer, write } = bare({ MAILBERTH_URL: url, MAILBERTH_KEY: "mb_agent_none" });
    write(request(1, "tools/list"));
    expect(await answer(1)).toMatchObject({ error: { message: expect.stringContaining(`Cannot reach ${url}`) } });
  });

  test("a command without a key does not start", async () => {
    const empty = await configFolder();
    onTestFinished(empty.remove);
    const { code, stdout, stderr } = await commandIn(empty.path).run(["mcp"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("mailberth enroll");
  });
});

async function newInbox(): Promise<{ address: string }> {
  const { done, close } = await host();
  const inbox = await done<{ address: string }>("create_inbox", {});
  await close();
  return inbox;
}
