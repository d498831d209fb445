// An owner joins with a company account of a real issuer, requires it, and a password opens the organization no more.
import { expect, test } from "@playwright/test";
import { companySettings, startIssuer } from "#test/support/issuer.ts";
import { freePort } from "#test/support/process.ts";
import { type RunningService, startService } from "./service.ts";

const STORY_MS = 120_000;
const PASSWORD = "correct horse battery";
const SCREENSHOTS = "test-results/screenshots";

let service: RunningService;
let issuer: Awaited<ReturnType<typeof startIssuer>>;

test.beforeAll(async () => {
  const port = await freePort();
  const employee = { sub: "1", email: "grace@acme.example", email_verified: true, name: "Grace Hopper" };
  issuer = await startIssuer(`http://127.0.0.1:${port}/auth/oidc/callback`, employee);
  service = await startService({ ...companySettings(issuer), PORT: String(port) });
});
test.afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

test("a company account joins, is required, and signs in again", async ({ page, browser }) => {
  test.setTimeout(STORY_MS);
  await page.goto(service.ownerLink);
  await page.getByLabel("E-mail").fill("ada@people.example");
  await page.getByLabel("Your name").fill("Ada");
  await page.getByRole("textbox", { name: /^Password/ }).fill(PASSWORD);
  await page.getByRole("button", { name: /^Join/ }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  await page.goto(`${service.baseUrl}/dashboard/settings/team`);
  await page.getByRole("button", { name: "Invite" }).first().click();
  await page.getByLabel("E-mail").fill(issuer.employee.email);
  await page.getByRole("radio", { name: /Owner/ }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Invite" }).click();
  const link = (await page.getByRole("dialog").locator("code").first().textContent()) ?? "";

  const context = await browser.newContext();
  const company = await context.newPage();
  await company.goto(`${service.baseUrl}/sign-in`);
  await company.getByRole("button", { name: "Continue with Acme" }).click();
  await expect(company.getByText("You are not invited yet")).toBeVisible();
  await company.screenshot({ path: `${SCREENSHOTS}/company-refused.png` });
  await company.goto(link.trim());
  await expect(company.getByRole("button", { name: "Continue with Acme" })).toBeVisible();
  await company.screenshot({ path: `${SCREENSHOTS}/company-join.png` });
  await company.getByRole("button", { name: "Continue with Acme" }).click();
  await expect(company).toHaveURL(/\/dashboard/);
  await company.goto(`${service.baseUrl}/dashboard/settings`);
  const require = company.getByRole("button", { name: "Require company sign-in" });
  await require.scrollIntoViewIfNeeded();
  await company.screenshot({ path: `${SCREENSHOTS}/company-require.png` });
  await require.click();
  await expect(company.getByRole("button", { name: "Allow passwords" })).toBeVisible();

  await page.goto(`${service.baseUrl}/dashboard/mail`);
  await expect(page).toHaveURL(/\/sign-in\?company=required/);
  await expect(page.getByText("requires sign-in with your company account")).toBeVisible();
  await page.screenshot({ path: `${SCREENSHOTS}/company-required.png` });
  await context.clearCookies();
  await company.goto(`${service.baseUrl}/sign-in?next=/dashboard/keys`);
  await company.getByRole("button", { name: "Continue with Acme" }).click();
  await expect(company).toHaveURL(`${service.baseUrl}/dashboard/keys`);

  await company.goto(`${service.baseUrl}/dashboard/settings/team`);
  await company.getByRole("button", { name: "Unlink the company account of Grace Hopper" }).click();
  const dialog = company.getByRole("dialog");
  await dialog.getByRole("textbox").fill(issuer.employee.email);
  await company.screenshot({ path: `${SCREENSHOTS}/company-unlink.png` });
  await dialog.getByRole("button", { name: "Unlink" }).click();
  await expect(company).toHaveURL(/\/sign-in/);
  await context.close();
});
