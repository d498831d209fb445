// The API reference as a visitor meets it: every operation, nothing asked of other machines, a call tried, both schemes, narrow.
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";
import { size } from "#test/sizes.ts";

const SCREENSHOTS = "test-results/screenshots";
const NARROW = { width: 390, height: 844 };
/** It draws 38 operations, and axe looks at each part of what is open. */
const TIMEOUT_MS = 120_000;
const DRAWN_WITHIN_MS = 30_000;
const OPENED = ["POST /v1/inboxes", "GET /v1/inboxes/{addr}/messages", "PATCH /v1/webhooks/{id}"];
const A_KEY = "mb_agent_of_a_test";

test.describe.configure({ timeout: TIMEOUT_MS });

type Watched = { complaints: string[]; requests: string[] };

/** Everything the browser complains about, and every address it asks. */
function watch(page: Page): Watched {
  const watched: Watched = { complaints: [], requests: [] };
  page.on("pageerror", (error) => watched.complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") watched.complaints.push(message.text());
  });
  page.on("request", (request) => watched.requests.push(request.url()));
  return watched;
}

async function openReady(page: Page): Promise<void> {
  await page.goto("/docs");
  await expect(page.locator(".opblock").first()).toBeVisible({ timeout: DRAWN_WITHIN_MS });
}

async function shownOperations(page: Page): Promise<string[]> {
  return page.locator(".opblock").evaluateAll((blocks) =>
    blocks.map((block) => {
      const text = (selector: string) => block.querySelector(selector)?.textContent ?? "";
      return `${text(".opblock-summary-method")} ${text(".opblock-summary-path")}`;
    }),
  );
}

async function openOperation(page: Page, name: string) {
  const block = page.locator(".opblock").nth((await shownOperations(page)).indexOf(name));
  await block.locator(".opblock-summary-control").click();
  await expect(block.getByRole("button", { name: "Try it out" })).toBeVisible();
  return block;
}

async function seriousViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`);
}

test.describe("with the service up", () => {
  test("shows every operation under a strict policy, and asks no other machine", async ({ page, request, baseURL }) => {
    const { complaints, requests } = watch(page);
    const response = await page.goto("/docs");
    expect(response?.headers()["content-security-policy"]).not.toContain("unsafe-");
    const document = (await (await request.get("/v1/openapi.json")).json()) as { paths: Record<string, object> };
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    await expect(page.locator(".opblock")).toHaveCount(operations.length, { timeout: DRAWN_WITHIN_MS });
    expect((await shownOperations(page)).sort()).toEqual(operations.sort());
    for (const name of OPENED) await openOperation(page, name);
    await expect(page).toHaveTitle("API reference · Mailberth");
    expect(requests.filter((url) => new URL(url).origin !== baseURL)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("shows examples of what is sent and answered, none of them made up from a pattern", async ({ page }) => {
    await openReady(page);
    const block = await openOperation(page, "POST /v1/inboxes");
    await expect(block.locator(".opblock-section-request-body")).toContainText('"display_name": "Billing bot"');
    await expect(block.locator("[data-code='201']")).toContainText('"address": "quiet-otter-4821@');
  });

  test("tries a call with the key that was given, and without one when it is taken back", async ({ page, baseURL }) => {
    await openReady(page);
    const field = page.getByLabel("Agent key");
    await field.fill(A_KEY);
    const block = await openOperation(page, "GET /v1/auth/me");
    await block.getByRole("button", { name: "Try it out" }).click();
    const execute = block.getByRole("button", { name: "Execute" });
    const [asked] = await Promise.all([page.waitForRequest(`${baseURL}/v1/auth/me`), execute.click()]);
    expect(asked.headers().authorization).toBe(`Bearer ${A_KEY}`);
    await expect(block.locator(".live-responses-table")).toContainText("unauthorized");
    expect(await seriousViolations(page)).toEqual([]);
    await field.clear();
    const [again] = await Promise.all([page.waitForRequest(`${baseURL}/v1/auth/me`), execute.click()]);
    expect(again.headers()).not.toHaveProperty("authorization");
  });

  test("opens an operation by the keyboard alone", async ({ page }) => {
    await openReady(page);
    await page.getByLabel("Agent key").focus();
    const control = page.locator(".opblock-summary-control").first();
    for (let press = 0; press < OPENED.length * 2 && !(await control.evaluate((it) => it.matches(":focus"))); press++) {
      await page.keyboard.press("Tab");
    }
    await expect(control).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(control).toHaveAttribute("aria-expanded", "true");
  });

  test("is reached from the front page, and leads back", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("link", { name: "API reference" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("API reference");
    await expect(page.getByRole("link", { name: "OpenAPI document" })).toHaveAttribute("href", "/v1/openapi.json");
    await page.getByRole("link", { name: "Front page", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mail for software agents.");
  });
});

/** The first is the one that finds most: contrast on dark, width on narrow. */
const LOOKS = [
  { colorScheme: "dark", narrow: true },
  { colorScheme: "light", narrow: false },
  { colorScheme: "light", narrow: true },
  { colorScheme: "dark", narrow: false },
] as const;

for (const { colorScheme, narrow } of LOOKS.slice(0, size("DOCS_LOOKS"))) {
  const name = `${colorScheme}${narrow ? "-narrow" : ""}`;
  test(`looks right and is accessible: ${name}`, async ({ page }, testInfo) => {
    await page.emulateMedia({ colorScheme });
    if (narrow) await page.setViewportSize(NARROW);
    await openReady(page);
    const look = async (path: string) => {
      await testInfo.attach(path, { body: await page.screenshot({ path }), contentType: "image/png" });
    };
    await expect(page.getByLabel("Agent key")).toBeInViewport({ ratio: 1 });
    const field = await page.getByLabel("Agent key").boundingBox();
    expect(field?.width).toBeGreaterThan(NARROW.width / 2);
    await look(`${SCREENSHOTS}/docs-${name}.png`);
    const opened = await openOperation(page, OPENED[0] ?? "");
    await (await openOperation(page, OPENED[1] ?? "")).getByRole("button", { name: "Try it out" }).click();
    expect(await seriousViolations(page)).toEqual([]);
    await opened.evaluate((block) => block.scrollIntoView({ behavior: "instant" }));
    await look(`${SCREENSHOTS}/docs-${name}-open.png`);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}

test.describe("with the service in trouble", () => {
  test("says when the document cannot be read, and recovers", async ({ page }) => {
    await page.route("**/v1/openapi.json", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto("/docs");
    await expect(page.getByRole("main").getByRole("alert")).toContainText("/v1/openapi.json answered 500");
    await page.screenshot({ path: `${SCREENSHOTS}/docs-document-away.png` });
    await page.unroute("**/v1/openapi.json");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.locator(".opblock").first()).toBeVisible({ timeout: DRAWN_WITHIN_MS });
  });

  test("says when what draws the document cannot be loaded, and recovers", async ({ page, request }) => {
    const html = await (await request.get("/docs")).text();
    // What the page itself names is let through; what it loads later is not.
    const later = (url: URL) => url.pathname.startsWith("/_next/static/chunks/") && !html.includes(url.pathname);
    await page.route(later, (route) => route.abort());
    await page.goto("/docs");
    await expect(page.getByRole("main").getByRole("alert")).toContainText("The viewer could not be read");
    await page.unroute(later);
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.locator(".opblock").first()).toBeVisible({ timeout: DRAWN_WITHIN_MS });
  });

  test("shows where things will be while it waits", async ({ page }) => {
    await page.route("**/v1/openapi.json", () => new Promise(() => {}));
    await page.goto("/docs");
    await expect(page.locator("[aria-busy='true']")).toBeVisible();
    await page.screenshot({ path: `${SCREENSHOTS}/docs-waiting.png` });
  });
});
