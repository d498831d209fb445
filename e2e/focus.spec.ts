// Where the focus is, and what keys do: after what had the focus is gone, in secrets that are shown once, in toasts and in long subjects.
import { expect, type Page, test } from "@playwright/test";
import { BASE_URL, mail, NARROW, newInbox, openMail } from "./mailbox.ts";
import { call, signInAsOwner } from "./owner.ts";

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

const titleOf = (page: Page, name: string) => page.getByRole("heading", { level: 2, name });

test("Enter, j and k lead into the thread, and u and e back to the list", async ({ page, context }) => {
  const addr = await newInbox(context);
  for (const subject of ["Oldest", "Middle", "Newest"]) await mail(addr, subject);
  await openMail(page, addr);
  await page.getByRole("link", { name: /Middle/ }).focus();
  await page.keyboard.press("Enter");
  await expect(titleOf(page, "Middle")).toBeFocused();
  await page.keyboard.press("j");
  await expect(titleOf(page, "Oldest")).toBeFocused();
  await page.keyboard.press("u");
  await expect(page.getByRole("link", { name: /Oldest/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(titleOf(page, "Oldest")).toBeFocused();
  await page.keyboard.press("k");
  await expect(titleOf(page, "Middle")).toBeFocused();
  await page.keyboard.press("e");
  await expect(page.getByRole("link", { name: /Oldest/ })).toBeFocused();
  await expect(page.getByRole("link", { name: /Middle/ })).toHaveCount(0);
  await page.keyboard.press("z");
  await expect(page.getByRole("link", { name: /Middle/ })).toBeVisible();
  await page.getByRole("link", { name: /Newest/ }).click();
  await expect(titleOf(page, "Newest")).toBeVisible();
  await expect(titleOf(page, "Newest")).not.toBeFocused();
});

test("a toast with Undo stays while it has the focus", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Deleted by mistake");
  await page.clock.install();
  await openMail(page, addr);
  await page.getByRole("link", { name: /Deleted by mistake/ }).click();
  await page.getByRole("button", { name: "Delete thread" }).click();
  const undo = page.getByRole("button", { name: "Undo" });
  await undo.focus();
  await page.clock.runFor(30_000);
  await expect(undo).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: /Deleted by mistake/ })).toBeVisible();
});

test("a sent reply is shown and has the focus", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "A question", { text: "A line.\n\n".repeat(60) });
  await openMail(page, addr);
  await page.getByRole("link", { name: /A question/ }).click();
  await expect(titleOf(page, "A question")).toBeVisible();
  await page.keyboard.press("r");
  await expect(page.getByRole("form", { name: "Reply" })).toBeVisible();
  await page.keyboard.type("An answer");
  await page.keyboard.press("Control+Enter");
  const sent = page.getByRole("article").last();
  await expect(sent.getByText("An answer").first()).toBeInViewport();
  await expect(sent.getByRole("button", { expanded: true }).first()).toBeFocused();
});

test("after the row of a button is gone, the next row has the focus", async ({ page, context }) => {
  for (const name of ["first", "second", "third"]) {
    await call(context, BASE_URL, "suppressions.add", { address: `${name}@focus.example`, reason: "manual" });
  }
  await page.goto("/dashboard/suppressions");
  const rows = page.getByRole("row", { name: /@focus\.example/ });
  await expect(rows).toHaveCount(3);
  const following = await rows
    .nth(2)
    .getByRole("button", { name: /^Lift / })
    .getAttribute("aria-label");
  await rows
    .nth(1)
    .getByRole("button", { name: /^Lift / })
    .focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Lift suppression" }).press("Enter");
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole("button", { name: following ?? "", exact: true })).toBeFocused();
});

test("g and a letter lead to the content of the page", async ({ page }) => {
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expect(page.getByRole("heading", { level: 1, name: "Domains" })).toBeVisible();
  await expect(page.locator("#main")).toBeFocused();
});

test("a secret that is shown once is not lost by a second Enter", async ({ page }) => {
  await page.goto("/dashboard/keys");
  await page.getByRole("button", { name: "Issue key" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Issue a key" });
  await dialog.getByLabel("Name").fill("Kept");
  await page.keyboard.down("Enter");
  const shown = page.getByRole("dialog", { name: "The key is issued" });
  await expect(shown.getByRole("button", { name: "Copy the enrollment key" })).toBeFocused();
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await page.keyboard.press("Enter");
  await expect(shown).toBeVisible();
});

test("the palette resumes what is paused, and offers it only then", async ({ page, context }) => {
  const addr = await newInbox(context);
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  const field = page.getByRole("combobox", { name: "Find" });
  const offered = page.getByRole("option", { name: /^Resume sending.*Action$/ });
  await page.keyboard.press("Control+k");
  await field.fill("resume sending");
  await expect(page.getByText("Searching…")).toHaveCount(0);
  await expect(offered).toHaveCount(0);
  await page.keyboard.press("Escape");
  await call(context, BASE_URL, "inboxes.pauseSending", { addr });
  const banner = page.getByRole("alert", { name: "The sending of an inbox is paused" });
  await expect(banner).toBeVisible();
  await page.keyboard.press("Control+k");
  await field.fill("resume sending");
  await offered.click();
  await expect(page.getByText("Sending resumed")).toBeVisible();
  await expect(banner).toHaveCount(0);
});

for (const [name, subject] of [
  ["words", `Offer ${"of many words that say little ".repeat(16)}`],
  ["one word", "M".repeat(280)],
] as const) {
  test(`a long subject of ${name} leaves room for the mail, and is shown as a whole on demand`, async ({
    page,
    context,
  }) => {
    const addr = await newInbox(context);
    await mail(addr, subject, { text: `${"A line.\n\n".repeat(40)}The last words` });
    for (const size of [NARROW, { width: 1280, height: 800 }]) {
      await page.setViewportSize(size);
      await openMail(page, addr);
      await page.getByRole("link", { name: new RegExp(subject.slice(0, 20)) }).click();
      const title = page.getByRole("heading", { level: 2 }).filter({ hasText: subject.trim() });
      const heightOf = async () => (await title.boundingBox())?.height ?? 0;
      await expect(title).toBeVisible();
      const short = await heightOf();
      expect(short).toBeLessThan(70);
      await page.getByRole("button", { name: "Reply", exact: true }).click();
      await page.getByRole("button", { name: "Discard" }).click();
      await page.screenshot({ path: `test-results/screenshots/subject-${name.replace(" ", "-")}-${size.width}.png` });
      await page.getByRole("button", { name: "Whole subject" }).click();
      await expect.poll(heightOf).toBeGreaterThan(short);
      await page.getByRole("button", { name: "Shorten the subject" }).click();
      await expect.poll(heightOf).toBe(short);
    }
  });
}

test("a field shows that it has the focus", async ({ page }) => {
  await page.goto("/dashboard/all-mail");
  for (const role of ["searchbox", "textbox", "combobox"] as const) {
    const all = page.getByRole("main").getByRole(role);
    for (const field of await all.all()) {
      await field.focus();
      const ring = await field.evaluate((element) => {
        const shown = element.closest(".mantine-Input-input") ?? element;
        const { outlineStyle, outlineWidth } = getComputedStyle(shown);
        return `${outlineStyle} ${outlineWidth}`;
      });
      expect(ring).toBe("solid 2px");
    }
  }
});
