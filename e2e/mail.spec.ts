// The inboxes and the mail client: deletes can be undone, and new mail appears automatically.
import { expect, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, mail, messagesOf, NARROW, newInbox, openMail, openThread } from "./mailbox.ts";
import { signInAsOwner } from "./owner.ts";

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

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
  await expect(page.getByRole("tabpanel", { name: "Plain text" }).getByText("Are you there?")).toBeVisible();
  await expect(page).toHaveTitle(`${addr} · Mailberth`);
  await page.getByRole("button", { name: "More to do with this message" }).click();
  await page.getByRole("menuitem", { name: "Mark as unread" }).click();
  await expect(page).toHaveTitle(`(1) ${addr} · Mailberth`);
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
        expect(await violationsIn(page)).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        await page.screenshot({ path: `test-results/screenshots/${path}-${colorScheme}-${size.width}.png` });
      }
      await page.setViewportSize({ width: 1280, height: 720 });
    }
  });
}
