// Lists and suppressions: all entries are shown, and found by a part.
import { expect, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, newInbox } from "./mailbox.ts";
import { call, signInAsOwner } from "./owner.ts";

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

test("an entry of one inbox is among all entries, is found by a part, and is removed and brought back", async ({
  page,
  context,
}) => {
  const inbox = await newInbox(context);
  const entry = `${inbox.split("@")[0]}.example`;
  await call(context, BASE_URL, "lists.add", { direction: "receive", list: "block", inbox, entry });
  await page.goto("/dashboard/lists");
  const row = page.getByRole("table", { name: "Entries" }).getByRole("row").filter({ hasText: entry });
  await expect(row).toContainText("Blocked sender");
  await expect(row).toContainText(inbox);
  await page.getByRole("searchbox", { name: "Find an entry" }).fill(entry.slice(2, -4));
  await expect(page.getByRole("table", { name: "Entries" }).getByRole("row")).toHaveCount(2);
  expect(await violationsIn(page)).toEqual([]);
  await page.getByRole("combobox", { name: "List" }).selectOption("Allowed senders");
  await expect(page.getByText("No such entries")).toBeVisible();
  await page.getByRole("combobox", { name: "List" }).selectOption("All lists");
  await row.getByRole("button", { name: `Remove ${entry}` }).click();
  await expect(row).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toContainText(inbox);

  await page.getByRole("button", { name: "Add an entry" }).click();
  const dialog = page.getByRole("dialog", { name: "Add an entry" });
  await dialog.getByLabel("Address or domain").fill(`ann@${entry}`);
  await dialog.getByLabel("List").selectOption("Blocked recipient");
  await dialog.getByLabel("Inbox").fill(inbox);
  await dialog.getByRole("button", { name: "Add", exact: true }).click();
  const added = page.getByRole("row").filter({ hasText: `ann@${entry}` });
  await expect(added).toContainText("Blocked recipient");
});

test("a suppressed address is found by a part of it", async ({ page, context }) => {
  const address = `someone@${(await newInbox(context)).split("@")[0]}.example`;
  await call(context, BASE_URL, "suppressions.add", { address });
  await page.goto("/dashboard/suppressions");
  await page.getByRole("searchbox", { name: "Find an address" }).fill(address.slice(4, -5));
  await expect(page.getByRole("table", { name: "Suppressions" }).getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("table", { name: "Suppressions" })).toContainText(address);
});
