// Addresses for notices: one that is no member's is pending until the person there confirms it by the link of the email.
import { expect, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, messagesOf, NARROW, newInbox } from "./mailbox.ts";
import { ask, signInAsOwner } from "./owner.ts";

test("an owner adds an address, which is pending, and the person there confirms and later refuses it", async ({
  page,
  context,
}) => {
  await signInAsOwner(context, BASE_URL);
  // A mailbox of the service, so that the test can read its email.
  const address = await newInbox(context);
  await page.goto("/dashboard/settings");
  await page.getByRole("combobox", { name: "Addresses for notices" }).fill(address);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Name and notifications" }).getByRole("button", { name: "Save" }).click();
  const row = page.getByRole("list", { name: "Addresses and their states" }).getByRole("listitem");
  await expect(row).toContainText(address);
  await expect(row).toContainText("Pending");
  await expect(row).toContainText("Gets no notices until");
  expect(await violationsIn(page)).toEqual([]);
  await page.setViewportSize(NARROW);
  expect(await violationsIn(page)).toEqual([]);
  await row.getByRole("button", { name: "Send the letter again" }).click();
  await expect(page.getByText("The letter was not sent")).toBeVisible();

  await expect.poll(async () => (await messagesOf(context, address)).length).toBe(1);
  const [email] = await messagesOf(context, address);
  expect(email?.subject).toMatch(/^Confirm this address for notices from /);
  const { text } = await ask<{ text: string }>(context, BASE_URL, "messages.get", { id: email?.id });
  const [link = ""] = /https?:\/\/\S+\/notices\/\S+/.exec(text) ?? [];
  await page.goto(link);
  await expect(page.getByText("It gets no notices until you confirm it.")).toBeVisible();
  await page.getByRole("button", { name: "Get the notices" }).click();
  await expect(page.getByText("This address now gets the notices.")).toBeVisible();
  await page.goto("/dashboard/settings");
  await expect(row).toContainText("Confirmed");
  await expect(row.getByRole("button")).toHaveCount(0);

  await page.goto(link);
  await page.getByRole("button", { name: "Refuse the notices" }).click();
  await page.goto("/dashboard/settings");
  await expect(row).toContainText("Refused");
});
