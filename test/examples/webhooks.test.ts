// The webhook receivers of examples/webhooks, each as a newcomer runs it: a delivery of the service verifies, what is forged does not.
import { execFileSync, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DEFAULT_SCOPES } from "#db/scopes.ts";
import { type Api, api, type Webhook } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const PROJECT = join(import.meta.dirname, "../..");
const FOLDER = join(PROJECT, "examples/webhooks");
const POLL = { interval: 20 };

type Receiver = { output(): string; stop(): Promise<unknown> };
type Example = {
  name: string;
  /** Why it cannot be run here. */
  missing?: string | undefined;
  start(environment: { WEBHOOK_SECRET: string; PORT: string }): Promise<Receiver>;
};

async function startProcess(command: string, args: string[], environment: Record<string, string>): Promise<Receiver> {
  const child = spawn(command, args, {
    cwd: PROJECT,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  await eventually(() => expect(output).toContain("listening"));
  return {
    output: () => output,
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

/** What Next does with a route handler: a `Request` in, a `Response` out. */
async function startRoute(environment: { WEBHOOK_SECRET: string; PORT: string }): Promise<Receiver> {
  vi.stubEnv("WEBHOOK_SECRET", environment.WEBHOOK_SECRET);
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { POST } = await import("../../examples/webhooks/next-route.ts");
  const server = createServer(async (incoming, outgoing) => {
    const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const request = new Request("http://127.0.0.1/hooks/mail", { method: "POST", headers, body: await text(incoming) });
    const response = await POST(request);
    outgoing.writeHead(response.status).end(await response.text());
  });
  server.listen(Number(environment.PORT), "127.0.0.1");
  await once(server, "listening");
  expect((server.address() as AddressInfo).port).toBe(Number(environment.PORT));
  return {
    output: () => log.mock.calls.map(([line]) => `${line}\n`).join(""),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      vi.unstubAllEnvs();
      log.mockRestore();
    },
  };
}

/** The first of some programs that runs here. */
function find(programs: string[], ...args: string[]): string | undefined {
  return programs.find((program) => {
    try {
      return Boolean(execFileSync(program, args, { stdio: "pipe" }));
    } catch {
      return false; // not here
    }
  });
}

const python = find(["python3", "python"], "--version");
const go = find([process.env.GO ?? "go", "/usr/local/go/bin/go"], "version");
const node = (file: string) => (environment: Record<string, string>) =>
  startProcess(process.execPath, [join(FOLDER, file)], environment);

async function startGo(environment: Record<string, string>): Promise<Receiver> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-go-"));
  const program = join(folder, "receiver");
  // Nothing is downloaded: it needs the standard library alone.
  const env = { ...process.env, GOCACHE: join(folder, "cache"), GOPATH: folder, GOPROXY: "off", GOTOOLCHAIN: "local" };
  execFileSync(String(go), ["build", "-o", program, join(FOLDER, "receiver.go")], { env, stdio: "pipe" });
  const receiver = await startProcess(program, [], environment);
  return { ...receiver, stop: () => receiver.stop().then(() => rm(folder, { recursive: true, force: true })) };
}

const EXAMPLES: Example[] = [
  { name: "next-route.ts", start: startRoute },
  { name: "express.ts", start: node("express.ts") },
  { name: "hono.ts", start: node("hono.ts") },
  { name: "plain-node.ts", start: node("plain-node.ts") },
  {
    name: "receiver.py",
    missing: python ? undefined : "there is no python3 here",
    start: (environment) => startProcess(String(python), [join(FOLDER, "receiver.py")], environment),
  },
  { name: "receiver.go", missing: go ? undefined : "there is no go here", start: startGo },
];

let service: TestService;
let client: Api;
let key: string;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_TARGETS: "any", ALLOW_INSECURE_WEBHOOKS: "true" });
  client = api(service);
  key = (await service.newOrganization({ maxMailboxes: EXAMPLES.length, scopes: [...DEFAULT_SCOPES] })).agentKey;
});
afterAll(async () => {
  await client?.close();
  await service?.stop();
});

const now = () => Math.floor(Date.now() / 1_000);
const v1 = (secret: string, t: number | string, body: string) =>
  createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex");

describe.each(EXAMPLES.filter(({ missing }) => !missing))("$name", ({ start }) => {
  let receiver: Receiver;
  let url: string;
  let secret: string;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}/hooks/mail`;
    ({ address } = await client.createInbox(key));
    const wish = { url, events: ["message.received"], address };
    ({ secret } = (await client.post<Webhook>("/v1/webhooks", wish, { key })).body);
    receiver = await start({ WEBHOOK_SECRET: secret, PORT: `${port}` });
  });
  afterAll(() => receiver?.stop());

  /** How often an id was handled. */
  const handled = (id: string) => receiver.output().split(`received ${id} `).length - 1;

  function event(id: string): string {
    return JSON.stringify({ event: "message.received", inbox: address, message: { id, subject: "Grüße 👋" } });
  }

  async function send(body: string, signature: string | undefined, delivery: string = randomUUID()): Promise<number> {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Service-Delivery": delivery,
        ...(signature !== undefined && { "X-Service-Signature": signature }),
      },
      body,
    });
    await answer.text();
    return answer.status;
  }

  test("takes a delivery of the service", async () => {
    await service.mail({ from: "ann@example.com", to: address, subject: "Grüße 👋" });
    const rows = () => service.system.sql<{ status: string; attempts: number; message_id: string }[]>`
      select d.status, d.attempts, e.message_id from deliveries d join events e on e.id = d.event_id
      join webhooks w on w.id = d.webhook_id where w.url = ${url}`;
    await expect.poll(async () => (await rows()).map(({ status }) => status), POLL).toEqual(["succeeded"]);
    expect((await rows())[0]?.attempts).toBe(1);
    expect(receiver.output()).toMatch(new RegExp(`^received msg_[0-9a-z]{26} for ${address}$`, "m"));
  });

  test.each<[string, (t: number, body: string) => string]>([
    ["one v1", (t, body) => `t=${t},v1=${v1(secret, t, body)}`],
    ["two v1, ours first", (t, body) => `t=${t},v1=${v1(secret, t, body)},v1=${v1("whsec_old", t, body)}`],
    ["two v1, ours second", (t, body) => `t=${t},v1=${v1("whsec_new", t, body)},v1=${v1(secret, t, body)}`],
    ["a space after the comma", (t, body) => `t=${t}, v1=${v1(secret, t, body)}`],
  ])("takes %s", async (name, sign) => {
    const id = `msg_${name.replaceAll(/\W/g, "")}`;
    expect(await send(event(id), sign(now(), event(id)))).toBe(204);
    await expect.poll(() => handled(id), POLL).toBe(1);
  });

  test.each([-290, 290])("takes a t %i s away", async (seconds) => {
    const t = now() + seconds;
    expect(await send(event(`msg_${t}`), `t=${t},v1=${v1(secret, t, event(`msg_${t}`))}`)).toBe(204);
  });

  test("does nothing twice for a delivery that comes twice", async () => {
    const [body, delivery] = [event("msg_twice"), randomUUID()];
    for (const t of [now() - 5, now()]) {
      expect(await send(body, `t=${t},v1=${v1(secret, t, body)}`, delivery)).toBe(204);
    }
    expect(await send(event("msg_after"), `t=${now()},v1=${v1(secret, now(), event("msg_after"))}`)).toBe(204);
    await expect.poll(() => handled("msg_after"), POLL).toBe(1);
    expect(handled("msg_twice")).toBe(1);
  });

  test.each<[string, (t: number, body: string) => [body: string, header: string | undefined]]>([
    ["a tampered body", (t, body) => [body.replace("Grüße", "Gruesse"), `t=${t},v1=${v1(secret, t, body)}`]],
    ["a serialized copy", (t, body) => [`${body} `, `t=${t},v1=${v1(secret, t, body)}`]],
    ["a stale t", (t, body) => [body, `t=${t - 310},v1=${v1(secret, t - 310, body)}`]],
    ["a t of the future", (t, body) => [body, `t=${t + 310},v1=${v1(secret, t + 310, body)}`]],
    ["a stale t made fresh", (t, body) => [body, `t=${t},v1=${v1(secret, t - 310, body)}`]],
    ["a second t", (t, body) => [body, `t=${t - 310},t=${t},v1=${v1(secret, t, body)}`]],
    ["a t that is no number", (_, body) => [body, `t=now,v1=${v1(secret, "now", body)}`]],
    ["a wrong secret", (t, body) => [body, `t=${t},v1=${v1("whsec_wrong", t, body)}`]],
    ["an empty secret", (t, body) => [body, `t=${t},v1=${v1("", t, body)}`]],
    ["half a signature", (t, body) => [body, `t=${t},v1=${v1(secret, t, body).slice(32)}`]],
    ["no hex", (t, body) => [body, `t=${t},v1=${"zü".repeat(32)}`]],
    ["no v1", (t, body) => [body, `t=${t},v0=${v1(secret, t, body)}`]],
    ["no t", (t, body) => [body, `v1=${v1(secret, t, body)}`]],
    ["an empty header", (_, body) => [body, ""]],
    ["no header", (_, body) => [body, undefined]],
    ["no body", (t, body) => ["", `t=${t},v1=${v1(secret, t, body)}`]],
  ])("answers 400 to %s", async (_, forge) => {
    const id = `msg_forged${randomUUID()}`;
    expect(await send(...forge(now(), event(id)))).toBe(400);
    expect(handled(id)).toBe(0);
  });
});

for (const { name, missing } of EXAMPLES) {
  if (missing) test.skip(`${name}: ${missing}`, () => undefined);
}
