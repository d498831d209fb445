// A mail whose From shows another sender: what the dashboard says of it, in both schemes and on a narrow screen.
import { expect, test } from "@playwright/test";
import { BASE_URL, mail, NARROW, newInbox, openMail, openThread } from "./mailbox.ts";
import { signInAsOwner } from "./owner.ts";

for (const colorScheme of ["light", "dark"] as const) {
  test(`a name that is another address is marked, and the list shows the real one, ${colorScheme}`, async ({
    page,
    context,
  }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(NARROW);
    await signInAsOwner(context, BASE_URL);
    const addr = await newInbox(context);
    const from = { name: "ceo@bank.example <b>", address: "a@evil.example" };
    await mail(addr, "Invoice", { from, text: "Please pay." });
    await openMail(page, addr);
    await expect(page.getByRole("link", { name: /Invoice/ })).toContainText("a@evil.example");
    await expect(page.getByRole("link", { name: /Invoice/ })).not.toContainText("ceo@bank.example");
    await openThread(page, "Invoice");
    const article = page.getByRole("article");
    await expect(article.getByText("Be careful: this mail shows another sender than its address.")).toBeVisible();
    await expect(article.getByText("From shows ceo@bank.example, but the address is a@evil.example.")).toBeVisible();
    await expect(article.getByText("ceo@bank.example <b>", { exact: true })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(NARROW.width);
    await page.screenshot({ path: `test-results/screenshots/forged-sender-${colorScheme}.png` });
  });
}
