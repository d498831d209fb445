// An owner turns on a second factor, signs in with a code and with a recovery code, requires it of a member, and resets a lost one.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, type Page, test } from "@playwright/test";
import { freePort, PRELOAD } from "#test/support/process.ts";
import { appCode } from "#test/support/second-factor.ts";
import { violationsIn } from "./axe.ts";
import { type RunningService, startService } from "./service.ts";

const STORY_MS = 240_000;
const STEP_MS = 30_000;
const PASSWORD = "correct horse battery";
const SCREENSHOTS = "test-results/screenshots";
const ADA = "ada@people.example";
const BOB = "bob@people.example";

const SECRET = /^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/;

let service: RunningService;

test.beforeAll(async () => {
  service = await startService({ PORT: String(await freePort()) });
});
test.afterAll(() => service.stop());

async function join(page: Page, link: string, email: string | undefined, name: string) {
  await page.goto(link);
  if (email) await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("textbox", { name: /^Password/ }).fill(PASSWORD);
  await page.getByRole("button", { name: /^Join/ }).click();
}

const codeField = (page: Page) => page.getByRole("textbox", { name: /^Code/ });

/** From the form for the password to the recovery codes. @returns the secret, and the codes */
async function setUp(page: Page, picture: string) {
  await page.getByLabel("Your password").fill(PASSWORD);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("img", { name: "QR code of the secret" })).toBeVisible();
  await page.screenshot({ path: `${SCREENSHOTS}/${picture}-secret.png` });
  const secret = ((await page.getByText(SECRET).textContent()) ?? "").replaceAll(" ", "");
  await codeField(page).fill(appCode(secret, new Date()));
  await page.getByRole("button", { name: "Turn on" }).click();
  const list = page.getByRole("list", { name: "Recovery codes" });
  await expect(list.getByRole("listitem")).toHaveCount(10);
  await page.screenshot({ path: `${SCREENSHOTS}/${picture}-recovery-codes.png` });
  return { secret, codes: await list.getByRole("listitem").allTextContents() };
}

async function signIn(page: Page, email: string, code: string) {
  await page.goto(`${service.baseUrl}/sign-in`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("textbox", { name: /^Password/ }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await codeField(page).fill(code);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** The code of the next step, which no one used; the service takes it 30 seconds early. */
const nextCode = (secret: string) => appCode(secret, new Date(Date.now() + STEP_MS));

async function openMenu(page: Page, item: string) {
  await page.getByRole("button", { name: /^Your menu/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

test("a second factor is turned on, asked for, required, and reset", async ({ page, browser }) => {
  test.setTimeout(STORY_MS);
  await join(page, service.ownerLink, ADA, "Ada");
  await expect(page).toHaveURL(/\/dashboard/);
  await openMenu(page, "Second factor");
  const { secret, codes } = await setUp(page, "second-factor");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  expect(await readFile(await (await download).path(), "utf8")).toBe(`${codes.join("\n")}\n`);
  await page.getByRole("button", { name: "I have stored them" }).click();
  await openMenu(page, "Second factor");
  await expect(page.getByText("10 of your recovery codes are left")).toBeVisible();
  await page.screenshot({ path: `${SCREENSHOTS}/second-factor-on.png` });
  await page.getByRole("button", { name: "Cancel" }).click();

  await openMenu(page, "Sign out");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, ADA, "000000");
  await expect(page.getByText("The code is wrong")).toBeVisible();
  await page.screenshot({ path: `${SCREENSHOTS}/second-factor-sign-in.png` });
  expect(await violationsIn(page)).toEqual([]);
  await codeField(page).fill(nextCode(secret));
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  await openMenu(page, "Sign out");
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, ADA, codes[0] ?? "");
  await expect(page).toHaveURL(/\/dashboard/);

  await page.goto(`${service.baseUrl}/dashboard/settings`);
  const require = page.getByRole("button", { name: "Require a second factor" });
  await require.scrollIntoViewIfNeeded();
  await page.screenshot({ path: `${SCREENSHOTS}/second-factor-require.png` });
  await require.click();
  await expect(page.getByRole("button", { name: "Do not require it" })).toBeVisible();
  await page.goto(`${service.baseUrl}/dashboard/settings/team`);
  await page.getByRole("button", { name: "Invite" }).first().click();
  await page.getByLabel("E-mail").fill(BOB);
  await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  const link = (await page.getByRole("dialog").locator("code").first().textContent()) ?? "";

  const context = await browser.newContext();
  const bob = await context.newPage();
  await join(bob, link.trim(), undefined, "Bob");
  await expect(bob.getByRole("heading", { name: "Set up a second factor" })).toBeVisible();
  await bob.screenshot({ path: `${SCREENSHOTS}/second-factor-missing.png` });
  expect(await violationsIn(bob)).toEqual([]);
  await setUp(bob, "second-factor-bob");
  await bob.getByRole("button", { name: "I have stored them" }).click();
  await expect(bob.getByRole("button", { name: /^Your menu/ })).toBeVisible();

  await page.goto(`${service.baseUrl}/dashboard/settings/team`);
  await page.getByRole("button", { name: "Reset the second factor of Bob" }).click();
  await page.screenshot({ path: `${SCREENSHOTS}/second-factor-reset.png` });
  await page.getByRole("dialog").getByRole("textbox").fill(BOB);
  await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
  await expect(page.getByText("The second factor of Bob was reset")).toBeVisible();
  await bob.goto(`${service.baseUrl}/dashboard`);
  await expect(bob).toHaveURL(/\/sign-in/);
  await context.close();
});

test("a reset link says whether it works before a password is typed", async ({ page }) => {
  const args = [...PRELOAD, "server/admin.ts", "accounts", "reset-link", ADA, "--json"];
  const env = { ...process.env, ...service.environment };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  const { link } = JSON.parse(stdout) as { link: string };
  const isOver = page.getByRole("heading", { name: "This link does not work" });
  await page.goto(`${link}x`);
  await expect(isOver).toBeVisible();
  expect(await violationsIn(page)).toEqual([]);
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Set a new password" })).toBeVisible();
  expect(await violationsIn(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENSHOTS}/reset-password-form.png` });
  await page.getByLabel("New password").fill("an entirely new password");
  await page.getByRole("button", { name: "Set password" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await page.goto(link);
  await expect(isOver).toBeVisible();
  await expect(page.getByLabel("New password")).toHaveCount(0);
  await page.getByRole("link", { name: "Request a new link" }).click();
  await expect(page.getByRole("heading", { name: "Forgot password?" })).toBeVisible();
});
