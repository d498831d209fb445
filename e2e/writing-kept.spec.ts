// What a person wrote is not lost, and what was sent does not come back: drafts in Compose, in the Outbox and in other tabs.
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { BASE_URL, mail, messagesOf, NARROW, newInbox, openMail, openThread } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

const WIDE = { width: 1440, height: 900 };

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

type Listed = { id: string; revision: number; subject: string; to: string[] };
const draftsOf = async (context: BrowserContext, inbox: string) =>
  (await ask<{ data: Listed[] }>(context, BASE_URL, "drafts.list", { inbox })).data;

async function picture(page: Page, name: string) {
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size);
    await page.screenshot({ path: `test-results/screenshots/${name}-${size.width}.png` });
  }
}

async function compose(page: Page) {
  await page.getByRole("button", { name: "Compose" }).click();
  return page.getByRole("form", { name: "New message" });
}

test("a draft is saved without a recipient that has no address, also when the form is closed before a pause", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await openMail(page, addr);
  const form = await compose(page);
  await form.getByRole("combobox", { name: "To" }).fill("Mia Berg, mia@far.example,");
  await form.getByRole("textbox", { name: "Subject" }).fill("Half addressed");
  await form.getByRole("textbox", { name: "Message" }).fill("A long text.");
  await expect(form.getByText("Draft saved without the recipients marked above.")).toBeVisible();
  await expect(form.getByText(/^“Mia Berg” is not a mail address/)).toBeVisible();
  await picture(page, "draft-without-recipient");
  await expect
    .poll(() => draftsOf(context, addr))
    .toMatchObject([{ subject: "Half addressed", to: ["mia@far.example"] }]);
  await form.getByRole("button", { name: "Send", exact: true }).click();
  await expect(form.getByText("Correct what is marked above, then send it again.")).toBeVisible();
  expect(await messagesOf(context, addr)).toEqual([]);
  await form.getByRole("button", { name: "Discard" }).click();

  await page.reload();
  const second = await compose(page);
  await second.getByRole("combobox", { name: "To" }).fill("Otto");
  await second.getByRole("textbox", { name: "Subject" }).fill("Closed by Escape");
  await page.keyboard.press("Escape");
  await expect(second).toBeHidden();
  await expect(page.getByText("Draft saved in the Outbox")).toBeVisible();
  await picture(page, "draft-saved-toast");
  await expect
    .poll(async () => (await draftsOf(context, addr)).map(({ subject }) => subject))
    .toContain("Closed by Escape");
  await expect(page.getByText(/without the recipients that are not mail addresses/)).toBeVisible();
});

test("the browser asks before a page with unsaved text is closed", async ({ page, context }) => {
  const addr = await newInbox(context);
  await openMail(page, addr);
  const form = await compose(page);
  await page.route(/\/trpc\/[^?]*drafts\.create/, (route) => route.abort());
  await form.getByRole("textbox", { name: "Message" }).fill("Not saved yet");
  await expect(form.getByText(/^Draft not saved/)).toBeVisible();
  const asked = page.waitForEvent("dialog");
  const closed = page.close({ runBeforeUnload: true });
  const dialog = await asked;
  expect(dialog.type()).toBe("beforeunload");
  await dialog.dismiss();
  await closed;
  // When the form is closed, its text stays in this tab, which the page says.
  await page.keyboard.press("Escape");
  await expect(page.getByText("The draft is kept in this tab only")).toBeVisible();
  await page.unroute(/\/trpc\/[^?]*drafts\.create/);
  await expect((await compose(page)).getByRole("textbox", { name: "Message" })).toHaveValue("Not saved yet");
});

test("Compose is empty after Save draft, and the saved draft is not changed by the next one", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await openMail(page, addr);
  for (const subject of ["Spring", "Autumn"]) {
    const form = await compose(page);
    await expect(form.getByRole("textbox", { name: "Subject" })).toHaveValue("");
    await expect(form.getByRole("textbox", { name: "Message" })).toHaveValue("");
    await form.getByRole("textbox", { name: "Subject" }).fill(subject);
    await form.getByRole("textbox", { name: "Message" }).fill(`Plan for ${subject}`);
    await form.getByRole("button", { name: "Save draft" }).click();
    await expect(form).toBeHidden();
  }
  await page.getByText("Draft saved in the Outbox").last().getByRole("link", { name: "Outbox" }).click();
  await expect(page.getByRole("button", { name: "Open Spring" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Open Autumn" })).toBeVisible();
  await page.getByRole("button", { name: "Spring", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Draft" }).getByLabel("Message")).toHaveValue("Plan for Spring");
  const subjects = (await draftsOf(context, addr)).map(({ subject }) => subject);
  expect(subjects.toSorted()).toEqual(["Autumn", "Spring"]);
});

test("a draft that was sent from the Outbox does not come back in Compose", async ({ page, context }) => {
  const addr = await newInbox(context);
  await openMail(page, addr);
  const form = await compose(page);
  await form.getByRole("combobox", { name: "To" }).fill("mia@far.example,");
  await form.getByRole("textbox", { name: "Subject" }).fill("Sent elsewhere");
  await form.getByRole("textbox", { name: "Message" }).fill("Only this one time.");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Outbox" }).last().click();
  await page.getByRole("button", { name: "Open Sent elsewhere" }).click();
  await page.getByRole("dialog", { name: "Draft" }).getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Message captured. It is stored here and not sent to other services.")).toBeVisible();
  await openMail(page, addr);
  const next = await compose(page);
  await expect(next.getByRole("combobox", { name: "To" })).toBeFocused();
  await expect(next.getByRole("textbox", { name: "Subject" })).toHaveValue("");
});

test("a draft that is scheduled elsewhere while it is open says so, and can be sent as a new message or discarded", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await openMail(page, addr);
  const form = await compose(page);
  await form.getByRole("combobox", { name: "To" }).fill("mia@far.example,");
  await form.getByRole("textbox", { name: "Message" }).fill("First text");
  await expect(form.getByText("Draft saved")).toBeVisible();
  const [draft] = await draftsOf(context, addr);
  const send_at = new Date(Date.now() + 7_200_000).toISOString();
  await call(context, BASE_URL, "drafts.send", { id: draft?.id, revision: draft?.revision, send_at });
  await form.getByRole("textbox", { name: "Message" }).fill("Second text");
  await expect(form.getByText("This draft was sent, scheduled or deleted")).toBeVisible();
  await expect(form.getByText(/did not reach this page|Draft not saved/)).toHaveCount(0);
  await picture(page, "draft-gone");
  await form.getByRole("button", { name: "Send as a new message" }).click();
  await expect(form.getByText("Draft saved")).toBeVisible();
  await expect.poll(async () => (await draftsOf(context, addr)).length).toBe(1);
  const [again] = await draftsOf(context, addr);
  await call(context, BASE_URL, "drafts.send", { id: again?.id, revision: again?.revision });
  await form.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByText("Draft discarded")).toBeVisible();
  await page.getByRole("link", { name: "Outbox" }).first().click();
  await expect(page.getByRole("heading", { name: "Outbox" })).toBeVisible();
  await expect(page.getByText("The draft was not deleted")).toHaveCount(0);
  expect(await messagesOf(context, addr)).toHaveLength(2);
});

test("text of a stored draft that could not be saved is there when the draft is opened again", async ({
  page,
  context,
}) => {
  const inbox = await newInbox(context);
  await call(context, BASE_URL, "drafts.create", { inbox, subject: "Without a connection", text: "old" });
  await page.goto("/dashboard/outbox");
  const open = page.getByRole("button", { name: "Open Without a connection" });
  const text = page.getByRole("dialog", { name: "Draft" }).getByLabel("Message");
  await open.click();
  await page.route(/\/trpc\/[^?]*drafts\.update/, (route) => route.abort());
  await text.fill("new");
  await page.keyboard.press("Escape");
  await expect(page.getByText("The draft is kept in this tab only")).toBeVisible();
  await page.unroute(/\/trpc\/[^?]*drafts\.update/);
  await open.click();
  await expect(text).toHaveValue("new");
  await expect(page.getByText("Draft saved", { exact: true })).toBeVisible();
});

test("a reply goes to the recipients that its writer chooses, and Send is in view", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Who pays", { text: "One line.\n".repeat(40) });
  await page.setViewportSize(WIDE);
  await openMail(page, addr);
  await openThread(page, "Who pays");
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const form = page.getByRole("form", { name: "Reply" });
  await expect(form.getByRole("button", { name: "Send", exact: true })).toBeInViewport({ ratio: 1 });
  await form.getByRole("button", { name: "Change recipients" }).click();
  await form.getByRole("combobox", { name: "To" }).fill("boss@far.example,");
  await form.getByRole("button", { name: "Cc, Bcc" }).click();
  await form.getByRole("combobox", { name: "Cc", exact: true }).fill("Nia Ode <nia@far.example>,");
  await form.getByRole("textbox", { name: "Message" }).fill("She does.");
  await picture(page, "reply-recipients");
  await form.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Reply captured. It is stored here and not sent to other services.")).toBeVisible();
  const [sent] = await messagesOf(context, addr);
  expect(await ask(context, BASE_URL, "messages.get", { id: sent?.id })).toMatchObject({
    direction: "outbound",
    subject: "Re: Who pays",
    to: ["zed@far.example", "boss@far.example"],
    cc: ["nia@far.example"],
  });
});

test("the time of a message is changed before it is scheduled, and a cancelled one is written again", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await openMail(page, addr);
  const form = await compose(page);
  await form.getByRole("combobox", { name: "To" }).fill('"Nia Ode" <nia@far.example>,');
  await form.getByRole("textbox", { name: "Subject" }).fill("Menu of the week");
  await form.getByRole("textbox", { name: "Message" }).fill("Soup.");
  await form.getByRole("button", { name: "Send later" }).click();
  await page.getByRole("button", { name: "In an hour" }).click();
  await form.getByRole("button", { name: "Change time" }).click();
  await expect(page.getByLabel("At another time")).not.toHaveValue("");
  await picture(page, "change-time");
  await page.getByRole("button", { name: "Tomorrow at 9:00" }).click();
  await form.getByRole("button", { name: "Schedule" }).click();
  await expect(page.getByText(/^Message leaves \w+ \d+, 09:00$/)).toBeVisible();
  const [sent] = await messagesOf(context, addr);
  const { send_at } = await ask<{ send_at: string }>(context, BASE_URL, "messages.get", { id: sent?.id });
  expect(await page.evaluate((at) => new Date(at).getHours(), send_at)).toBe(9);

  await call(context, BASE_URL, "messages.cancel", { id: sent?.id });
  await page.reload();
  await page.getByRole("button", { name: "Edit and send again" }).click();
  const again = page.getByRole("dialog", { name: "Draft" });
  await expect(again.getByText(/Nia Ode.*nia@far/)).toBeVisible();
  await expect(again.getByLabel("Message")).toHaveValue("Soup.");
  await picture(page, "cancelled-again");
  await again.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Message captured. It is stored here and not sent to other services.")).toBeVisible();
  await expect.poll(async () => (await messagesOf(context, addr)).length).toBe(2);
});

test("a toast leaves the buttons of a dialog free, and the first Escape closes an empty form", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await page.setViewportSize(WIDE);
  await openMail(page, addr);
  const form = await compose(page);
  await form.getByRole("textbox", { name: "Message" }).fill("To be put aside");
  await page.route(/\/trpc\/[^?]*drafts\.create/, (route) => route.abort());
  await page.keyboard.press("Escape");
  const toast = page.getByRole("alert").filter({ hasText: "The draft is kept in this tab only" });
  await expect(toast).toBeVisible();
  await compose(page);
  const dialog = page.getByRole("dialog", { name: "New message" });
  await expect(dialog).toBeVisible();
  await expect
    .poll(async () => {
      const [box, beside] = [await dialog.boundingBox(), await toast.boundingBox()];
      return (beside?.x ?? 0) - ((box?.x ?? 0) + (box?.width ?? 0));
    })
    .toBeGreaterThan(0);
  await page.screenshot({ path: "test-results/screenshots/toast-beside-1440.png" });
  await form.getByRole("button", { name: "Discard" }).click();
  await page.unroute(/\/trpc\/[^?]*drafts\.create/);
  await compose(page);
  await expect(form.getByRole("combobox", { name: "To" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});
