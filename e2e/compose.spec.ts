// Writing mail: nothing is sent twice, typed text is kept, files, recipients, warnings, drafts and the time of sending.
import { expect, type Page, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, mail, messagesOf, NARROW, newInbox, openMail, openThread } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

/** What the browser says when the policy refuses parts of what was pasted. */
const REFUSED_PASTE = /^(Applying inline style|Executing inline event handler) /;

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

test("a reply survives a reload, and a double click sends it once", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Once only");
  await openMail(page, addr);
  await openThread(page, "Once only");
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("Yes, we are.");
  await page.reload();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Yes, we are.");
  await page.getByRole("button", { name: "Send", exact: true }).dblclick();
  await expect(page.getByText("Reply captured. It is stored here and not sent to other services.")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(2);
  const sent = (await messagesOf(context, addr)).filter(({ direction }) => direction === "outbound");
  expect(sent).toHaveLength(1);
});

test("Ctrl+Enter sends a reply once, also when it is pressed twice", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "By keys");
  await openMail(page, addr);
  await openThread(page, "By keys");
  await page.keyboard.press("r");
  await page.keyboard.type("Gladly.");
  await page.keyboard.press("Control+Enter");
  await page.keyboard.press("Control+Enter");
  await expect(page.getByText("Reply captured. It is stored here and not sent to other services.")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(2);
  const sent = (await messagesOf(context, addr)).filter(({ direction }) => direction === "outbound");
  expect(sent).toHaveLength(1);
});

test("a refusal keeps what was typed, and a lost answer sends nothing twice", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Some mail");
  await openMail(page, addr);
  await page.getByRole("button", { name: "Compose" }).click();
  const to = page.getByRole("combobox", { name: "To" });
  await expect(to).toBeFocused();
  await expect(page.getByRole("option")).toHaveCount(0);
  await to.fill("not an address,");
  await page.getByRole("textbox", { name: "Message" }).fill("Written with care");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Correct what is marked above, then send it again.")).toBeVisible();
  await expect(page.getByText(/^“not an address” is not a mail address\. Write/)).toBeVisible();
  await expect(page.getByText("Draft saved without the recipients marked above.")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Written with care");
  await to.press("Backspace");
  // A person of this mailbox is suggested.
  await to.fill("ze");
  await page.getByRole("option", { name: "Zed <zed@far.example>" }).click();
  let lost = 0;
  // Also in a batch with the check of the recipients.
  await page.route(/\/trpc\/[^?]*drafts\.send/, async (route) => {
    lost += 1;
    if (lost > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("The service did not answer.")).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Message captured. It is stored here and not sent to other services.")).toBeVisible();
  const sent = (await messagesOf(context, addr)).filter(({ direction }) => direction === "outbound");
  expect([lost, sent.length]).toEqual([2, 1]);
});

test("a message is written with files, warned about, saved on the service, and sent later", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await mail(addr, "Asked", { text: "What does it cost?" });
  await call(context, BASE_URL, "suppressions.add", { address: "gone@far.example", reason: "Asked by phone" });
  await openMail(page, addr);
  await page.getByRole("button", { name: "Compose" }).click();
  const form = page.getByRole("form", { name: "New message" });
  const to = form.getByRole("combobox", { name: "To" });
  await to.fill('gone@far.example, "Doe, Jane" <jane@far.example>,');
  await expect(form.getByText("This would not be sent now")).toBeVisible();
  await expect(form.getByText(/gone@far\.example/).last()).toBeVisible();
  await to.press("Backspace");
  await to.press("Backspace");
  await to.fill('"Doe, Jane" <jane@far.example>,');
  await expect(form.getByText("This would not be sent now")).toHaveCount(0);
  await form.getByRole("textbox", { name: "Subject" }).fill("With a file");
  await form.getByRole("textbox", { name: "Message" }).fill("See the file.");
  const dropped = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(["dropped"], "dropped.txt", { type: "text/plain" }));
    return data;
  });
  await form.dispatchEvent("drop", { dataTransfer: dropped });
  const files = form.getByRole("list", { name: "Files to send" });
  await expect(files).toContainText("dropped.txt");
  await form
    .getByLabel("Files to attach")
    .setInputFiles({ name: "b.bin", mimeType: "", buffer: Buffer.alloc(19 * 1024 * 1024) });
  await expect(form.getByText(/larger than 18 MB/)).toBeVisible();
  await expect(form.getByText("Draft saved")).toBeVisible();
  await page.screenshot({ path: "test-results/screenshots/compose-light.png" });
  type Drafts = { data: { id: string; revision: number; subject: string; attachment_count: number }[] };
  const draftsOf = async () => (await ask<Drafts>(context, BASE_URL, "drafts.list", { inbox: addr })).data;
  await expect.poll(draftsOf).toMatchObject([{ subject: "With a file", attachment_count: 1 }]);

  // Another person changes it: neither version is lost without a question.
  const [draft] = await draftsOf();
  const { id, revision } = await ask<{ id: string; revision: number }>(context, BASE_URL, "drafts.get", {
    id: draft?.id,
  });
  await call(context, BASE_URL, "drafts.update", { id, revision, text: "theirs" });
  await form.getByRole("textbox", { name: "Message" }).fill("mine");
  await expect(form.getByText(/changed by another person/)).toBeVisible();
  await form.getByRole("button", { name: "Replace with mine" }).click();
  await expect.poll(() => ask(context, BASE_URL, "drafts.get", { id })).toMatchObject({ text: "mine" });

  await form.getByRole("button", { name: "Send later" }).click();
  await page.getByRole("button", { name: "Tomorrow at 9:00" }).click();
  await form.getByRole("button", { name: "Schedule" }).click();
  await expect(page.getByText(/^Message leaves \w+ \d+, 09:00$/)).toBeVisible();
  expect(await messagesOf(context, addr)).toMatchObject([
    { subject: "With a file", status: "scheduled", attachment_count: 1, to: ["jane@far.example"] },
    { subject: "Asked" },
  ]);
  expect(await draftsOf()).toEqual([]);

  await openThread(page, "Asked");
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  const reply = page.getByRole("form", { name: "Reply" });
  await reply.getByRole("textbox", { name: "Message" }).fill("Nothing.");
  await reply.getByRole("button", { name: "Quote" }).click();
  await expect(reply.getByRole("textbox", { name: "Message" })).toHaveValue(
    /^Nothing\.\n\nOn .*, Zed wrote:\n> What does it cost\?/,
  );
  await page.setViewportSize(NARROW);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.screenshot({ path: "test-results/screenshots/reply-dark-390.png" });
  expect(await violationsIn(page)).toEqual([]);
  await reply.getByRole("button", { name: "Discard" }).click();
  await expect(reply).toHaveCount(0);
});

/** Pastes into the focused editor as a browser does. */
async function paste(page: Page, html: string) {
  await page.getByRole("textbox", { name: "Message" }).evaluate((editor, pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/html", pasted);
    editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, html);
}

test("a message is formatted by the keyboard, what is pasted loses what is hostile, and both bodies arrive", async ({
  page,
  context,
}) => {
  const refused: string[] = [];
  page.on("console", (message) => message.type() === "error" && refused.push(message.text()));
  const addr = await newInbox(context);
  await openMail(page, addr);
  await page.getByRole("button", { name: "Compose" }).click();
  await page.getByRole("combobox", { name: "To" }).fill(`${addr},`);
  await page.getByRole("textbox", { name: "Subject" }).fill("Formatted");
  await page.getByRole("textbox", { name: "Message" }).fill("Hello <Zed>\n\n> Are you there?");
  await page.getByRole("button", { name: "Rich text" }).click();
  const editor = page.getByRole("textbox", { name: "Message" });
  await expect(editor.locator("blockquote")).toHaveText("Are you there?");
  await editor.press("ControlOrMeta+End");
  await editor.press("ControlOrMeta+b");
  await editor.pressSequentially("Yes");
  await editor.press("ControlOrMeta+b");
  await editor.press("Enter");
  await page.getByRole("button", { name: "List", exact: true }).press("Enter");
  await editor.pressSequentially("one");
  await editor.press("Enter");
  await editor.pressSequentially("two");
  await editor.press("Enter");
  await editor.press("Enter");
  await page.getByRole("button", { name: "Link" }).press("Enter");
  const address = page.getByRole("textbox", { name: "Address of the link" });
  await address.fill("javascript:alert(1)");
  await address.press("Enter");
  await expect(page.getByText("A link begins with https:, http: or mailto:.")).toBeVisible();
  await address.fill("docs.example/start");
  await address.press("Enter");
  expect(refused).toEqual([]);
  await paste(
    page,
    `<p style="color:red" onclick="window.hit=1">pasted <img src="x" onerror="window.hit=1"><script>window.hit=1</script><a href="javascript:window.hit=1">here</a></p>`,
  );
  await expect(editor).toContainText("pasted here");
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
  for (const size of [NARROW, { width: 1440, height: 900 }]) {
    await page.setViewportSize(size);
    await page.screenshot({ path: `test-results/screenshots/compose-rich-${size.width}.png` });
  }
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violationsIn(page)).toEqual([]);
  }
  await expect(page.getByText("Draft saved")).toBeVisible();
  await page.reload();
  await page.getByRole("button", { name: "Compose" }).click();
  await expect(editor.locator("strong")).toHaveText("Yes");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Message delivered")).toBeVisible();
  type Message = { text: string; html: string; direction: string };
  const arrived = async () => (await messagesOf(context, addr)).filter(({ direction }) => direction === "inbound");
  await expect.poll(async () => (await arrived()).length).toBe(1);
  const [{ id } = { id: "" }] = await arrived();
  const { text, html } = await ask<Message>(context, BASE_URL, "messages.get", { id });
  expect(text.replaceAll("\r\n", "\n").trim()).toBe(
    "Hello <Zed>\n\n> Are you there?\n\nYes\n\n- one\n- two\n\nhttps://docs.example/startpasted here",
  );
  for (const part of [
    "<p>Hello &lt;Zed&gt;</p>",
    "<blockquote><p>Are you there?</p></blockquote>",
    "<strong>Yes</strong>",
    "<li><p>one</p></li><li><p>two</p></li>",
    '<a href="https://docs.example/start">',
  ]) {
    expect(html).toContain(part);
  }
  expect(html).not.toMatch(/hit|style|img|onerror|script/);
  // The policy also refuses the style of what was pasted, and in some browsers its handlers.
  expect(refused.filter((text) => !REFUSED_PASTE.test(text))).toEqual([]);
});

test("a formatted message becomes plain and formatted again without loss, and a reply is quoted", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await mail(addr, "Quoted");
  await openMail(page, addr);
  await openThread(page, "Quoted");
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("button", { name: "Rich text" }).click();
  const editor = page.getByRole("textbox", { name: "Message" });
  await editor.press("ControlOrMeta+i");
  await editor.pressSequentially("Surely");
  await page.getByRole("button", { name: "Plain text" }).click();
  await expect(editor).toHaveValue("Surely");
  await page.getByRole("button", { name: "Rich text" }).click();
  await expect(editor.locator("em")).toHaveText("Surely");
  await page.getByRole("button", { name: "Quote", exact: true }).last().click();
  await expect(editor.locator("blockquote")).toHaveText("Are you there?");
  await page.getByRole("button", { name: "Plain text" }).click();
  await expect(editor).toHaveValue(/^Surely\n\nOn .* wrote:\n\n> Are you there\?$/);
});

test("a message to an inbox of this service and to another service says for how many it was captured", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await call(context, BASE_URL, "drafts.create", {
    inbox: addr,
    to: [addr, "mia@far.example"],
    subject: "Both",
    text: "1",
  });
  await page.goto("/dashboard/outbox");
  await page.getByRole("button", { name: "Open Both" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(
    page.getByText("Message captured for 1 of 2. It is stored here and not sent to other services."),
  ).toBeVisible();
  await page.screenshot({ path: "test-results/screenshots/captured-for-one.png" });
});

test("a stored draft with HTML that the editor does not have says so, and is sent as it is", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  const html = "<table><tr><td>1</td></tr></table>";
  await call(context, BASE_URL, "drafts.create", { inbox: addr, to: [addr], subject: "By an agent", text: "1", html });
  await page.goto(`/dashboard/outbox`);
  await page.getByRole("button", { name: "Open By an agent" }).click();
  await expect(page.getByText("This draft has formatting that this editor does not have.")).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Message delivered")).toBeVisible();
  await expect.poll(async () => (await messagesOf(context, addr)).length).toBe(2);
  const [{ id } = { id: "" }] = await messagesOf(context, addr);
  const sent = await ask<{ text: string; html: string }>(context, BASE_URL, "messages.get", { id });
  expect([sent.text.trim(), sent.html.trim()]).toEqual(["1", html]);
});
