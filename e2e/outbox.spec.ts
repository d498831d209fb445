// Drafts and scheduled messages in the dashboard: change, save, send and delete a draft, cancel a scheduled message.
import { type BrowserContext, expect, type Route, test } from "@playwright/test";
import { BASE_URL, mail, newInbox } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";
import { shiftOf, watchShifts } from "./shifts.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Less than one line of a table on a narrow screen. */
const SHIFT_MAX = 0.01;

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

type Listed = { data: { subject: string; status: string; to: string[] }[] };
const messagesOf = async (context: BrowserContext, addr: string) =>
  (await ask<Listed>(context, BASE_URL, "messages.list", { addr })).data;

test("a draft is changed, saved, sent, and leaves the list", async ({ page, context }) => {
  const inbox = await newInbox(context);
  await call(context, BASE_URL, "drafts.create", { inbox, subject: "A draft to send", text: "First words" });
  await page.goto("/dashboard/outbox");
  const table = page.getByRole("table", { name: "Drafts" });
  await table.getByRole("button", { name: "Open A draft to send" }).click();
  const dialog = page.getByRole("dialog", { name: "Draft" });
  await expect(dialog.getByLabel("Message")).toHaveValue("First words");
  await dialog.getByLabel("Message").fill("Better words");
  await dialog.getByRole("button", { name: "Save draft" }).click();
  await expect(dialog).toBeHidden();
  await table.getByRole("button", { name: "Open A draft to send" }).click();
  await expect(dialog.getByLabel("Message")).toHaveValue("Better words");
  // Without a recipient it is not sent, and what is typed stays.
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await expect(dialog.getByText("a recipient is needed")).toBeVisible();
  await dialog.getByRole("combobox", { name: "To" }).fill("ann@else.example,");
  await dialog.getByRole("button", { name: "Send", exact: true }).dblclick();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("button", { name: "Open A draft to send" })).toHaveCount(0);
  expect(await messagesOf(context, inbox)).toMatchObject([{ subject: "A draft to send", to: ["ann@else.example"] }]);
});

test("a recipient and a subject that are removed from a draft stay removed", async ({ page, context }) => {
  const inbox = await newInbox(context);
  const { id } = await call<{ id: string }>(context, BASE_URL, "drafts.create", {
    inbox,
    to: "ann@else.example",
    subject: "A draft to clear",
    text: "x",
  });
  await page.goto("/dashboard/outbox");
  await page.getByRole("button", { name: "Open A draft to clear" }).click();
  const dialog = page.getByRole("dialog", { name: "Draft" });
  await dialog.getByRole("combobox", { name: "To" }).press("Backspace");
  await dialog.getByLabel("Subject").fill("");
  await dialog.getByRole("button", { name: "Save draft" }).click();
  await expect(dialog).toBeHidden();
  expect(await ask(context, BASE_URL, "drafts.get", { id })).toMatchObject({ to: [], subject: null, text: "x" });
});

test("a draft of a reply says to whom it goes", async ({ page, context }) => {
  const inbox = await newInbox(context);
  await mail(inbox, "A question", { cc: "carol@else.example" });
  const { data } = await ask<{ data: { id: string }[] }>(context, BASE_URL, "messages.list", { addr: inbox });
  const reply = { inbox, in_reply_to: data[0]?.id, text: "An answer", reply_all: true };
  await call(context, BASE_URL, "drafts.create", reply);
  await page.goto("/dashboard/outbox");
  const row = page.getByRole("table", { name: "Drafts" }).getByRole("row").filter({ hasText: inbox });
  await expect(row).toContainText("zed@far.example, carol@else.example");
  await row.getByRole("button", { name: "Open" }).click();
  const to = page.getByRole("dialog", { name: "Draft" }).getByRole("combobox", { name: "To" });
  await expect(to).toHaveAttribute("placeholder", "zed@far.example, carol@else.example");
});

test("a draft that another person changed is not overwritten", async ({ page, context }) => {
  const inbox = await newInbox(context);
  const draft = await call<{ id: string }>(context, BASE_URL, "drafts.create", {
    inbox,
    subject: "Shared draft",
    text: "x",
  });
  await page.goto("/dashboard/outbox");
  await page.getByRole("button", { name: "Open Shared draft" }).click();
  const dialog = page.getByRole("dialog", { name: "Draft" });
  await expect(dialog.getByLabel("Message")).toHaveValue("x");
  await call(context, BASE_URL, "drafts.update", { id: draft.id, revision: 1, text: "theirs" });
  await dialog.getByLabel("Message").fill("mine");
  await dialog.getByRole("button", { name: "Save draft" }).click();
  await expect(dialog.getByText(/The draft was changed/)).toBeVisible();
  expect(await ask(context, BASE_URL, "drafts.get", { id: draft.id })).toMatchObject({ text: "theirs" });
  await dialog.getByRole("button", { name: "Open theirs" }).click();
  await expect(dialog.getByLabel("Message")).toHaveValue("theirs");
  await dialog.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByRole("button", { name: "Open Shared draft" })).toHaveCount(0);
});

test("a scheduled message is listed with its time, and cancelled", async ({ page, context }) => {
  const inbox = await newInbox(context);
  const send_at = new Date(Date.now() + HOUR_MS).toISOString();
  await call(context, BASE_URL, "messages.send", {
    addr: inbox,
    to: "ann@else.example",
    subject: "For later",
    text: "x",
    send_at,
  });
  await page.goto("/dashboard/outbox");
  const table = page.getByRole("table", { name: "Scheduled messages" });
  await expect(table.getByRole("link", { name: "For later" })).toBeVisible();
  await table.getByRole("button", { name: "Cancel For later" }).click();
  const dialog = page.getByRole("dialog", { name: "Cancel this message?" });
  await dialog.getByRole("button", { name: "Cancel the message" }).click();
  await expect(page.getByRole("link", { name: "For later" })).toHaveCount(0);
  expect(await messagesOf(context, inbox)).toMatchObject([{ status: "cancelled" }]);
});

test("a scheduled message is moved to another time", async ({ page, context }) => {
  const inbox = await newInbox(context);
  const mail = { addr: inbox, to: "ann@else.example", subject: "For another time", text: "x" };
  const send_at = new Date(Date.now() + HOUR_MS).toISOString();
  const { id } = await call<{ id: string }>(context, BASE_URL, "messages.send", { ...mail, send_at });
  await page.goto("/dashboard/outbox");
  const table = page.getByRole("table", { name: "Scheduled messages" });
  await table.getByRole("button", { name: "Move For another time" }).click();
  const dialog = page.getByRole("dialog", { name: "Move this message?" });
  const field = dialog.getByLabel("New time");
  const [day = ""] = new Date(Date.now() + 2 * DAY_MS).toISOString().split("T");
  // The service refuses a time that is too far ahead, and what was chosen stays.
  await field.fill(`${new Date(Date.now() + 40 * DAY_MS).toISOString().split("T")[0]}T10:30`);
  await dialog.getByRole("button", { name: "Move the message" }).click();
  await expect(dialog.getByText("more than 30 days ahead")).toBeVisible();
  await field.fill(`${day}T10:30`);
  await page.screenshot({ path: "test-results/screenshots/outbox-move.png" });
  await dialog.getByRole("button", { name: "Move the message" }).click();
  await expect(page.getByText(/^Message leaves \w+ \d+, 10:30$/)).toBeVisible();
  const moved = await ask<{ send_at: string; status: string }>(context, BASE_URL, "messages.get", { id });
  const chosen = await page.evaluate((time) => new Date(time).toISOString(), `${day}T10:30`);
  expect(moved).toMatchObject({ status: "scheduled", send_at: chosen });
});

test("the tables stay where they appear, in whatever order their scripts arrive", async ({ page, context }) => {
  const inbox = await newInbox(context);
  const mail = { to: "ann@else.example", text: "x" };
  const send_at = new Date(Date.now() + HOUR_MS).toISOString();
  for (const subject of ["Sent in an hour", "Sent with it", "Sent then too"]) {
    await call(context, BASE_URL, "messages.send", { ...mail, addr: inbox, subject, send_at });
  }
  await call(context, BASE_URL, "drafts.create", { ...mail, inbox, subject: "Not sent yet" });
  await page.setViewportSize({ width: 390, height: 844 });
  await watchShifts(page);
  const held: Route[] = [];
  let isHeld = false;
  await page.route(/\/trpc\/[^?]*drafts\.list/, async (route) => {
    const answer = await route.fetch();
    isHeld = true;
    await route.fulfill({ response: answer });
  });
  await page.route(/\/_next\/static\/chunks\//, (route) => (isHeld ? void held.push(route) : route.continue()));
  await page.goto("/dashboard/outbox");
  await expect.poll(() => held.length).toBeGreaterThan(0);
  const tables = page.getByRole("table", { name: /^(Drafts|Scheduled messages)$/ });
  // The last first, each when the page has drawn what the one before it brought.
  await expect(async () => {
    const last = held.pop();
    if (last) await last.continue();
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await tables.count()).toBe(2);
  }).toPass();
  expect(await shiftOf(page)).toBeLessThanOrEqual(SHIFT_MAX);
});
