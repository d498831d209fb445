// The list of threads: search and filters in the address, days, previews, and a selection to act on.
import { expect, test } from "@playwright/test";
import { BASE_URL, mail, messagesOf, newInbox, openMail, openThread } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

test("mail is found by its words, by what is unread, and by label, and the back button works", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await mail(addr, "About herons", { text: "They stand on one leg." });
  await mail(addr, "About storms", { from: "Wren <wren@far.example>" });
  const [storms] = (await messagesOf(context, addr)).filter(({ subject }) => subject === "About storms");
  await call(context, BASE_URL, "messages.update", { id: storms?.id, read: true, labels: ["weather"] });
  await openMail(page, addr);
  const rows = page.getByRole("region", { name: "Threads" }).getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await expect(page.getByText("They stand on one leg.")).toBeVisible();
  const which = page.getByRole("radiogroup", { name: "Which mail" });
  await which.getByText("Unread", { exact: true }).click();
  await expect(rows).toHaveText([/herons/]);
  await which.getByText("All", { exact: true }).click();
  const search = page.getByRole("searchbox", { name: "Search this inbox" });
  await search.fill("storms");
  await expect(rows).toHaveText([/storms/]);
  await openThread(page, "About storms");
  await page.goBack();
  await expect(page.getByRole("heading", { level: 2, name: "About storms" })).toHaveCount(0);
  await page.reload();
  await expect(search).toHaveValue("storms");
  await expect(rows).toHaveText([/storms/]);
  await page.goBack();
  await expect(search).toHaveValue("");
  await expect(rows).toHaveCount(2);
  await search.fill("from:wren");
  await expect(rows).toHaveText([/storms/]);
  await search.fill("has:wings");
  await expect(page.getByText(/The search has an unknown word\. has: takes/)).toBeVisible();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await expect(rows).toHaveCount(2);
  await page.getByRole("combobox", { name: "Only with the label" }).click();
  await page.getByRole("option", { name: "weather" }).click();
  await expect(rows).toHaveText([/storms/]);
  await expect(page).toHaveURL(/label=weather/);
});

test("a long list scrolls within the page, by day, and a selection is marked, labelled and deleted with undo", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const addr = await newInbox(context);
  for (let n = 1; n <= 54; n += 1) await mail(addr, `Number ${n}`);
  await mail(addr, "Your code", { text: "Your code is 482915." });
  await mail(addr, "שלום עולם");
  await openMail(page, addr);
  const region = page.getByRole("region", { name: "Threads" });
  const rows = region.getByRole("listitem");
  await expect(rows).toHaveCount(50);
  await expect(region.getByRole("heading", { name: "Today" })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true);
  await page.getByRole("button", { name: "Copy the code 482915" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("482915");

  await page.getByRole("checkbox", { name: "Select Number 54" }).click();
  await page.getByRole("checkbox", { name: "Select Number 52" }).click({ modifiers: ["Shift"] });
  const bar = page.getByRole("toolbar", { name: "Selected threads" });
  await expect(bar.getByText("3 selected")).toBeVisible();
  await bar.getByRole("button", { name: "Mark as read" }).click();
  await expect(page).toHaveTitle(/^\(53\)/);
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await expect(page).toHaveTitle(/^\(56\)/);
  await page.getByRole("checkbox", { name: "Select Number 54" }).click();
  await bar.getByRole("button", { name: "Label the selected threads" }).click();
  await page.getByRole("textbox", { name: "Add a label" }).fill("numbers");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await expect(rows.filter({ hasText: "numbers" })).toHaveText([/Number 54/]);
  await page.getByRole("checkbox", { name: /^Select all/ }).click();
  await bar.getByRole("button", { name: "Delete the selected threads" }).click();
  await expect(page.getByText(/^5\d threads deleted/)).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(rows.first()).toBeVisible();
  // The end of the list loads more.
  await rows.last().scrollIntoViewIfNeeded();
  await expect(rows).toHaveCount(56);
  await page.getByRole("checkbox", { name: "Select Number 54" }).click();
  await bar.getByRole("button", { name: "Delete the selected threads" }).click();
  await page.goto("/dashboard/inboxes");
  await expect
    .poll(
      async () =>
        (await ask<{ data: unknown[] }>(context, BASE_URL, "messages.list", { addr, limit: 100 })).data.length,
    )
    .toBe(55);

  await page.clock.setFixedTime(new Date(Date.now() + 24 * 3_600_000));
  await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(addr)}`);
  await expect(region.getByRole("heading", { name: "Yesterday" })).toBeVisible();
});

test("the hour after midnight is 00", async ({ browser, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Late");
  const [late] = await messagesOf(context, addr);
  const hour = new Date(late?.received_at ?? "").getUTCHours();
  // Etc/GMT+5 is five hours behind UTC.
  const timezoneId = hour <= 12 ? `Etc/GMT+${hour}` : `Etc/GMT-${24 - hour}`;
  const there = await browser.newContext({ baseURL: BASE_URL, timezoneId });
  await signInAsOwner(there, BASE_URL);
  const page = await there.newPage();
  await openMail(page, addr);
  const time = page.getByRole("region", { name: "Threads" }).getByRole("time");
  await expect(time).toHaveText(/^00:\d\d$/);
  await expect(time).toHaveAttribute("title", / 00:\d\d:\d\d /);
  await there.close();
});
