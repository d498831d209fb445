// The three services of ops/compose.yaml, started as processes with the environment that the file gives them: a mail that one
// takes is read by another, and a third waits for its code. Containers, networks and Caddy are not part of it.
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { createEmptyDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import { START_TIMEOUT_MS } from "#test/support/patience.ts";
import { startProcess } from "#test/support/process.ts";

const COMPOSE = join(import.meta.dirname, "../../ops/compose.yaml");
const ADDRESS = "desk@agents.example.com";
/** `.env` as docs/guides/deploy.md writes it. */
const DOT_ENV: Record<string, string> = {
  PUBLIC_HOST: "mail.example.com",
  DEFAULT_DOMAIN: "agents.example.com",
  POSTGRES_PASSWORD: randomBytes(24).toString("hex"),
  ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  METRICS_TOKEN: randomBytes(32).toString("hex"),
};

type Services = Record<string, { environment: Record<string, string> }>;

/** The environment of a service, with `${NAME}`, `${NAME:-default}` and `${NAME:?error}` replaced as Compose does. */
function environmentOf(services: Services, name: string): Record<string, string> {
  const fill = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, key: string, how = "", other = "") => {
      if (how === "?" && !DOT_ENV[key]) throw new Error(`${key} ${other}`);
      return DOT_ENV[key] ?? (how === "-" ? other : "");
    });
  const { environment = {} } = services[name] ?? {};
  return Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, fill(text)]));
}

test("the services of compose.yaml share the work on one mail", { timeout: 4 * START_TIMEOUT_MS }, async () => {
  const { services } = parse(await readFile(COMPOSE, "utf8"), { merge: true }) as { services: Services };
  const database = await createEmptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), "mailberth-compose-"));
  const running: Awaited<ReturnType<typeof startProcess>>[] = [];
  onTestFinished(async () => {
    await Promise.all(running.map((each) => each.end("SIGTERM")));
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });
  const start = async (role: string) => {
    const given = environmentOf(services, role);
    expect(given.DATABASE_URL).toContain(`:${DOT_ENV.POSTGRES_PASSWORD}@postgres/`);
    const own = { DATABASE_URL: database.url, DATA_DIR: join(folder, role), TRUST_PROXY: "" };
    const started = await startProcess({ ...given, ...own });
    running.push(started);
    return started;
  };
  const web = await start("web");
  const [smtp] = await Promise.all([start("smtp"), start("worker")]);
  const post = async (path: string, body: object, key = "") => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
    const answer = await fetch(`${web.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { agent_key: string; address: string };
  };
  const [token] = /mb_enroll_\w+/.exec(web.output()) ?? [];
  const { agent_key: key } = await post("/v1/enroll", { token, agent_handle: "compose" });
  expect(await post("/v1/inboxes", { username: "desk" }, key)).toMatchObject({ address: ADDRESS });
  const transport = createTransport({ host: "127.0.0.1", port: smtp.smtpPort, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "joe@example.org", to: ADDRESS, subject: "Hello", text: "Your code is 482913." });
  transport.close();
  await eventually(async () => {
    const found = await post(`/v1/inboxes/${ADDRESS}/wait`, { timeout_seconds: 60 }, key);
    expect(found).toMatchObject({ extracted: { otp: "482913" } });
  });
});
