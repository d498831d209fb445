// W10: pages of the dashboard in a browser with an empty cache: how many requests each makes, how many bytes it gets, when its
// first request for data begins, and when its content is there.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Browser, type BrowserContext, chromium, type Request } from "@playwright/test";
import { CHROMIUM_ARGS, findChromium } from "#test/support/chromium.ts";
import { runOnce } from "./support/peers.ts";
import { median } from "./support/rounds.ts";
import { DOMAIN, type Mailberth, post, ROOT, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const ROUNDS = 3;
const GOAL_REQUESTS = 25;
/** What a page still asks for after its content is there. */
const REST_MS = 1_000;
const SHOWN_WITHIN_MS = 60_000;
const DATA = "/trpc/";
const OWNER = { email: "owner@bench.example", name: "Olive Owner", password: "correct horse battery" };
const OWNER_LINK = /\/join#([^"\s]+)/;
const DATABASE = "w10";
/** What is there until something is read. */
const LOADING = ".mantine-Skeleton-root, [aria-busy=true]";
const PAGES = {
  overview: "/dashboard",
  inboxes: "/dashboard/inboxes",
  mail: `/dashboard/mail?inbox=${encodeURIComponent(`box-0@${DOMAIN}`)}`,
  webhooks: "/dashboard/webhooks",
  keys: "/dashboard/keys",
  settings: "/dashboard/settings",
};
const NO_CHROMIUM = "left out: there is no Chromium (npx playwright install chromium)";

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;
/** Times in ms from the start of the navigation. */
type Seen = { requests: number; bytes: number; script: number; scriptAt: number; dataAt: number; shownAt: number };

/** The one-time token of a link that makes an owner of the organization of the bench. */
async function ownerToken(site: Site, { databaseUrl }: Mailberth): Promise<string> {
  const command: [string, ...string[]] = [process.execPath, join(ROOT, "server/admin.ts")];
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: join(site.folder, DATABASE) };
  const output = await runOnce([...command, "organizations", "owner-link", "Bench", "--json"], { cwd: ROOT, env });
  const token = OWNER_LINK.exec(output)?.[1];
  if (!token) throw new Error(`no link for an owner: ${output}`);
  return token;
}

async function signIn(browser: Browser, origin: string, token: string): Promise<Cookies> {
  const context = await browser.newContext();
  const send = async (path: string, data: object) => {
    const answer = await context.request.post(`${origin}${path}`, { headers: { Origin: origin }, data });
    if (!answer.ok()) throw new Error(`POST ${path}: ${answer.status()} ${await answer.text()}`);
  };
  await send("/trpc/team.join", { token, ...OWNER });
  await send("/auth/sign-in/email", { email: OWNER.email, password: OWNER.password });
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

async function sizeOf(request: Request): Promise<number> {
  const { responseBodySize, responseHeadersSize } = await request.sizes();
  return responseBodySize + responseHeadersSize;
}

async function look(browser: Browser, cookies: Cookies, url: string): Promise<Seen> {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const page = await context.newPage();
  const requests: Request[] = [];
  // A request that stays open, or was given up, has no size.
  const finished = new Set<Request>();
  page.on("requestfinished", (request) => finished.add(request));
  page.on("request", (request) => {
    if (!request.url().startsWith("data:")) requests.push(request);
  });
  await page.goto(url, { waitUntil: "commit" });
  const shown = await page.waitForFunction(
    (loading) => document.querySelector("h1") && !document.querySelector(loading) && performance.now(),
    LOADING,
    { timeout: SHOWN_WITHIN_MS },
  );
  const shownAt = Number(await shown.jsonValue());
  await delay(REST_MS);
  const sizes = await Promise.all(requests.map((request) => (finished.has(request) ? sizeOf(request) : 0)));
  const [first] = requests;
  const beganAt = (find: (request: Request) => boolean) =>
    (requests.find(find)?.timing().startTime ?? Number.NaN) - (first?.timing().startTime ?? 0);
  const sum = (own: (request: Request) => boolean) =>
    sizes.reduce((total, size, n) => total + (own(requests[n] as Request) ? size : 0), 0);
  const seen = {
    requests: requests.length,
    bytes: sum(() => true),
    script: sum((request) => request.resourceType() === "script"),
    scriptAt: beganAt((request) => request.resourceType() === "script"),
    dataAt: beganAt((request) => new URL(request.url()).pathname.startsWith(DATA)),
    shownAt,
  };
  await context.close();
  return seen;
}

function tell(name: string, all: Seen[], note: (text: string) => void): void {
  const of = (pick: keyof Seen) => median(all.map((seen) => seen[pick]));
  const met = of("requests") <= GOAL_REQUESTS ? "✓" : "✗";
  const kb = (pick: keyof Seen) => `${(of(pick) / 1000).toFixed(0)} kB`;
  const ms = (pick: keyof Seen) => `${of(pick).toFixed(0)} ms`;
  note(
    `${name}: ${of("requests")} requests, goal ${GOAL_REQUESTS} ${met}; ${kb("bytes")}, ${kb("script")} of it script; ` +
      `first script at ${ms("scriptAt")}, first data at ${ms("dataAt")}, shown at ${ms("shownAt")}`,
  );
}

export async function w10(site: Site, note: (text: string) => void): Promise<Comparison[]> {
  const executablePath = findChromium();
  if (!executablePath) {
    note(NO_CHROMIUM);
    return [];
  }
  const mailberth = await startMailberth(site, DATABASE, ["web,smtp,worker"]);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
  try {
    const origin = `http://127.0.0.1:${mailberth.port}`;
    const key = await mailberth.agentKey();
    const cookies = await signIn(browser, origin, await ownerToken(site, mailberth));
    await post(mailberth, key, "/v1/inboxes", { username: "box-0" });
    for (const [name, path] of Object.entries(PAGES)) {
      const all: Seen[] = [];
      for (let round = 0; round < ROUNDS; round += 1) all.push(await look(browser, cookies, `${origin}${path}`));
      tell(name, all, note);
    }
    return [];
  } finally {
    await browser.close();
    await mailberth.stop();
  }
}
