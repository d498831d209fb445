// Playwright: a person signs up at the sample site with a mailbox of their own, and types the code. How to run it: README.md.
// In a project of your own: import { mailbox, type TestInbox } from "@mailberth/client/testing";
import { test as base, expect } from "@playwright/test";
import { mailbox, type TestInbox } from "#client/testing.ts";

const test = base.extend<{ inbox: TestInbox }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from this pattern
  inbox: async ({}, use) => {
    const inbox = await mailbox();
    await use(inbox);
    await inbox.remove();
  },
});

test("a person signs up", async ({ page, inbox }) => {
  await page.goto("/");
  await page.getByLabel("E-mail").fill(inbox.address);
  await page.getByRole("button", { name: "Send the code" }).click();
  await page.getByLabel("Code").fill(await inbox.code({ from: "site.example" }));
  await page.getByRole("button", { name: "Confirm" }).click();
  await expect(page.getByRole("status")).toHaveText(`${inbox.address} is confirmed.`);
});
