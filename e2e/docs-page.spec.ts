// The API reference as a visitor meets it: every operation, nothing asked of other machines, a call tried, both schemes, narrow.
import { expect, type Page, test } from "@playwright/test";
import { size } from "#test/sizes.ts";
import { violationsIn } from "./axe.ts";

const SCREENSHOTS = "test-results/screenshots";
const NARROW = { width: 390, height: 844 };
/** It draws all operations, and axe looks at each part of what is open. */
const TIMEOUT_MS = 120_000;
const DRAWN_WITHIN_MS = 30_000;
const OPENED = "GET /v1/inboxes/{addr}/messages";
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

async function openReady(page: Page, hash = ""): Promise<void> {
  await page.goto(`/docs${hash}`);
  await expect(page.locator("[data-operation]").first()).toBeVisible({ timeout: DRAWN_WITHIN_MS });
}

const operation = (page: Page, name: string) => page.locator(`[data-operation="${name}"]`);

/** Every operation, resource by resource. */
async function shownOperations(page: Page): Promise<string[]> {
  const resources = page.getByRole("navigation", { name: "Operations" }).locator("> ul > li > a");
  const shown: string[] = [];
  for (const resource of await resources.all()) {
    await resource.click();
    await expect(page.getByRole("heading", { level: 2, name: await resource.innerText() })).toBeVisible();
    const all = await page.locator("[data-operation]").all();
    for (const one of all) shown.push((await one.getAttribute("data-operation")) ?? "");
  }
  return shown;
}

test.describe("with the service up", () => {
  test("shows every operation under a strict policy, and asks no other machine", async ({ page, request, baseURL }) => {
    const { complaints, requests } = watch(page);
    const response = await page.goto("/docs");
    expect(response?.headers()["content-security-policy"]).not.toContain("unsafe-");
    const document = (await (await request.get("/v1/openapi.json")).json()) as {
      paths: Record<string, object>;
      webhooks: object;
    };
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const events = Object.keys(document.webhooks).map((name) => `EVENT ${name}`);
    await expect(page.locator("[data-operation]").first()).toBeVisible({ timeout: DRAWN_WITHIN_MS });
    expect((await shownOperations(page)).sort()).toEqual([...operations, ...events].sort());
    await expect(page.getByRole("heading", { level: 2, name: "Errors" })).toBeVisible();
    await expect(page.getByText("address_taken", { exact: true })).toBeVisible();
    await expect(page).toHaveTitle("API reference · Mailberth");
    expect(requests.filter((url) => new URL(url).origin !== baseURL)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test("shows examples, samples in four languages, and finds an operation by its words", async ({ page }) => {
    await openReady(page, "#createInbox");
    const create = operation(page, "POST /v1/inboxes");
    await expect(create).toBeInViewport();
    await expect(create).toContainText('"display_name": "Billing bot"');
    await expect(create).toContainText('"address": "quiet-otter-4821@');
    await expect(create.locator("summary", { hasText: "409" })).toContainText("address_taken");
    for (const [language, code] of [
      ["TypeScript", 'method: "POST"'],
      ["Python", "requests.post("],
      ["Command", "mailberth inboxes create"],
      ["curl", "curl -X POST"],
    ] as const) {
      await create.getByRole("button", { name: language }).click();
      await expect(create).toContainText(code);
    }
    await page.getByLabel("Search the reference").fill("rotate secret");
    await page.getByRole("link", { name: "Rotate" }).first().click();
    await expect(operation(page, "POST /v1/webhooks/{id}/rotate-secret")).toBeInViewport();
    await page.goBack();
    await expect(create).toBeInViewport();
    await openReady(page, "#receiveMessage");
    await expect(operation(page, "EVENT message.received")).toContainText("X-Service-Signature");
    await expect(operation(page, "EVENT message.received")).toContainText('"event": "message.received"');
  });

  test("begins with enrollment and inboxes, and a message is sent as its example stands", async ({ page }) => {
    await openReady(page);
    const resources = page.getByRole("navigation", { name: "Operations" }).locator("> ul > li > a");
    await expect(resources.nth(0)).toHaveText("Enrollment");
    await expect(resources.nth(1)).toHaveText("Inboxes");
    await expect(page.getByRole("heading", { level: 2, name: "Enrollment" })).toBeVisible();
    const issue = page.locator("#agent-key-about").getByRole("link", { name: "Issue an agent key" });
    await expect(issue).toHaveAttribute("href", "/dashboard/agents?issue");
    await page.locator("#agent-key-about").getByRole("link", { name: "redeem an enrollment key" }).click();
    await expect(operation(page, "POST /v1/enroll")).toBeInViewport();
    await openReady(page, "#sendMessage");
    const send = operation(page, "POST /v1/inboxes/{addr}/send");
    await expect(send).toContainText('"status": "queued"');
    await expect(send).not.toContainText('"would_send":');
    await send.getByRole("button", { name: "Try it" }).click();
    const body = JSON.parse(await send.getByLabel("Body").inputValue()) as object;
    expect(Object.keys(body)).toEqual(["to", "subject", "text"]);
    await send.getByRole("button", { name: "Enter one" }).click();
    await expect(page.getByLabel("Agent key")).toBeFocused();
  });

  test("tries a call with the key that was given, by the keyboard alone, and without one when it is taken back", async ({
    page,
    baseURL,
  }) => {
    await openReady(page, "#getCaller");
    const field = page.getByLabel("Agent key");
    await field.fill(A_KEY);
    const block = operation(page, "GET /v1/auth/me");
    await block.getByRole("button", { name: "Try it" }).focus();
    await page.keyboard.press("Enter");
    const send = block.getByRole("button", { name: "Send" });
    await send.focus();
    const [asked] = await Promise.all([page.waitForRequest(`${baseURL}/v1/auth/me`), page.keyboard.press("Enter")]);
    expect(asked.headers().authorization).toBe(`Bearer ${A_KEY}`);
    await expect(block.getByRole("status")).toContainText("unauthorized");
    expect(await violationsIn(page)).toEqual([]);
    await field.clear();
    const [again] = await Promise.all([page.waitForRequest(`${baseURL}/v1/auth/me`), send.click()]);
    expect(again.headers()).not.toHaveProperty("authorization");
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
    const opened = operation(page, OPENED);
    await page.goto("/docs#listMessages");
    await opened.getByRole("button", { name: "Try it" }).click();
    for (const details of await opened.locator("details").all()) await details.locator("> summary").click();
    expect(await violationsIn(page)).toEqual([]);
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
    await expect(page.locator("[data-operation]").first()).toBeVisible({ timeout: DRAWN_WITHIN_MS });
  });

  test("shows where things will be while it waits", async ({ page }) => {
    await page.route("**/v1/openapi.json", () => new Promise(() => {}));
    await page.goto("/docs");
    await expect(page.locator("[aria-busy='true']")).toBeVisible();
    await page.screenshot({ path: `${SCREENSHOTS}/docs-waiting.png` });
  });
});
