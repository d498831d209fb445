// The guides as a visitor meets them: every page and every link, the search, both schemes, narrow, no other machine asked.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";

const SCREENSHOTS = "test-results/screenshots";
const NARROW = { width: 390, height: 844 };
const WIDE = { width: 1440, height: 900 };
const TIMEOUT_MS = 120_000;
const FOLDER = join(import.meta.dirname, "../docs/guides");
const GUIDES = [...readdirSync(FOLDER).map((file) => file.replace(/\.md$/, "")), "glossary", "security"];

test.describe.configure({ timeout: TIMEOUT_MS });

/** What the browser complains about, and the addresses it asks outside the service. */
function watch(page: Page, baseURL = ""): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(baseURL)) complaints.push(`asked ${request.url()}`);
  });
  return complaints;
}

test("the code of a guide is copied with the address of this service", async ({ page, context, baseURL }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/guides/webhooks");
  await expect(page.getByText(`MB=${baseURL}`)).toBeVisible();
  await page.getByRole("button", { name: "Copy the code" }).first().click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`MB=${baseURL} KEY=`);
  await page.goto("/guides/quickstart");
  await expect(page.getByText(`smtp://127.0.0.1:${process.env.E2E_SMTP_PORT}`).first()).toBeVisible();
  await page.screenshot({ path: `${SCREENSHOTS}/quickstart-smtp.png` });
});

const sidewaysPixels = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("every guide opens under a strict policy and on a narrow screen, and no link is dead", async ({
  page,
  request,
  baseURL,
}) => {
  const complaints = watch(page, baseURL);
  await page.setViewportSize(NARROW);
  const ids = new Map<string, Set<string>>();
  const links = new Map<string, string>();
  for (const path of ["/guides", ...GUIDES.map((name) => `/guides/${name}`)]) {
    const answer = await page.goto(path);
    expect([path, answer?.status()]).toEqual([path, 200]);
    expect(answer?.headers()["content-security-policy"]).not.toContain("unsafe-");
    await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
    expect([path, await sidewaysPixels(page)]).toEqual([path, 0]);
    const found = await page.evaluate(() => ({
      ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
      hrefs: [...document.querySelectorAll("a")].map(({ href }) => href),
      images: [...document.querySelectorAll("img")].map(({ src }) => src),
    }));
    ids.set(path, new Set(found.ids));
    for (const href of [...found.hrefs, ...found.images]) links.set(href, path);
  }
  const own = [...links].filter(([href]) => href.startsWith(baseURL ?? ""));
  const dead: string[] = [];
  for (const [href, from] of own) {
    const { pathname, hash } = new URL(href);
    const anchors = ids.get(pathname);
    const isThere = anchors
      ? !hash || anchors.has(decodeURIComponent(hash.slice(1)))
      : (await request.get(pathname)).ok();
    if (!isThere) dead.push(`${from}: ${href}`);
  }
  expect(dead).toEqual([]);
  expect(own.length).toBeGreaterThan(GUIDES.length);
  expect((await request.get("/guides/nothing")).status()).toBe(404);
  expect((await request.get("/guides/images/nothing.png")).status()).toBe(404);
  expect(complaints).toEqual([]);
});

test("the search finds sections by their words, and leads to them", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Guides", exact: true }).click();
  const search = page.getByLabel("Search the guides");
  await search.fill("spf oldest due");
  await expect(page.getByRole("status")).toContainText("No guide contains");
  await search.fill("oldest due row");
  const found = page.getByRole("list", { name: "Found" }).getByRole("link");
  await expect(found.first()).toContainText("Watching: Metrics");
  await search.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/guides\/watching#metrics$/);
  await expect(page.getByRole("heading", { name: "Metrics", exact: true })).toBeInViewport();
  await expect(page).toHaveTitle("Watching · Mailberth");
});

test("what is typed before the script has loaded is searched for, and no button is there that does nothing", async ({
  page,
}) => {
  let load = () => {};
  const isLoaded = new Promise<void>((resolve) => {
    load = resolve;
  });
  await page.route(/\.js(\?|$)/, async (route) => {
    await isLoaded;
    await route.continue();
  });
  await page.goto("/guides/webhooks", { waitUntil: "commit" });
  const search = page.getByLabel("Search the guides");
  await search.fill("oldest due row");
  const copy = page.getByRole("button", { name: "Copy the code" });
  await expect(copy).toHaveCount(0);
  load();
  await expect(page.getByRole("list", { name: "Found" }).getByRole("link").first()).toContainText("Watching: Metrics");
  await expect(copy.first()).toBeVisible();
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("guides can be read", async ({ page }) => {
    await page.goto("/guides");
    await page.getByRole("main").getByRole("link", { name: "Domains", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Domains");
    await expect(
      page.getByRole("navigation", { name: "Guides" }).getByRole("link", { name: "PostgreSQL" }),
    ).toBeVisible();
  });
});

for (const { colorScheme, size } of [
  { colorScheme: "light", size: WIDE },
  { colorScheme: "dark", size: NARROW },
] as const) {
  test(`looks right and is accessible: ${colorScheme}, ${size.width} pixels`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(size);
    for (const name of ["", "watching", "dashboard"]) {
      await page.goto(`/guides/${name}`);
      await page.screenshot({
        path: `${SCREENSHOTS}/guides-${name || "all"}-${colorScheme}.png`,
        fullPage: name === "",
      });
      expect(await violationsIn(page)).toEqual([]);
    }
    await page.getByLabel("Search the guides").fill("dns records");
    await expect(page.getByRole("list", { name: "Found" })).toBeVisible();
    await page.screenshot({ path: `${SCREENSHOTS}/guides-search-${colorScheme}.png` });
    expect(await violationsIn(page)).toEqual([]);
  });
}
