// `npm run lighthouse`: Lighthouse's figures for pages of the dashboard with something on them, on a service that it starts.
// Fails below the figures that are promised. npx loads Lighthouse, because its 176 MB are needed only here.
import { spawnSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { CHROMIUM_ARGS, ensureChromium, findChromium } from "#test/support/chromium.ts";
import { openRunFolder } from "#test/support/run-folder.ts";
import { call } from "./owner.ts";
import { startService } from "./service.ts";

const LIGHTHOUSE = "lighthouse@13.5.0";
const FOLDER = "test-results/lighthouse";
const RUN_TIMEOUT_MS = 300_000;
/** `performance` is a promise for the overview only. */
const PAGES = [
  { name: "overview", path: "/dashboard", performance: 95 },
  { name: "inboxes", path: "/dashboard/inboxes", performance: 0 },
  { name: "webhooks", path: "/dashboard/webhooks", performance: 0 },
  { name: "sign-in", path: "/sign-in", performance: 0 },
];
const ACCESSIBILITY = 100;
const OWNER = { email: "lighthouse@e2e.example", name: "Lena Light", password: "correct horse battery" };

type Report = {
  categories: Record<"performance" | "accessibility", { score: number }>;
  audits: Record<string, { score: number | null; displayValue?: string; title: string }>;
};
type Service = Awaited<ReturnType<typeof startService>>;

/** An owner with a key, an inbox and a webhook. Returns the Cookie header of the session. */
async function furnish({ baseUrl, ownerLink }: Service): Promise<string> {
  const browser = await chromium.launch({ ...withExecutable(), args: CHROMIUM_ARGS });
  const context = await browser.newContext();
  await context.request.post(`${baseUrl}/trpc/team.join`, {
    headers: { Origin: baseUrl },
    data: { token: ownerLink.split("#")[1], ...OWNER },
  });
  const key = await call<{ id: string }>(context, baseUrl, "keys.issue", { name: "Support", max_mailboxes: 5 });
  const wish = { enrollment_key_id: key.id, username: "lena-light", client_id: "lena" };
  const inbox = await call<{ address: string }>(context, baseUrl, "inboxes.createWith", wish);
  await call(context, baseUrl, "webhooks.register", { url: "http://127.0.0.1:9/hooks", events: ["message.received"] });
  const mail = { addr: inbox.address, to: inbox.address, subject: "Hello", text: "Hello", idempotency_key: "hello" };
  await call(context, baseUrl, "messages.send", mail);
  const cookies = await context.cookies();
  await browser.close();
  return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}

function withExecutable(): { executablePath?: string } {
  const executablePath = findChromium();
  return executablePath ? { executablePath } : {};
}

async function look(name: string, url: string, headersFile: string): Promise<Report> {
  const output = join(FOLDER, `${name}.json`);
  const { status, stderr } = spawnSync(
    "npx",
    [
      ...["--yes", LIGHTHOUSE, url, "--quiet", "--preset=desktop", "--only-categories=performance,accessibility"],
      ...[`--extra-headers=${headersFile}`, "--output=json", `--output-path=${output}`],
      `--chrome-flags=--headless=new ${CHROMIUM_ARGS.join(" ")}`,
    ],
    {
      timeout: RUN_TIMEOUT_MS,
      encoding: "utf8",
      env: { ...process.env, CHROME_PATH: withExecutable().executablePath ?? "" },
    },
  );
  if (status !== 0) throw new Error(`Lighthouse ended with ${status}:\n${stderr}`);
  return JSON.parse(await readFile(output, "utf8")) as Report;
}

function percent({ score }: { score: number }): number {
  return Math.round(score * 100);
}

await mkdir(FOLDER, { recursive: true });
await ensureChromium();
const { close } = await openRunFolder();
const service = await startService();
const problems: string[] = [];
try {
  const headersFile = join(FOLDER, "headers.json");
  await writeFile(headersFile, JSON.stringify({ Cookie: await furnish(service) }));
  for (const { name, path, performance } of PAGES) {
    const { categories, audits } = await look(name, service.baseUrl + path, headersFile);
    const [fast, open] = [percent(categories.performance), percent(categories.accessibility)];
    const times = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time"];
    const shown = times.map((id) => `${audits[id]?.title} ${audits[id]?.displayValue}`).join(", ");
    console.log(`${name}: performance ${fast}, accessibility ${open}; ${shown}`);
    if (fast < performance) problems.push(`${name}: performance ${fast} is below ${performance}`);
    if (open < ACCESSIBILITY) problems.push(`${name}: accessibility ${open} is below ${ACCESSIBILITY}`);
  }
} finally {
  await service.stop();
  await close();
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
