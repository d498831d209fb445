// The trash in the dashboard: a deleted message is restored, another one is deleted forever, and the rest with one click.
import { expect, test } from "@playwright/test";
import { BASE_URL, mail, newInbox, openMail, openThread } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

type Listed = { data: { id: string; subject: string }[] };

test("a deleted message is restored, and another one is erased", async ({ page, context }) => {
  const inbox = await newInbox(context);
  for (const subject of ["Deleted by mistake", "Deleted for good"]) {
    const mail = { addr: inbox, to: "ann@else.example", subject, text: "Words" };
    const { id } = await call<{ id: string }>(context, BASE_URL, "messages.send", mail);
    await call(context, BASE_URL, "messages.remove", { id });
  }
  await page.goto("/dashboard");
  await page.getByRole("link", { name: "Trash" }).click();
  const table = page.getByRole("table", { name: "Deleted messages" });
  await table.getByRole("button", { name: "Restore Deleted by mistake" }).click();
  await expect(page.getByText(`The message is in ${inbox} again`)).toBeVisible();
  await expect(table.getByRole("button", { name: "Restore Deleted by mistake" })).toHaveCount(0);
  const { data } = await ask<Listed>(context, BASE_URL, "messages.list", { addr: inbox });
  expect(data.map(({ subject }) => subject)).toEqual(["Deleted by mistake"]);

  const erase = table.getByRole("button", { name: "Delete Deleted for good forever" });
  await erase.click();
  const dialog = page.getByRole("dialog", { name: "Delete this message forever?" });
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await erase.click();
  await dialog.getByRole("button", { name: "Delete forever" }).click();
  await expect(page.getByText("The message was erased")).toBeVisible();
  await expect(erase).toHaveCount(0);
  expect((await ask<Listed>(context, BASE_URL, "trash.list", { inbox })).data).toEqual([]);
});

test("the trash is emptied after it said how many messages are erased", async ({ page, context }) => {
  const inbox = await newInbox(context);
  for (const subject of ["Old news", "Older news"]) {
    const mail = { addr: inbox, to: "ann@else.example", subject, text: "Words" };
    const { id } = await call<{ id: string }>(context, BASE_URL, "messages.send", mail);
    await call(context, BASE_URL, "messages.remove", { id });
  }
  const { count } = await ask<{ count: number }>(context, BASE_URL, "trash.size", {});
  await page.goto("/dashboard/trash");
  await page.getByRole("button", { name: "Empty trash" }).click();
  const dialog = page.getByRole("dialog", { name: "Empty the trash?" });
  await expect(dialog.getByText(`${count} messages in all inboxes will be erased`)).toBeVisible();
  await page.screenshot({ path: "test-results/screenshots/trash-empty.png" });
  await dialog.getByRole("button", { name: "Delete forever" }).click();
  await expect(page.getByText(`${count} messages erased`)).toBeVisible();
  await expect(page.getByText("The trash is empty")).toBeVisible();
  await page.screenshot({ path: "test-results/screenshots/trash-emptied.png" });
  expect((await ask<Listed>(context, BASE_URL, "trash.list", {})).data).toEqual([]);
});

test("a thread that waits for its undo is in the trash when the trash is opened, deleted once", async ({
  page,
  context,
}) => {
  const inbox = await newInbox(context);
  await mail(inbox, "Sooner than the undo");
  await openMail(page, inbox);
  await openThread(page, "Sooner than the undo");
  const deletions: string[] = [];
  const trashReads: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/trpc/threads.removeMany")) deletions.push(request.url());
    if (request.url().includes("trash.list")) trashReads.push(request.url());
  });
  await page.getByRole("button", { name: "Delete thread" }).click();
  await expect(page.getByText("Thread deleted")).toBeVisible();
  await page.getByRole("link", { name: "Trash" }).click();
  await expect(page.getByRole("button", { name: "Restore Sooner than the undo" })).toBeVisible();
  await page.screenshot({ path: "test-results/screenshots/trash-after-thread.png" });
  // Not the reading again every 15 seconds.
  expect(trashReads.length).toBeLessThanOrEqual(2);
  expect(deletions).toHaveLength(1);
});
