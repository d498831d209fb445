// Spam in the dashboard: an admin chooses quarantine, a member reads what is there and delivers it.
import { expect, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, mail, messagesOf, NARROW, newInbox, openMail, openThread } from "./mailbox.ts";
import { signInAsOwner } from "./owner.ts";

const SCREENSHOTS = "test-results/screenshots";
const html =
  '<p>Verify your account within 24 hours: <a href="http://203.0.113.4/x">www.paypal.com</a></p><p>Claim your prize</p>';
const from = { name: "PayPal", address: "a@fraud.example" };

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

test("spam stays in quarantine until a member says that it is none", async ({ page, context }) => {
  const addr = await newInbox(context);
  await page.goto("/dashboard/inboxes");
  await page.getByRole("button", { name: `Actions for ${addr}` }).click();
  await page.getByRole("menuitem", { name: "Spam" }).click();
  const dialog = page.getByRole("dialog", { name: "What becomes of spam?" });
  await expect(dialog.getByRole("radio", { name: "As the organization: mark it" })).toBeChecked();
  await dialog.getByRole("radio", { name: "Keep it in quarantine" }).click();
  await expect(page.getByText("Saved")).toBeVisible();
  await page.screenshot({ path: `${SCREENSHOTS}/spam-setting.png` });

  await openMail(page, addr);
  await page.getByRole("button", { name: "View quarantine" }).click();
  await expect(page.getByText("No mail is in quarantine.")).toBeVisible();
  await mail(addr, "Your account", { from, html });
  await mail(addr, "Another fraud", { from, html });
  await openThread(page, "Your account");
  const shows = page.getByRole("radiogroup", { name: "Which mail" });
  await expect(shows.getByText("Quarantine 2")).toBeVisible();
  const box = page.getByRole("checkbox", { name: /^Select all/ });
  await expect(box).toBeDisabled();
  await expect(page.locator("[title^='Mail in quarantine is decided one by one']").filter({ has: box })).toBeVisible();
  const note = page.getByRole("note", { name: "Verdict on spam" });
  await expect(note).toContainText("In quarantine: it is left out of lists, waits and webhooks.");
  await expect(note.getByText("A link leads to an IP address.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Reply" })).toHaveCount(0);
  expect(await violationsIn(page)).toEqual([]);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${SCREENSHOTS}/quarantine-${colorScheme}.png` });
  }
  const size = page.viewportSize();
  await page.setViewportSize(NARROW);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(NARROW.width);
  await page.getByRole("button", { name: "Back to the list" }).click();
  await page.screenshot({ path: `${SCREENSHOTS}/quarantine-narrow.png` });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(NARROW.width);
  if (size) await page.setViewportSize(size);

  await page.goto("/dashboard/inboxes");
  const counted = page.getByRole("row", { name: new RegExp(addr) }).getByRole("link", { name: "2 in quarantine" });
  await expect(counted).toBeVisible();
  await page.screenshot({ path: `${SCREENSHOTS}/quarantine-inboxes.png` });
  await counted.click();
  await expect(page.getByRole("link", { name: /Another fraud/ })).toBeVisible();
  await page.goto("/dashboard/all-mail");
  await page.getByLabel("State").selectOption("In quarantine");
  const held = page
    .getByRole("row")
    .filter({ hasText: addr })
    .filter({ has: page.getByRole("link", { name: "Your account" }) });
  await expect(held).toContainText("In quarantine");
  await page.screenshot({ path: `${SCREENSHOTS}/quarantine-all-mail.png` });
  await held.getByRole("link", { name: "Your account" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "Your account" })).toBeVisible();
  await note.getByRole("button", { name: "Not spam" }).click();
  await expect(page.getByText("The mail was delivered")).toBeVisible();
  await expect(page.getByRole("button", { name: "Reply", exact: true })).toBeVisible();
  await expect(note).toHaveCount(0);
  expect((await messagesOf(context, addr)).map(({ subject }) => subject)).toEqual(["Your account"]);
});

test("marked spam has a badge and its reasons, and the organization's setting is changed", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await mail(addr, "Your account", { from, html });
  await openMail(page, addr);
  const row = page.getByRole("link", { name: /Your account/ });
  await expect(row).toContainText("Spam");
  await openThread(page, "Your account");
  const note = page.getByRole("note", { name: "Verdict on spam" });
  await note.getByRole("button", { name: "Not spam" }).click();
  await expect(note).toHaveCount(0);

  await page.goto("/dashboard/settings");
  const settings = page.getByRole("region", { name: "Spam" });
  for (const choice of ["Keep it in quarantine", "Mark it"]) {
    await settings.getByRole("radio", { name: choice }).click();
    await expect(settings.getByRole("radio", { name: choice })).toBeChecked();
  }
  await settings.screenshot({ path: `${SCREENSHOTS}/spam-settings.png` });
});
