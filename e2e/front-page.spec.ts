// The front page as a visitor meets it: the example, the calls, addresses, status, and what it does when the service is away.
import { spawnSync } from "node:child_process";
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

/** What a command prints in a shell. */
function run(command: string, env: Record<string, string> = {}): string {
  const { status, stdout, stderr } = spawnSync("sh", ["-c", command], {
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  expect(status, stderr).toBe(0);
  return stdout;
}

async function openReady(page: Page): Promise<void> {
  await page.goto("/");
  await expect(page.locator(".addresses dd").first()).toContainText("/v1");
  await expect(page.locator(".health")).toContainText("Ready");
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

  test("says that the service is ready, by a clock of 24 hours", async ({ page }) => {
    await page.goto("/");
    await expect(page.locator(".health")).toHaveText(/^Ready \/health answered in \d+ ms at \d\d:\d\d:\d\d$/);
  });

  test("shows a mail and its code, and begins with the two calls", async ({ page }) => {
    await page.goto("/");
    const example = page.getByRole("figure", { name: /the waiting call returns its code/ });
    await expect(example).toContainText("scout@agents.example");
    await expect(example).toContainText('"482913"');
    await page.getByRole("link", { name: "See the two calls" }).click();
    await expect(page.getByRole("heading", { name: /^Two calls/ })).toBeInViewport();
  });

  test("the copied calls return the code", async ({ page, context, baseURL }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openReady(page);
    const copied = async (name: string, part: string) => {
      await page.getByRole("button", { name }).click();
      const text = () => page.evaluate(() => navigator.clipboard.readText());
      await expect.poll(text).toContain(part);
      return text();
    };
    const enroll = await copied("Copy the call that enrolls an agent", `curl -s ${baseURL}/v1/enroll -H`);
    const [call = ""] = enroll.replace("mb_enroll_…", process.env.E2E_ENROLLMENT_KEY ?? "").split("\nexport");
    const enrolled = JSON.parse(run(call)) as { agent_key: string };
    const calls = await copied("Copy the calls for REST", "/wait");
    expect(run(calls, { KEY: enrolled.agent_key })).toContain('"otp":"482913"');
  });

  test("the arrow keys walk the ways to call the service", async ({ page }) => {
    await openReady(page);
    const tab = (name: string) => page.getByRole("tab", { name });
    await tab("REST").focus();
    for (const name of ["TypeScript", "Python", "MCP", "Command", "REST", "TypeScript"]) {
      await page.keyboard.press("ArrowRight");
      await expect(tab(name)).toBeFocused();
      await expect(page.getByRole("tabpanel", { name })).toBeVisible();
    }
    await expect(page.getByRole("tabpanel")).toContainText("@mailberth/client");
    await page.keyboard.press("ArrowLeft");
    await expect(tab("REST")).toHaveAttribute("aria-selected", "true");
  });

  test("asks for the hand where the clipboard is closed", async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
    });
    await openReady(page);
    await page.getByRole("button", { name: "Copy the REST address" }).click();
    await expect(page.getByRole("button", { name: "Select and copy" })).toBeVisible();
  });

  test("is walked by the keyboard, beginning with the skip link", async ({ page }) => {
    await openReady(page);
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "Skip to the content" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/#main$/);
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "See the two calls" })).toBeFocused();
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
    const health = page.locator(".health");
    await expect(health).toContainText("No answer");
    await page.screenshot({ path: `${SCREENSHOTS}/front-health-away.png` });
    await page.unroute("**/health");
    await health.getByRole("button", { name: "Ask again" }).click();
    await expect(health).toContainText("Ready");
  });

  test("says when the service is alive but not ready", async ({ page }) => {
    await page.route("**/health", (route) => route.fulfill({ status: 503, json: { status: "unavailable" } }));
    await page.goto("/");
    await expect(page.locator(".health")).toContainText("the database is unavailable");
  });

  test("says when its description cannot be read, still shows the calls, and recovers", async ({ page }) => {
    await page.route("**/v1/openapi.json", (route) => route.fulfill({ status: 500, body: "" }));
    await page.goto("/");
    await expect(page.getByText("/v1/openapi.json answered 500")).toBeVisible();
    await expect(page.getByRole("tabpanel", { name: "REST" })).toContainText(
      "https://your-mailberth.example/v1/inboxes",
    );
    await page.screenshot({ path: `${SCREENSHOTS}/front-description-away.png`, fullPage: true });
    await page.unroute("**/v1/openapi.json");
    await page.getByRole("button", { name: "Try again" }).first().click();
    await expect(page.locator(".addresses dd").first()).toContainText("/v1");
    await expect(page.getByRole("tabpanel", { name: "REST" })).not.toContainText("your-mailberth");
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
