// The inboxes and the mail client: nothing is sent twice, typed text is kept, deletes can be undone, and new mail
// appears automatically.
import { randomUUID } from "node:crypto";
import AxeBuilder from "@axe-core/playwright";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { ask, call, signInAsOwner } from "./owner.ts";

/** Set by e2e/start-service.ts before the workers read this file. */
const BASE_URL = process.env.E2E_BASE_URL ?? "";

const NARROW = { width: 390, height: 844 };
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

async function newInbox(context: BrowserContext): Promise<string> {
  const { data } = await ask<{ data: { id: string }[] }>(context, BASE_URL, "keys.list", {});
  const wish = { enrollment_key_id: data[0]?.id, client_id: `mail-spec-${randomUUID()}` };
  return (await call<{ address: string }>(context, BASE_URL, "inboxes.createWith", wish)).address;
}

async function mail(to: string, subject: string, more: object = {}): Promise<void> {
  const port = Number(process.env.E2E_SMTP_PORT);
  const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "Zed <zed@far.example>", to, subject, text: "Are you there?", ...more });
  transport.close();
}

async function openMail(page: Page, addr: string): Promise<void> {
  await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(addr)}`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
}

async function openThread(page: Page, subject: string): Promise<void> {
  await page.getByRole("link", { name: new RegExp(subject) }).click();
  await expect(page.getByRole("heading", { level: 2, name: subject })).toBeVisible();
}

async function messagesOf(context: BrowserContext, addr: string) {
  type Listed = { data: { id: string; direction: string; subject: string; read: boolean }[] };
  return (await ask<Listed>(context, BASE_URL, "messages.list", { addr })).data;
}

test("an inbox is created in the dialog, and is the one that opens", async ({ page }) => {
  await page.goto("/dashboard/inboxes");
  await page.getByRole("button", { name: "Create inbox" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Create an inbox" });
  await dialog.getByRole("textbox", { name: "Name before the @" }).fill("made-by-hand");
  await dialog.getByRole("button", { name: "Create inbox" }).dblclick();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("made-by-hand@");
  await page.getByRole("link", { name: "Inboxes" }).first().click();
  await expect(page.getByRole("link", { name: /made-by-hand@/ })).toHaveCount(1);
});

test("new mail appears automatically, is counted in the title, and is read once it is opened", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await openMail(page, addr);
  await mail(addr, "By itself");
  await expect(page.getByRole("link", { name: /By itself/ })).toBeVisible();
  await expect(page).toHaveTitle(`(1) ${addr} · Mailberth`);
  await openThread(page, "By itself");
  await expect(page.getByText("Are you there?")).toBeVisible();
  await expect(page).toHaveTitle(`${addr} · Mailberth`);
  await page.getByRole("button", { name: "More to do with this message" }).click();
  await page.getByRole("menuitem", { name: "Mark as unread" }).click();
  await expect(page).toHaveTitle(`(1) ${addr} · Mailberth`);
});

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
  await expect(page.getByText("Reply queued")).toBeVisible();
  await expect(page.getByRole("article")).toHaveCount(2);
  const sent = (await messagesOf(context, addr)).filter(({ direction }) => direction === "outbound");
  expect(sent).toHaveLength(1);
});

test("a refusal keeps what was typed, and a lost answer sends nothing twice", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Some mail");
  await openMail(page, addr);
  await page.getByRole("button", { name: "Compose" }).click();
  const to = page.getByRole("textbox", { name: "To" });
  await to.fill("not an address");
  await page.getByRole("textbox", { name: "Message" }).fill("Written with care");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Correct what is marked above")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Message" })).toHaveValue("Written with care");
  await to.fill("someone@far.example");
  let lost = 0;
  await page.route("**/trpc/messages.send*", async (route) => {
    lost += 1;
    if (lost > 1) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("The service did not answer.")).toBeVisible();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText("Message queued")).toBeVisible();
  const sent = (await messagesOf(context, addr)).filter(({ direction }) => direction === "outbound");
  expect([lost, sent.length]).toEqual([2, 1]);
});

test("what is deleted can be had back, and is gone when the page is left", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Keep me");
  await mail(addr, "Second");
  await openMail(page, addr);
  await openThread(page, "Keep me");
  await page.getByRole("button", { name: "Delete thread" }).click();
  await expect(page.getByRole("link", { name: /Keep me/ })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await openThread(page, "Keep me");
  await page.getByRole("button", { name: "Delete thread" }).click();
  await page.goto("/dashboard/inboxes");
  await expect.poll(async () => (await messagesOf(context, addr)).map(({ subject }) => subject)).toEqual(["Second"]);
});

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

test("a thread opens at its newest message, which is open with the unread ones", async ({ page, context }) => {
  const addr = await newInbox(context);
  const idOf = (n: number) => `<${n}-${addr}>`;
  const text = "A line.\n\n".repeat(20);
  for (let n = 1; n <= 12; n += 1) {
    await mail(addr, "Many messages", { text, messageId: idOf(n), ...(n > 1 && { inReplyTo: idOf(n - 1) }) });
  }
  const { data } = await ask<{ data: { id: string }[] }>(context, BASE_URL, "threads.list", { addr });
  await call(context, BASE_URL, "threads.mark", { ids: [data[0]?.id], read: true });
  await mail(addr, "Many messages", { text: "The newest words", inReplyTo: idOf(12) });
  await openMail(page, addr);
  await page.getByRole("link", { name: /Many messages/ }).click();
  const articles = page.getByRole("article");
  await expect(articles).toHaveCount(13);
  await expect(articles.getByRole("button", { expanded: true, name: /zed/i })).toHaveCount(1);
  await expect(page.getByText("The newest words").last()).toBeInViewport();
  const jump = page.getByRole("button", { name: "Newest message" });
  await expect(jump).toHaveCount(0);
  for (let n = 0; n < 3; n += 1) await articles.nth(n).getByRole("button", { name: /zed/i }).click();
  await articles.first().scrollIntoViewIfNeeded();
  await jump.click();
  await expect(page.getByText("The newest words").last()).toBeInViewport();
});

test("a message shows its code, its link, its pictures, its direction, its outcome and its source", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const addr = await newInbox(context);
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
    "base64",
  );
  await mail(addr, "Sign in", { text: "Your code is 482915." });
  await mail(addr, "Confirm", { text: "Confirm your address: https://far.example/verify?token=8sK2abcd" });
  await mail(addr, "שלום עולם", {
    html: `<p>שלום</p><img alt="Logo" width="40" height="40" src="cid:logo@x">`,
    attachments: [{ filename: "logo.png", content: png, cid: "logo@x" }],
  });
  await openMail(page, addr);
  await openThread(page, "Sign in");
  const article = page.getByRole("article");
  await article.getByRole("button", { name: "Copy the code 482915" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("482915");
  await expect(page.getByText("Not proven to be from far.example")).toBeVisible();
  await expect(page.getByRole("list", { name: "Checks of the sender" })).toHaveCount(0);
  await article.getByRole("button", { name: /Details/ }).click();
  await expect(page.getByRole("list", { name: "Checks of the sender" })).toBeVisible();
  await page.getByRole("tab", { name: "Source" }).click();
  await expect(article.getByText(/^Subject: Sign in/m)).toBeVisible();
  await article.getByRole("button", { name: "Copy the source" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("Your code is 482915.");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    article.getByRole("button", { name: /Download the original mail/ }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^msg_\w+\.eml$/);

  await openThread(page, "Confirm");
  await article.getByRole("button", { name: "Copy the link to far.example" }).click();
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe("https://far.example/verify?token=8sK2abcd");

  await openThread(page, "שלום עולם");
  await expect(page.getByRole("heading", { level: 2, name: "שלום עולם" })).toHaveCSS("direction", "rtl");
  await expect(page.frameLocator("iframe").getByAltText("Logo")).toHaveAttribute("src", /^data:image\/png;base64,/);

  await call(context, BASE_URL, "messages.send", { addr, to: "ann@else.example", subject: "Kept here", text: "x" });
  await openThread(page, "Kept here");
  await expect(article.getByText("Captured", { exact: true })).toBeVisible();
  await expect(article.getByText("Sent", { exact: true })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Threads" }).getByText("Captured")).toHaveCount(1);
});

test("an attachment is saved under its name, as bytes without a meaning", async ({ page, context }) => {
  const addr = await newInbox(context);
  const content = "<script>alert(1)</script>";
  await mail(addr, "With a file", { attachments: [{ filename: "page.html", content, contentType: "text/html" }] });
  await openMail(page, addr);
  await openThread(page, "With a file");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /page\.html/ }).click(),
  ]);
  expect(download.suggestedFilename()).toBe("page.html");
  const chunks = await (await download.createReadStream()).toArray();
  expect(Buffer.concat(chunks).toString()).toBe(content);
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`is open to everybody in the ${colorScheme}, wide and narrow`, async ({ page, context }) => {
    const addr = await newInbox(context);
    await mail(addr, "Plain", { html: "<p>Hello <a href='https://far.example'>there</a></p>" });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const path of ["inboxes", "mail"] as const) {
      if (path === "inboxes") await page.goto("/dashboard/inboxes");
      else await openMail(page, addr);
      if (path === "mail") await openThread(page, "Plain");
      else await expect(page.getByRole("link", { name: addr })).toBeVisible();
      for (const size of [page.viewportSize() ?? NARROW, NARROW]) {
        await page.setViewportSize(size);
        // What is in the frame is the stranger's own.
        const { violations } = await new AxeBuilder({ page }).withTags(TAGS).exclude("iframe").analyze();
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        await page.screenshot({ path: `test-results/screenshots/${path}-${colorScheme}-${size.width}.png` });
      }
      await page.setViewportSize({ width: 1280, height: 720 });
    }
  });
}
