// `npm run newcomer`: how many seconds a newcomer needs from `npm start` in this clone to the first code, by each of six paths.
// Every step is copied from the README, or is the button that the dashboard shows next.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { chromium } from "@playwright/test";
import { CHROMIUM_ARGS, ensureChromium } from "#test/support/chromium.ts";
import { freePort } from "#test/support/process.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The goal for each path on a machine that does nothing else. */
const GOAL_SECONDS = 180;
const START_MAX_MS = 600_000;
const STEP_MAX_MS = 60_000;
const ASK_EVERY_MS = 250;
const PASSWORD = "correct horse battery";

type Started = { url: string; smtpPort: number; token: string; ownerLink: string };

const readme = await readFile(join(ROOT, "README.md"), "utf8");
const folder = await mkdtemp(join(tmpdir(), "mailberth-first-code-"));

/** The block of the README after a line, with the ports and the key of the service that was started. */
function block(line: string, { url, smtpPort, token }: Started): string {
  const [, text] = new RegExp(`${line}\\n\`\`\`\\w+\\n([\\s\\S]+?)\`\`\``).exec(readme) ?? [];
  if (!text) throw new Error(`The README has no block after ${line}`);
  return text
    .replaceAll("http://127.0.0.1:3000", url)
    .replaceAll("127.0.0.1:2525", `127.0.0.1:${smtpPort}`)
    .replace("mb_enroll_…", token);
}

/** Starts the service as the README says, with other ports and data. */
async function start(): Promise<Started & { seconds: number; stop(): Promise<unknown> }> {
  const [port, smtpPort] = [await freePort(), await freePort()];
  const began = performance.now();
  const env = {
    ...process.env,
    NODE_ENV: "" as "test",
    DATA_DIR: join(folder, "data"),
    PORT: `${port}`,
    SMTP_PORT: `${smtpPort}`,
  };
  const child = spawn("npm", ["start"], { cwd: ROOT, env, stdio: ["ignore", "ignore", "pipe"], detached: true });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = once(child, "close");
  const stop = async () => {
    if (child.pid && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  };
  while (!/mb_enroll_\w+[\s\S]*\n\n/.test(output)) {
    if (child.exitCode !== null || performance.now() - began > START_MAX_MS) {
      await stop();
      throw new Error(`npm start printed no enrollment key:\n${output}`);
    }
    await sleep(ASK_EVERY_MS);
  }
  const [token = ""] = /mb_enroll_\w+/.exec(output) ?? [];
  const [ownerLink = ""] = /http\S+\/join#\S+/.exec(output) ?? [];
  return { url: `http://127.0.0.1:${port}`, smtpPort, token, ownerLink, seconds: secondsSince(began), stop };
}

const secondsSince = (began: number) => (performance.now() - began) / 1_000;

/** Pastes a text into a shell in an empty folder. @returns what it prints */
async function paste(text: string, cwd = folder, environment: Record<string, string> = {}): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { ...process.env, PATH, HOME: folder, XDG_CONFIG_HOME: folder, ...environment };
  const shell = spawn("bash", ["-c", text], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  await once(shell, "close");
  return output;
}

/** The lines of the README that make a key and a mailbox, for the paths that begin after them. */
async function keyAndInbox(started: Started): Promise<Record<string, string>> {
  const text = block("<!-- curl -->", started).split("\n").slice(0, 3).join("\n");
  const [, KEY = "", INBOX = ""] = /(\S+) (\S+)$/.exec((await paste(`${text}\necho "$KEY $INBOX"`)).trim()) ?? [];
  return { MB: started.url, KEY, INBOX };
}

async function byCurl(started: Started): Promise<string> {
  return paste(block("<!-- curl -->", started));
}

async function byTypeScript(started: Started): Promise<string> {
  const install = block("<!-- install -->", started).replaceAll("../mailberth", ROOT);
  await paste(install, folder);
  await writeFile(join(folder, "first.ts"), block("<!-- typescript -->", started));
  return paste("node first.ts", folder, await keyAndInbox(started));
}

async function byPython(started: Started): Promise<string> {
  await writeFile(join(folder, "first.py"), block("<!-- python -->", started));
  return paste("python3 first.py", folder, await keyAndInbox(started));
}

/** The URL and the header of the command for a host, with the tools that a model reads there. */
async function byMcp(started: Started): Promise<string> {
  const { KEY = "" } = await keyAndInbox(started);
  const command = block("## MCP\n", started).replace("$KEY", KEY);
  const [, url = "", authorization = ""] = /(http\S+) --header "Authorization: ([^"]+)"/.exec(command) ?? [];
  const client = new Client({ name: "newcomer", version: "1.0.0" });
  const headers = { Authorization: authorization };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  const call = async (name: string, given: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: given })).structuredContent as Record<string, string>;
  const { address = "" } = await call("create_inbox", {});
  await call("send_email", { inbox: address, to: address, subject: "Code", text: "Your code is 919273." });
  const found = await call("wait_for_email", { inbox: address, timeout_seconds: 60 });
  await client.close();
  return JSON.stringify(found);
}

async function byCommand(started: Started): Promise<string> {
  const variables = { MB: started.url, TOKEN: started.token, SMTP_PORT: `${started.smtpPort}` };
  return paste(block("<!-- shell -->", started), ROOT, variables);
}

/** The buttons of the first steps, then the mail that they sent. */
async function byDashboard(started: Started): Promise<string> {
  const browser = await chromium.launch({ executablePath: await ensureChromium(), args: CHROMIUM_ARGS });
  try {
    const page = await browser.newPage({ baseURL: started.url });
    page.setDefaultTimeout(STEP_MAX_MS);
    await page.goto(started.ownerLink);
    await page.getByLabel("E-mail").fill("olive@people.example");
    await page.getByLabel("Your name").fill("Olive Owner");
    await page.locator("input[type=password]").fill(PASSWORD);
    await page.getByLabel("Organization's name").fill("Acme");
    await page.getByRole("button", { name: /^Join/ }).click();
    await page.getByRole("button", { name: "Create an inbox", exact: true }).click();
    await page.getByRole("button", { name: "Send a test mail", exact: true }).click();
    await page.getByRole("heading", { name: "Receive a test mail (done)" }).waitFor();
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Inboxes" }).click();
    await page
      .getByRole("link", { name: /@mail\.localhost/ })
      .first()
      .click();
    await page.getByText("Your first mail").first().click();
    const code = page.getByText("482913").first();
    await code.waitFor();
    return (await code.textContent()) ?? "";
  } finally {
    await browser.close();
  }
}

const PATHS: [name: string, code: RegExp, follow: (started: Started) => Promise<string>][] = [
  // First, because the first steps are those of an organization without mailboxes.
  ["dashboard", /482913/, byDashboard],
  ["curl", /The code is 482913\./, byCurl],
  ["TypeScript", /^731946$/m, byTypeScript],
  ["Python", /^604182$/m, byPython],
  ["MCP", /919273/, byMcp],
  ["command", /^355113$/m, byCommand],
];

const problems: string[] = [];
try {
  const started = await start();
  const rows: [string, number][] = [];
  try {
    for (const [name, code, follow] of PATHS) {
      const began = performance.now();
      const printed = await follow(started).catch(String);
      rows.push([name, started.seconds + secondsSince(began)]);
      if (!code.test(printed)) problems.push(`${name}: no code in\n${printed}`);
    }
  } finally {
    await started.stop();
  }
  console.log(`npm start: ${started.seconds.toFixed(1)} s until the key\n`);
  for (const [name, seconds] of rows) {
    const goal = seconds > GOAL_SECONDS ? `  above the goal of ${GOAL_SECONDS} s` : "";
    console.log(`${name.padEnd(12)}${seconds.toFixed(1).padStart(7)} s${goal}`);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
