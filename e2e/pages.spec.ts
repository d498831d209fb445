// Every page of the dashboard with something in it: in both colour schemes, wide and narrow, for axe, for the policy of its
// headers, and for what it loads. The screenshots are kept; how long a page takes is printed and not judged.
import { gzipSync } from "node:zlib";
import { type BrowserContext, expect, type Page, type Request, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { isNightly, size } from "#test/sizes.ts";
import { violationsIn } from "./axe.ts";
import { ask, call, signInAsOwner } from "./owner.ts";
import { shiftOf, watchShifts } from "./shifts.ts";
import { smallTargets } from "./targets.ts";

const SCREENSHOTS = "test-results/screenshots";
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
const FIRST_SCRIPT_MAX = 240 * 1024;
const OVERVIEW_SCRIPT_MAX = 180 * 1024;
const OVERVIEW_MAX = 350 * 1024;
/** What Web Vitals call good. */
const SHIFT_MAX = 0.1;
const ROW_MAX_PX = 46;
/** What is there until something is read. */
const LOADING = ".mantine-Skeleton-root, [aria-busy=true]";
const DAY_MS = 86_400_000;
/** Four looks at a page, two of them with axe. */
const TIMEOUT_MS = 120_000;

type Row = { id: string };
type Places = Record<string, string>;
let places: Places;

/** A message of an agent that waits, and that a member changed. */
async function holdMessage(
  context: BrowserContext,
  baseURL: string,
  { token, inbox }: { token: string; inbox: string },
): Promise<string> {
  const enrolled = await context.request.post(`${baseURL}/v1/enroll`, { data: { token, agent_handle: "pages" } });
  const { agent_key: agentKey } = (await enrolled.json()) as { agent_key: string };
  await call(context, baseURL, "reviews.setPolicy", { inbox, review: "all" });
  const mail = {
    to: ["ann@else.example"],
    subject: "Your quote",
    text: "Dear Ann,\n\nwe can deliver on Monday for 90 EUR.\n",
  };
  const sent = await context.request.post(`${baseURL}/v1/inboxes/${encodeURIComponent(inbox)}/send`, {
    headers: { Authorization: `Bearer ${agentKey}` },
    data: mail,
  });
  const { id } = (await sent.json()) as Row;
  await call(context, baseURL, "reviews.setPolicy", { inbox, review: null });
  const { sha256 } = await ask<{ sha256: string }>(context, baseURL, "reviews.get", { id });
  const text = mail.text.replace("Monday for 90", "Tuesday for 95");
  await call(context, baseURL, "reviews.edit", { ...mail, id, sha256, cc: [], bcc: [], text, html: null });
  return id;
}

/** A key, an inbox with mail, a domain, a webhook with a delivery: by the calls that the pages make themselves. */
async function furnish(context: BrowserContext, baseURL: string): Promise<Places> {
  const key = await call<Row & { key: string }>(context, baseURL, "keys.issue", {
    name: "Support agents",
    max_mailboxes: 20,
  });
  const inbox = await call<{ address: string }>(context, baseURL, "inboxes.createWith", {
    enrollment_key_id: key.id,
    username: `shown-${process.pid}`,
    client_id: "pages",
    display_name: "Support",
  });
  const webhook = await call<Row>(context, baseURL, "webhooks.register", {
    // An unused port.
    url: "http://127.0.0.1:9/hooks/mail",
    events: ["message.received"],
  });
  const port = Number(process.env.E2E_SMTP_PORT);
  const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } });
  const mail = { from: "Acme Shop <shop@else.example>", to: inbox.address, subject: "Your order is on its way" };
  const html =
    "<h1>On its way</h1><p>Your order left us <b>today</b>.</p><p><a href='https://else.example/track'>Track it</a></p>";
  await transport.sendMail({ ...mail, html, text: "Your order left us today." });
  transport.close();
  const seen = async <Found>(look: () => Promise<Found | undefined>): Promise<Found> => {
    let found: Found | undefined;
    await expect.poll(async () => (found = await look())).toBeTruthy();
    return found as Found;
  };
  const thread = await seen(
    async () => (await ask<{ data: Row[] }>(context, baseURL, "threads.list", { addr: inbox.address })).data[0],
  );
  const delivery = await seen(
    async () => (await ask<{ data: Row[] }>(context, baseURL, "webhooks.listDeliveries", { id: webhook.id })).data[0],
  );
  const receiver = await call<Row>(context, baseURL, "webhooks.createReceiver", {});
  const domain = await call<Row>(context, baseURL, "domains.create", { domain: "agents.shown.example" });
  await call(context, baseURL, "suppressions.add", { address: "gone@shown.example", reason: "Asked by phone" });
  const sent = await call<{ thread_id: string }>(context, baseURL, "messages.send", {
    addr: inbox.address,
    to: ["ann@else.example", `no-such-inbox-${process.pid}@mail.localhost`],
    // The unknown address is suppressed after the first send, and a test that fails furnishes again.
    idempotency_key: "pages",
    subject: "Your invoice",
    text: "It is attached.",
  });
  await call(context, baseURL, "messages.send", {
    addr: inbox.address,
    to: "ann@else.example",
    idempotency_key: `pages-later-${inbox.address}`,
    subject: "Your monthly report",
    text: "Attached.",
    send_at: new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + DAY_MS).toISOString(),
  });
  await call(context, baseURL, "drafts.create", {
    inbox: inbox.address,
    to: "ben@else.example",
    subject: "Our offer",
    text: "Hello",
  });
  const withdrawn = await call<Row>(context, baseURL, "messages.send", {
    addr: inbox.address,
    to: "ann@else.example",
    subject: "Sent to the wrong Ann",
    text: "Sorry",
  });
  await call(context, baseURL, "messages.remove", { id: withdrawn.id });
  const held = await holdMessage(context, baseURL, { token: key.key, inbox: inbox.address });
  await call(context, baseURL, "lists.add", {
    direction: "send",
    list: "block",
    entry: "rival.example",
    reason: "A rival",
  });
  const agents = await ask<{ data: Row[] }>(context, baseURL, "agents.list", { limit: 1 });
  const address = encodeURIComponent(inbox.address);
  return {
    overview: "/dashboard",
    inboxes: "/dashboard/inboxes",
    mail: `/dashboard/mail?inbox=${address}`,
    thread: `/dashboard/mail?inbox=${address}&thread=${thread.id}`,
    sent: `/dashboard/mail?inbox=${address}&thread=${sent.thread_id}`,
    outbox: "/dashboard/outbox",
    trash: "/dashboard/trash",
    "all-mail": "/dashboard/all-mail",
    calls: "/dashboard/calls",
    approvals: "/dashboard/approvals",
    approval: `/dashboard/approvals?id=${held}`,
    lists: "/dashboard/lists",
    suppressions: "/dashboard/suppressions",
    domains: "/dashboard/domains",
    domain: `/dashboard/domains?id=${domain.id}`,
    webhooks: "/dashboard/webhooks",
    webhook: `/dashboard/webhooks?id=${webhook.id}`,
    delivery: `/dashboard/webhooks?id=${webhook.id}&delivery=${delivery.id}`,
    receiver: `/dashboard/webhooks?id=${receiver.id}`,
    debugger: "/dashboard/webhooks/debugger",
    agents: "/dashboard/agents",
    agent: `/dashboard/agents?id=${agents.data[0]?.id}`,
    keys: "/dashboard/keys",
    key: `/dashboard/keys?id=${key.id}`,
    payments: "/dashboard/payments",
    settings: "/dashboard/settings",
    notices: "/dashboard/settings/notices",
    team: "/dashboard/settings/team",
    service: "/dashboard/settings/service",
    audit: "/dashboard/settings/audit",
    apps: "/dashboard/settings/apps",
    connect: `/dashboard/connect?${await appRequest(baseURL)}`,
    "connect-refused": "/dashboard/connect?error=invalid_redirect&error_description=invalid+redirect+uri",
  };
}

/** What the page that asks about an app has in its query: the service need not have signed it to show it. */
async function appRequest(baseURL: string): Promise<URLSearchParams> {
  const redirect_uri = "http://127.0.0.1:33418/callback";
  const answer = await fetch(`${baseURL}/auth/oauth2/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Editor", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" }),
  });
  const { client_id } = (await answer.json()) as { client_id: string };
  return new URLSearchParams({ client_id, redirect_uri, scope: "mailbox:read mailbox:send mailbox:create" });
}

const OUTSIDE: Places = {
  "sign-in": "/sign-in",
  "forgot-password": "/forgot-password",
  "reset-password": "/reset-password?token=none",
  join: "/join#none",
};
const INSIDE = [
  ..."overview inboxes mail thread sent outbox all-mail calls trash approvals approval lists suppressions domains domain webhooks webhook delivery receiver debugger agents agent keys key payments settings notices team service audit apps connect connect-refused".split(
    " ",
  ),
];

/** The browser's own lines: about answers of 4xx, and about a mail's frame, where the tools of this test may run nothing either. */
const EXPECTED = /status of 40\d|^Blocked script execution in '[^']*\/mail-html\//;

/** Console errors, uncaught exceptions, violations of the policy. */
function listen(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    const text = message.text();
    if (message.type() === "error" && !EXPECTED.test(text)) complaints.push(text);
  });
  return complaints;
}

async function open(page: Page, path: string): Promise<number> {
  await page.goto(path, { waitUntil: "commit" });
  const shown = await page.waitForFunction(
    (loading) => document.querySelector("h1") && !document.querySelector(loading) && performance.now(),
    LOADING,
  );
  return Math.round((await shown.jsonValue()) || 0);
}

/** What the page's HTML itself asks for, compressed. */
async function firstScriptBytes(page: Page, path: string): Promise<number> {
  const html = await (await page.request.get(path)).text();
  const tags = [...html.matchAll(/<script[^>]*\ssrc="([^"]+)"[^>]*>/g)];
  // What browsers of today do not load is left out.
  const scripts = new Set(tags.flatMap(([tag, src]) => (/\snoModule/i.test(tag) ? [] : (src ?? []))));
  let bytes = 0;
  for (const src of scripts) bytes += gzipSync(await (await page.request.get(src)).body()).length;
  return bytes;
}

/** All that a first visit of the overview loads, compressed, until its menus and notices are there too. */
test("the overview loads little in all", async ({ page, context, baseURL }) => {
  await signInAsOwner(context, baseURL ?? "");
  const requests: Request[] = [];
  page.on("requestfinished", (request) => requests.push(request));
  await open(page, "/dashboard");
  await expect(page.getByRole("button", { name: "Your menu: Olive Owner" })).toBeVisible();
  await expect(page.locator(".mantine-Notifications-root").first()).toBeAttached();
  const sizes = await Promise.all(requests.map((request) => request.sizes()));
  const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  console.log(`overview: ${(bytes / 1024).toFixed(1)} KiB in ${requests.length} requests`);
  expect(bytes).toBeLessThanOrEqual(OVERVIEW_MAX);
});

/** Contrast is a matter of the scheme, order and names of the width: two of the four looks have both. */
const LOOKS = [
  { colorScheme: "light", width: "wide", hasAxe: true },
  { colorScheme: "dark", width: "narrow", hasAxe: true },
  { colorScheme: "light", width: "narrow", hasAxe: false },
  { colorScheme: "dark", width: "wide", hasAxe: false },
] as const;

/** Rows that are higher than two lines, except with a value that shows all of its lines, and badges that are cut. */
function oddRows(page: Page): Promise<string[]> {
  return page.evaluate((max) => {
    const rows = [...document.querySelectorAll("tbody tr:not(:has([data-tall]))")];
    const high = rows.filter((row) => row.getBoundingClientRect().height > max);
    const badges = [...document.querySelectorAll("td .mantine-Badge-label")];
    const cut = badges.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
    return [...high, ...cut].map(({ textContent }) => textContent);
  }, ROW_MAX_PX);
}

/** @param at its place in the list: with one look at each page, every second page is looked at in the dark and narrow */
function looks(name: string, at: number, path: () => string): void {
  const first = isNightly ? 0 : at % 2;
  const chosen = LOOKS.slice(first, first + size("PAGE_LOOKS"));
  test(`${name}: right in the colour schemes, wide and narrow, and loads little`, async ({ page }) => {
    test.setTimeout(TIMEOUT_MS);
    const complaints = listen(page);
    await watchShifts(page);
    const bytes = await firstScriptBytes(page, path().split("#", 1)[0] ?? "");
    expect(bytes).toBeLessThanOrEqual(name === "overview" ? OVERVIEW_SCRIPT_MAX : FIRST_SCRIPT_MAX);
    for (const { colorScheme, width, hasAxe } of chosen) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize(width === "wide" ? WIDE : NARROW);
      const shown = await open(page, path());
      // Before the screenshot, for which the browser makes the page as high as its content.
      const shift = await shiftOf(page);
      console.log(
        `${name}, ${colorScheme}: ${(bytes / 1024).toFixed(1)} KiB of script first, shown after ${shown} ms, moved by ${shift.toFixed(3)}`,
      );
      expect(shift, `${colorScheme} ${width}: the content moves while it loads`).toBeLessThanOrEqual(SHIFT_MAX);
      await page.screenshot({ path: `${SCREENSHOTS}/${name}-${colorScheme}-${width}.png`, fullPage: true });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `${colorScheme} ${width} scrolls sideways`).toBeLessThanOrEqual(0);
      if (width === "wide") expect(await oddRows(page), "rows of tables").toEqual([]);
      if (width === "narrow") expect(await smallTargets(page), `${colorScheme}: too small for a thumb`).toEqual([]);
      if (hasAxe) expect(await violationsIn(page), `${colorScheme} ${width}`).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });
}

test.describe("signed in", () => {
  test.beforeAll(async ({ browser, baseURL }) => {
    const context = await browser.newContext();
    await signInAsOwner(context, baseURL ?? "");
    places = await furnish(context, baseURL ?? "");
    await context.close();
  });
  test.beforeEach(({ context, baseURL }) => signInAsOwner(context, baseURL ?? ""));
  for (const [at, name] of INSIDE.entries()) looks(name, at, () => places[name] ?? "");
});

test.describe("signed out", () => {
  for (const [at, [name, path]] of Object.entries(OUTSIDE).entries()) looks(name, at, () => path);
});
