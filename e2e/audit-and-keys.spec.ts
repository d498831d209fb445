// The audit log, keys, the palette, shortcuts and names of webhooks, as a member uses them.
import { randomInt } from "node:crypto";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, NARROW } from "./mailbox.ts";
import { call, signInAsOwner } from "./owner.ts";

const WIDE = { width: 1440, height: 900 };
type Key = { id: string; key: string };

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

const unique = () => String(randomInt(10 ** 9));

async function issue(context: BrowserContext, name: string, max_mailboxes = 2): Promise<Key> {
  return call<Key>(context, BASE_URL, "keys.issue", { name, max_mailboxes });
}

async function picture(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size);
      await page.screenshot({ path: `test-results/screenshots/${name}-${colorScheme}-${size.width}.png` });
      expect(await violationsIn(page)).toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize(WIDE);
}

test("the audit log names what members and agents changed, links to it, and is searched", async ({
  page,
  context,
  request,
}) => {
  const name = `Audited ${unique()}`;
  const { id, key } = await issue(context, name);
  const enrolled = await request.post(`${BASE_URL}/v1/enroll`, {
    data: { token: key, agent_handle: `audited-${unique()}` },
  });
  const { agent_key } = (await enrolled.json()) as { agent_key: string };
  const headers = { Authorization: `Bearer ${agent_key}` };
  const { address } = (await (await request.post(`${BASE_URL}/v1/inboxes`, { headers, data: {} })).json()) as {
    address: string;
  };
  await call(context, BASE_URL, "inboxes.update", { addr: address, display_name: "Front desk" });
  await call(context, BASE_URL, "keys.revoke", { id });
  await page.goto("/dashboard/settings/audit");
  const row = (text: string) => page.getByRole("row").filter({ hasText: text }).first();
  await expect(row("Revoked an enrollment key").getByRole("link", { name })).toBeVisible();
  await page.getByLabel("Find in the audit log").fill(address);
  await expect(row("Created an inbox")).toContainText("Agent");
  await expect(row("Changed an inbox")).toContainText("display name: nothing → Front desk");
  await expect(row("Changed an inbox")).toContainText(/\w{3} \d+, \d{4}, \d\d:\d\d:\d\d/);
  await expect(page.getByRole("row").filter({ hasText: "Revoked" })).toHaveCount(0);
  await picture(page, "audit");
  await page.setViewportSize(NARROW);
  await expect(page.getByLabel("Result")).toBeHidden();
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabel("Person").selectOption("All agents");
  await expect(page.getByText("Changed an inbox")).toHaveCount(0);
  await expect(page.getByText("Created an inbox").first()).toBeVisible();
  await page.getByRole("link", { name: address }).first().click();
  await expect(page).toHaveURL(/\/dashboard\/mail\?inbox=/);
});

test("a key is changed, and the list has revoked keys last, with badges that are not cut", async ({
  page,
  context,
}) => {
  const { id } = await issue(context, `Edited ${unique()} with a name that is as long as careful people write it`);
  const revoked = await issue(context, `Ended ${unique()}`);
  await call(context, BASE_URL, "keys.revoke", { id: revoked.id });
  await page.goto(`/dashboard/keys?id=${id}`);
  await page.getByRole("button", { name: "Edit" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit key" });
  const renamed = `Renamed ${unique()} with a name that is as long as careful people write it`;
  await dialog.getByLabel("Name").fill(renamed);
  await dialog.getByLabel("Mailboxes").fill("7");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1, name: renamed })).toBeVisible();
  await expect(page.getByText("0 of 7")).toBeVisible();
  await page.getByRole("tab", { name: "Ledger" }).click();
  await expect(page.getByText("-0", { exact: true })).toHaveCount(0);
  await page.goto("/dashboard/keys");
  const texts = () => page.getByRole("row").allInnerTexts();
  await expect.poll(async () => (await texts()).some((text) => text.includes("Revoked"))).toBe(true);
  const states = (await texts()).slice(1).map((text) => text.includes("Revoked"));
  expect(states).toEqual(states.toSorted((one, other) => Number(one) - Number(other)));
  for (const size of [WIDE, { width: 1024, height: 800 }]) {
    await page.setViewportSize(size);
    const cut = await page
      .locator(".mantine-Badge-label")
      .evaluateAll((labels) => labels.filter((label) => label.scrollWidth > label.clientWidth).length);
    expect(cut, `at ${size.width}`).toBe(0);
  }
  await picture(page, "keys-list");
});

test("the palette acts, finds guides and calls also with a typo, and its field does not move", async ({ page }) => {
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Find" });
  const topOf = async () => (await field.boundingBox())?.y;
  await expect(field).toBeVisible();
  await expect.poll(topOf).toBeLessThan(200);
  const before = await topOf();
  await field.fill("webhook".replace("oo", "o"));
  await expect(page.getByRole("option", { name: /Webhooks.*Guide$/ }).first()).toBeVisible();
  await expect(page.getByRole("option", { name: /POST \/v1\/webhooks.*Call$/ }).first()).toBeVisible();
  expect(await topOf()).toBe(before);
  await picture(page, "palette-actions");
  for (const [typed, found] of [
    ["approvals that", /^Approvals that wait.*Action$/],
    ["revoke", /^Revoke a key.*Action$/],
  ] as const) {
    await field.fill(typed);
    await expect(page.getByRole("option", { name: found })).toBeVisible();
  }
  await field.fill("issue a key");
  await page.getByRole("option", { name: /Issue a key.*Action$/ }).click();
  await expect(page.getByRole("dialog", { name: "Issue a key" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await field.fill("dark");
  await expect(page.getByRole("option", { name: /Dark colors/ })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.keyboard.press("g");
  await page.keyboard.press("k");
  await expect(page.getByRole("heading", { level: 1, name: "Keys" })).toBeVisible();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Shortcuts" })).toContainText("Webhooks");
});

test("a webhook has a name, and the test receiver is one that stops", async ({ page, context }) => {
  const name = `Orders ${unique()}`;
  const { id } = await call<{ id: string }>(context, BASE_URL, "webhooks.register", {
    url: "https://orders.example/hooks/in",
    name,
    events: ["message.received"],
  });
  await page.goto("/dashboard/webhooks");
  await expect(page.getByRole("row").filter({ hasText: name })).toContainText("orders.example");
  await page.goto(`/dashboard/webhooks?id=${id}&tab=settings`);
  await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
  await page.getByRole("button", { name: "Change name" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("");
  await page.getByRole("dialog").getByRole("button", { name: "Change name" }).click();
  await expect(page.getByRole("heading", { level: 1, name: /orders\.example/ })).toBeVisible();
  await page.goto("/dashboard/webhooks");
  await page.getByRole("button", { name: "Test receiver" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Test receiver" })).toBeVisible();
  const first = page.url();
  await page.goto("/dashboard/webhooks");
  await page.getByRole("button", { name: "Test receiver" }).click();
  await expect(page).toHaveURL(first);
  await expect(page.getByRole("heading", { level: 1, name: "Test receiver" })).toBeVisible();
  await picture(page, "test-receiver");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByRole("list", { name: "Test receivers" })).toHaveCount(0);
});
