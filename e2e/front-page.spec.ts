// The front page as a visitor meets it: addresses, story, endpoints, status, and what it does when the service is away.
import { expect, type Page, test } from "@playwright/test";

const SCREENSHOTS = "test-results/screenshots";
const NARROW = { width: 360, height: 780 };

/** Everything the browser complains about: console errors, uncaught exceptions, violations of the security policy. */
function listenForComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  return complaints;
}

async function openReady(page: Page): Promise<void> {
  await page.goto("/");
  await expect(page.locator(".addresses dd").first()).toContainText("/v1");
  await expect(page.locator(".health dl")).toContainText("yes");
}

test.describe("with the service up", () => {
  test("shows every address, and nothing the browser complains of", async ({ page, baseURL }) => {
    const complaints = listenForComplaints(page);
    const response = await page.goto("/");
    expect(response?.headers()["content-security-policy"]).toContain("default-src 'none'");
    expect(response?.headers()["content-security-policy"]).not.toContain("unsafe-");
    const addresses = page.locator(".addresses");
    await expect(addresses).toContainText(`${baseURL}/v1`);
    await expect(addresses).toContainText(`${baseURL}/trpc`);
    await expect(addresses).toContainText(`:${process.env.E2E_SMTP_PORT}`);
    await expect(addresses.getByRole("link", { name: "/v1/openapi.json" })).toHaveAttribute("href", "/v1/openapi.json");
    await expect(addresses.getByRole("link", { name: "/health" })).toBeVisible();
    await expect(addresses.getByRole("link", { name: "/metrics" })).toBeVisible();
    await expect(page).toHaveTitle(/Mailberth/);
    expect(complaints).toEqual([]);
  });

  test("says that the service is alive and ready", async ({ page }) => {
    await page.goto("/");
    const health = page.getByRole("region", { name: "Right now" });
    await expect(health.getByRole("definition")).toHaveText(["yes", "yes"]);
    await expect(health).toContainText(/answered in \d+ ms/);
  });

  test("copies a command of the story with this service's own address", async ({ page, context, baseURL }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openReady(page);
    await page.getByRole("button", { name: "Copy the command of step 1" }).click();
    await expect(page.getByRole("button", { name: "Copied" })).toBeVisible();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`curl -s ${baseURL}/v1/enroll \\\n`);
    expect(copied).toContain('"agent_handle": "scout"');
  });

  test("asks for the hand where the clipboard is closed", async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await openReady(page);
    await page.getByRole("button", { name: "Copy the REST address" }).click();
    await expect(page.getByRole("button", { name: "Select and copy" })).toBeVisible();
  });

  test("lists every operation of the OpenAPI document", async ({ page, request }) => {
    const document = (await (await request.get("/v1/openapi.json")).json()) as { paths: Record<string, object> };
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    await openReady(page);
    const rows = page.locator(".endpoints tbody tr:not(.group)");
    await expect(rows).toHaveCount(operations.length);
    const shown = await rows.evaluateAll((elements) =>
      elements.map((row) => {
        const [method, path] = row.querySelectorAll("td");
        return `${method?.textContent} ${path?.textContent}`;
      }),
    );
    expect(shown.sort()).toEqual(operations.sort());
  });

  test("is walked by the keyboard, beginning with the skip link", async ({ page }) => {
    await openReady(page);
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/#main$/);
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "First mailbox in four steps" })).toBeFocused();
  });
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`looks right in the ${colorScheme}, wide and narrow`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await openReady(page);
    await page.screenshot({ path: `${SCREENSHOTS}/front-${colorScheme}.png`, fullPage: true });
    await page.setViewportSize(NARROW);
    await page.screenshot({ path: `${SCREENSHOTS}/front-${colorScheme}-narrow.png`, fullPage: true });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
}

test.describe("with the service in trouble", () => {
  test("says when /health does not answer, and recovers when asked again", async ({ page }) => {
    await page.route("**/health", (route) => route.abort());
    await page.goto("/");
    const health = page.getByRole("region", { name: "Right now" });
    await expect(health).toContainText("no answer");
    await page.screenshot({ path: `${SCREENSHOTS}/front-health-away.png` });
    await page.unroute("**/health");
    await health.getByRole("button", { name: "Ask again" }).click();
    await expect(health.getByRole("definition")).toHaveText(["yes", "yes"]);
  });

  test("says when the service is alive but not ready", async ({ page }) => {
    await page.route("**/health", (route) => route.fulfill({ status: 503, json: { status: "unavailable" } }));
    await page.goto("/");
    await expect(page.getByRole("region", { name: "Right now" })).toContainText("the database is unavailable");
  });

  test("says when its description cannot be read, still tells the story, and recovers", async ({ page }) => {
    await page.route("**/v1/openapi.json", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto("/");
    await expect(page.getByText("/v1/openapi.json answered 500")).toHaveCount(2);
    await expect(page.getByRole("heading", { name: "Create a mailbox" })).toBeVisible();
    await page.screenshot({ path: `${SCREENSHOTS}/front-description-away.png`, fullPage: true });
    await page.unroute("**/v1/openapi.json");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await expect(page.locator(".addresses dd").first()).toContainText("/v1");
    await expect(page.locator(".endpoints")).toBeVisible();
  });

  test("shows where things will be while it waits", async ({ page }) => {
    await page.route("**/v1/openapi.json", () => new Promise(() => {}));
    await page.goto("/");
    await expect(page.locator(".addresses")).toHaveAttribute("aria-busy", "true");
    await page.screenshot({ path: `${SCREENSHOTS}/front-waiting.png`, fullPage: true });
  });
});

test("an address that leads nowhere answers 404 and shows the way back", async ({ page }) => {
  const complaints = listenForComplaints(page);
  const response = await page.goto("/no/such/page");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  await page.screenshot({ path: `${SCREENSHOTS}/not-found.png` });
  await page.getByRole("link", { name: "To the front page" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Mail for software agents.");
  // The browser itself reports the 404 of the page that was asked for.
  expect(complaints.filter((text) => !text.includes("404"))).toEqual([]);
});
