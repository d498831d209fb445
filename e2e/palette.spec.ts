// Messages in the dialog that Ctrl+K opens: found by their words in all mailboxes, and opened in their thread.
import { randomInt } from "node:crypto";
import { expect, test } from "@playwright/test";
import { BASE_URL, mail, NARROW, newInbox, openMail } from "./mailbox.ts";
import { signInAsOwner } from "./owner.ts";

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

test("finds messages by their words, and opens their thread", async ({ page, context }) => {
  // A retry finds no mail of the first try.
  const word = `zirconium${randomInt(10 ** 9)}`;
  const [one, two] = [await newInbox(context), await newInbox(context)];
  await mail(one, "Zirconium invoice", { text: `The ${word} is paid.` });
  await mail(two, "A reminder", { text: `Where is the ${word}?` });
  await openMail(page, two);
  await expect(page.getByRole("link", { name: /A reminder/ })).toBeVisible();
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  const searches: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("messages.search")) searches.push(decodeURIComponent(request.url()));
  });
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Find" });
  // The body is searchable after the mail is parsed.
  await expect(async () => {
    await field.fill("");
    await field.pressSequentially(word);
    await expect(page.getByRole("option", { name: /Message$/ })).toHaveCount(2, { timeout: 3_000 });
  }).toPass();
  await expect(page.getByRole("option", { name: new RegExp(`Zirconium invoice.*Zed · ${one}`) })).toBeVisible();
  await page.screenshot({ path: "test-results/screenshots/palette-messages-light.png" });
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await page.screenshot({ path: "test-results/screenshots/palette-messages-dark-390.png" });
  // Words that cannot be searched, and too few characters, are no error.
  for (const text of ['"""', "or or", "zi"]) {
    await field.fill(text);
    await expect(page.getByText(`Nothing is found for “${text}”.`)).toBeVisible();
  }
  expect(searches.filter((url) => url.includes('"q":"zi"'))).toEqual([]);
  expect(searches.some((url) => url.includes(`"q":"${word}"`))).toBe(true);
  await field.fill(`from:zed invoice ${word}`);
  await expect(page.getByRole("option", { name: /Message$/ })).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 2, name: "Zirconium invoice" })).toBeVisible();
});

test("leads to what raises the send cap", async ({ page }) => {
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find" }).fill("raise cap");
  await page.screenshot({ path: "test-results/screenshots/palette-raise.png" });
  await page.getByRole("option", { name: /^Raise the send cap/ }).click();
  await expect(page.getByRole("heading", { name: "Raise the daily cap" })).toBeVisible();
});
