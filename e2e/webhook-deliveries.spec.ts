// What a webhook is sent, chosen in the dashboard: only mail that matches, added headers, the message.
import { expect, test } from "@playwright/test";
import { BASE_URL } from "./mailbox.ts";
import { ask, signInAsOwner } from "./owner.ts";

type Webhook = { filter: object | null; headers: string[]; include: string[] };

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

test("a webhook gets a filter, a header and the message, and loses them again", async ({ page, context }) => {
  await page.goto("/dashboard/webhooks");
  await page.getByRole("button", { name: "Register webhook" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Register a webhook" });
  await dialog.getByLabel("URL").fill("https://agent.example/hooks/orders");
  await dialog.getByRole("button", { name: "Filter, headers, message…" }).click();
  await dialog.getByLabel("From", { exact: true }).fill("shop.example");
  await dialog.getByLabel("Subject contains").fill("invoice");
  await dialog.getByRole("combobox", { name: "Kind of mail" }).click();
  await page.getByRole("option", { name: "Automatic" }).click();
  await dialog.getByRole("button", { name: "Add a header" }).click();
  await dialog.getByLabel("Name of header 1").fill("X-Service-Delivery");
  await dialog.getByLabel("Value of header 1").fill("mine");
  await dialog.getByLabel("Include the message").check();
  await dialog.getByRole("button", { name: "Register webhook" }).click();
  // A header of the service: the dialog stays, and says which it is.
  await expect(dialog.getByRole("alert")).toContainText("X-Service-Delivery");
  await dialog.getByLabel("Name of header 1").fill("Authorization");
  await dialog.getByLabel("Value of header 1").fill("Bearer 8f2c");
  await dialog.getByRole("button", { name: "Register webhook" }).click();
  await page.getByRole("button", { name: "I have stored it" }).click();
  await expect(page).toHaveURL(/webhooks\?id=whk_/);
  const id = new URL(page.url()).searchParams.get("id") ?? "";
  const stored = () => ask<Webhook>(context, BASE_URL, "webhooks.get", { id });
  expect(await stored()).toMatchObject({
    filter: { from: "shop.example", subject: "invoice", kind: "automatic" },
    headers: ["Authorization"],
    include: ["message"],
  });

  await page.getByRole("tab", { name: "Settings" }).click();
  await expect(page.getByText("Only mail: from shop.example, subject contains invoice, automatic.")).toBeVisible();
  await page.getByRole("button", { name: "Change deliveries" }).click();
  const change = page.getByRole("dialog", { name: "Change what is delivered" });
  await change.getByLabel("Subject contains").fill("");
  await change.getByLabel("Include the message").uncheck();
  await change.getByRole("button", { name: "Change deliveries" }).click();
  await expect(change).toBeHidden();
  // The header was not touched, and is kept.
  expect(await stored()).toMatchObject({
    filter: { from: "shop.example", kind: "automatic" },
    headers: ["Authorization"],
    include: [],
  });
  await page.getByRole("button", { name: "Change deliveries" }).click();
  await change.getByRole("button", { name: "Remove the headers" }).click();
  await change.getByLabel("From", { exact: true }).fill("");
  await change.getByRole("combobox", { name: "Kind of mail" }).click();
  await page.getByRole("option", { name: "Any" }).click();
  await change.getByRole("button", { name: "Change deliveries" }).click();
  await expect(change).toBeHidden();
  expect(await stored()).toMatchObject({ filter: null, headers: [], include: [] });
});
