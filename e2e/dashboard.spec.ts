// The dashboard around its pages: honest health of webhooks, the audit log with its export, a lost connection, and finding
// and opening things by the keyboard.
import { readFile } from "node:fs/promises";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { call, signInAsOwner } from "./owner.ts";

const TIMEOUT_MS = 180_000;
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
/** Unused ports. */
const FAILING = "http://127.0.0.1:9/hooks/failing";
const TWICE = "http://127.0.0.1:9/hooks/twice";

test.beforeEach(({ context, baseURL }) => signInAsOwner(context, baseURL ?? ""));

type Row = { id: string };

async function furnish(context: BrowserContext, baseURL = "", name = "") {
  const key = await call<Row>(context, baseURL, "keys.issue", { name: `Key of ${name}`, max_mailboxes: 5 });
  const inbox = await call<{ address: string }>(context, baseURL, "inboxes.createWith", {
    enrollment_key_id: key.id,
    username: name,
    client_id: name,
  });
  return { key, inbox };
}

async function mail(to: string): Promise<void> {
  const port = Number(process.env.E2E_SMTP_PORT);
  const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "shop@else.example", to, subject: "Hello", text: "Hello" });
  transport.close();
}

const rowWith = (page: Page, text: string) => page.getByRole("row").filter({ hasText: text });

test("webhooks that fail come first, with their rate; the audit log is filtered and exported", async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(TIMEOUT_MS);
  const { inbox } = await furnish(context, baseURL, "health");
  const register = (url: string, address: string) =>
    call<Row>(context, baseURL ?? "", "webhooks.register", { url, address, events: ["message.received"] });
  await register(FAILING, inbox.address);
  const { inbox: silent } = await furnish(context, baseURL, "silent");
  for (const address of [silent.address, silent.address]) await register(TWICE, address);

  await test.step("a delivery that failed so far is no success", async () => {
    await mail(inbox.address);
    await page.goto("/dashboard/webhooks");
    const failing = rowWith(page, FAILING);
    await expect(failing).toContainText("Failing");
    await expect(failing).toContainText("0%");
    await expect(failing).toContainText("0 of 1 delivery; 1 will be retried");
    await expect(rowWith(page, TWICE).first()).toContainText("2 webhooks have this URL");
    const urls = await page.getByRole("table", { name: "Webhooks" }).getByRole("link").allTextContents();
    expect(urls.indexOf(FAILING)).toBeLessThan(urls.indexOf(TWICE));
    await page.goto("/dashboard");
    await expect(page.getByRole("region", { name: "Webhook deliveries" })).toContainText(
      /\d+ attempts?, of which [1-9]\d* failed\./,
    );
    await expect(page.getByRole("region", { name: "Webhook deliveries" })).not.toContainText("100%");
  });

  await test.step("a tab of a webhook is in the address", async () => {
    await page.goto("/dashboard/webhooks");
    await rowWith(page, FAILING).getByRole("link").click();
    await page.getByRole("tab", { name: "Settings" }).click();
    await expect(page).toHaveURL(/tab=settings/);
    await page.reload();
    await expect(page.getByRole("tab", { name: "Settings" })).toHaveAttribute("aria-selected", "true");
  });

  await test.step("the calls of the page have its ids and filters, and are copied in each language", async () => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const id = new URL(page.url()).searchParams.get("id") ?? "";
    await page.goto(`/dashboard/webhooks?id=${id}&status=pending`);
    await page.getByRole("button", { name: "API", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "API calls of this page" });
    const url = `${baseURL}/v1/webhooks/${id}/deliveries?status=pending`;
    await expect(dialog.getByRole("region")).toHaveCount(4);
    await expect(dialog).toContainText(`curl -X POST "${baseURL}/v1/webhooks/${id}/test"`);
    await dialog.getByRole("button", { name: "Copy the call listDeliveries" }).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await expect.poll(copied).toBe(`curl "${url}" \\\n  -H "Authorization: Bearer $KEY"`);
    await page.screenshot({ path: "test-results/screenshots/api-calls.png" });
    await dialog.getByText("Python", { exact: true }).click();
    await expect(dialog).toContainText(`"${url}",`);
    await page.setViewportSize(NARROW);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: "test-results/screenshots/api-calls-narrow.png" });
    await page.setViewportSize(WIDE);
    await page.goto("/dashboard/settings/team");
    await page.getByRole("button", { name: "API", exact: true }).click();
    await expect(dialog).toContainText("The API has no calls for this page");
    await page.keyboard.press("Escape");
  });

  await test.step("filters of the audit log are in the address, and the export has them", async () => {
    await page.goto("/dashboard/settings/audit?noun=webhooks");
    await expect(page.getByLabel("Kind")).toHaveValue("webhooks");
    await expect(rowWith(page, "Registered a webhook").first()).toBeVisible();
    await expect(rowWith(page, "Issued an enrollment key")).toHaveCount(0);
    await page.getByLabel("Result").selectOption("Refused");
    await expect(page).toHaveURL(/outcome=refused/);
    await expect(rowWith(page, "Registered a webhook")).toHaveCount(0);
    await page.getByLabel("Result").selectOption("Every result");
    await page.getByRole("button", { name: "Export" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "As CSV" }).click(),
    ]);
    const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
    expect(lines[0]).toBe("created_at,actor,action,subject,outcome,id,object,object_id,agent_id,changes");
    expect(lines.slice(1).every((line) => line.includes('"webhooks.'))).toBe(true);
    expect(lines.length).toBeGreaterThan(3);
  });
});

test("a lost connection keeps the page; the keyboard finds and opens", async ({ page, context, baseURL }) => {
  test.setTimeout(TIMEOUT_MS);
  const { inbox } = await furnish(context, baseURL, "found-by-keys");
  const lost = page.getByText("Connection lost.");

  await test.step("offline, the page stays, and the link that was chosen opens afterwards", async () => {
    await page.goto("/dashboard/webhooks");
    await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Register webhook" }).first()).toBeVisible();
    await context.setOffline(true);
    await expect(lost).toBeVisible();
    // The dialog's file was not loaded yet.
    await page.getByRole("button", { name: "Register webhook" }).first().click();
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Keys" }).click();
    await expect(page.getByText("“Keys” opens then.")).toBeVisible();
    await page.screenshot({ path: "test-results/screenshots/offline.png" });
    await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: "Keys" })).toBeVisible();
    await expect(lost).toBeHidden();
  });

  await test.step("offline, before the files that are loaded later are there, the page says so", async () => {
    const named = new Set((await (await fetch(`${baseURL}/dashboard/webhooks`)).text()).match(/[\w~.-]+\.js/g));
    await page.route(/\.js$/, (route) =>
      named.has(route.request().url().split("/").at(-1) ?? "") ? route.continue() : route.abort(),
    );
    await page.goto("/dashboard/webhooks");
    await expect(page.getByRole("navigation", { name: "Dashboard" })).toBeVisible();
    await context.setOffline(true);
    await expect(lost).toBeVisible();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
  });

  await test.step("offline, an inbox is not live, and live again afterwards", async () => {
    await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(inbox.address)}`);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await context.setOffline(true);
    await expect(page.getByText("Reconnecting…")).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
  });

  await test.step("an unknown address below /dashboard stays in the dashboard", async () => {
    const answer = await page.goto("/dashboard/nowhere");
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole("heading", { level: 1, name: "Page not found" })).toBeVisible();
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Keys" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Keys" })).toBeVisible();
  });

  await test.step("a dialog whose file could not be loaded opens when the connection is back", async () => {
    await page.goto("/dashboard/inboxes");
    await expect(page.getByRole("row").filter({ hasText: inbox.address })).toBeVisible();
    await context.setOffline(true);
    await page.getByRole("button", { name: "Create inbox" }).first().click();
    await expect(lost).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole("dialog", { name: "Create an inbox" })).toBeVisible();
    await page.keyboard.press("Escape");
  });

  await test.step("a dialog that is closed gives the focus back to the button that opened it", async () => {
    for (const [path, name] of [
      ["/dashboard/inboxes", "Create inbox"],
      ["/dashboard/keys", "Issue key"],
      ["/dashboard/settings/team", "API"],
    ] as const) {
      await page.goto(path);
      const button = page.getByRole("button", { name, exact: true });
      await button.click();
      await expect(page.getByRole("dialog")).toBeVisible();
      await page.keyboard.press("Escape");
      await expect(page.getByRole("dialog")).toBeHidden();
      await expect(button).toBeFocused();
    }
  });

  await test.step("a page whose files are missing says so and opens when they can be loaded", async () => {
    await page.goto("/dashboard");
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await page.route(/\/_next\/static\/chunks\/|\/health\/live/, (route) => route.abort());
    await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Lists" }).click();
    await expect(lost).toBeVisible();
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await expect(page.getByRole("heading", { level: 1, name: "Lists" })).toBeVisible();
  });

  await test.step("Ctrl+K opens an inbox by its name", async () => {
    await page.goto("/dashboard");
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Find" });
    await expect(page.getByRole("option", { name: "Overview" })).toBeVisible();
    await field.fill("found-by-keys");
    await expect(page.getByRole("option", { name: inbox.address })).toBeVisible();
    await expect(page.getByRole("option", { name: "Key of found-by-keys" }).first()).toBeVisible();
    await page.screenshot({ path: "test-results/screenshots/palette.png" });
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/dashboard\/mail\?inbox=found-by-keys/);
    await page.goBack();
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  });

  await test.step("? shows the keys, / goes to the search of the page, whose text is in the address", async () => {
    await page.goto("/dashboard/inboxes");
    await expect(page.getByLabel("Find an inbox")).toBeVisible();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Shortcuts" });
    await expect(help).toContainText("Search on this page");
    await page.keyboard.press("Escape");
    await expect(help).toBeHidden();
    await page.keyboard.press("/");
    await expect(page.getByLabel("Find an inbox")).toBeFocused();
    await page.keyboard.type("found-by");
    await expect(page).toHaveURL(/q=found-by/);
    await page.reload();
    await expect(page.getByLabel("Find an inbox")).toHaveValue("found-by");
  });

  await test.step("an inbox that does not exist offers nothing to do with it", async () => {
    await page.goto("/dashboard/mail?inbox=none%40mail.localhost");
    await expect(page.getByText("The inbox could not be opened")).toBeVisible();
    await expect(page.getByRole("button", { name: "Compose" })).toHaveCount(0);
    await expect(page.getByText("Live", { exact: true })).toHaveCount(0);
  });
});
