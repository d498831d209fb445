// Every dialog of the dashboard: the focus begins in its first field and returns to what opened it, and its buttons are in view.
import { type BrowserContext, expect, type Locator, type Page, test } from "@playwright/test";
import { call, signInAsOwner } from "./owner.ts";

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };
const LOADING = ".mantine-Skeleton-root, [aria-busy=true]";
const TIMEOUT_MS = 180_000;
const CLOSED_WITHIN_MS = 2_000;

type Row = { id: string };
/** `menu`: the opener is an item of the menu of this button. `first`: what has the focus, if not a field. */
type Opened = { path: string; opener: string; menu?: string; first?: string | null };

async function furnish(context: BrowserContext, baseURL: string) {
  const key = await call<Row>(context, baseURL, "keys.issue", { name: "Dialogs", max_mailboxes: 20 });
  const inbox = await call<{ address: string }>(context, baseURL, "inboxes.createWith", {
    enrollment_key_id: key.id,
    username: `dialogs-${process.pid}`,
    client_id: "dialogs",
  });
  const webhook = await call<Row>(context, baseURL, "webhooks.register", {
    url: "http://127.0.0.1:9/hooks/dialogs",
    events: ["message.received"],
  });
  const domain = await call<Row>(context, baseURL, "domains.create", { domain: `dialogs-${process.pid}.example` });
  return { key, inbox, webhook, domain };
}

function dialogs({ key, inbox, webhook, domain }: Awaited<ReturnType<typeof furnish>>): Opened[] {
  const menu = `Actions for ${inbox.address}`;
  const webhookPage = `/dashboard/webhooks?id=${webhook.id}`;
  return [
    { path: "/dashboard/inboxes", opener: "Create inbox" },
    { path: "/dashboard/inboxes", menu, opener: "Approval of messages" },
    { path: "/dashboard/inboxes", menu, opener: "Pause sending", first: "Cancel" },
    { path: "/dashboard/inboxes", menu, opener: "Delete" },
    { path: "/dashboard/inboxes", menu, opener: "Rename" },
    { path: "/dashboard/inboxes", menu, opener: "Outgoing delay" },
    { path: "/dashboard/agents", opener: "Issue agent key" },
    { path: "/dashboard/keys", opener: "Issue key" },
    { path: `/dashboard/keys?id=${key.id}`, opener: "Edit" },
    { path: `/dashboard/keys?id=${key.id}`, opener: "Revoke" },
    { path: "/dashboard/webhooks", opener: "Register webhook" },
    { path: webhookPage, opener: "Replay…" },
    { path: `${webhookPage}&tab=settings`, opener: "Change name" },
    { path: `${webhookPage}&tab=settings`, opener: "Change events" },
    { path: `${webhookPage}&tab=settings`, opener: "Change deliveries" },
    { path: `${webhookPage}&tab=settings`, opener: "Rotate secret", first: "Cancel" },
    { path: `${webhookPage}&tab=settings`, opener: "Disable", first: "Cancel" },
    { path: `${webhookPage}&tab=settings`, opener: "Delete webhook" },
    { path: "/dashboard/domains", opener: "Add domain" },
    { path: `/dashboard/domains?id=${domain.id}`, opener: "Delete domain" },
    { path: "/dashboard/lists", opener: "Add an entry" },
    { path: "/dashboard/suppressions", opener: "Suppress an address" },
    { path: "/dashboard/settings/team", opener: "Invite" },
    { path: "/dashboard/settings/team", opener: "API", first: null },
    { path: `/dashboard/mail?inbox=${inbox.address}`, opener: "Compose" },
  ];
}

async function open(page: Page, { path, opener, menu }: Opened): Promise<{ button: Locator; shown: Locator }> {
  await page.goto(path);
  const button = page.getByRole("button", { name: menu ?? opener, exact: true }).first();
  await expect(button).toBeVisible();
  // A list that is read moves its button.
  await expect(page.locator(LOADING)).toHaveCount(0);
  await button.click();
  if (menu) await page.getByRole("menuitem", { name: opener }).click();
  const shown = page.getByRole("dialog");
  await expect(shown).toBeVisible();
  return { button, shown };
}

/** The buttons at the end of the dialog are in the window without scrolling. */
async function expectActionsInView(page: Page, shown: Locator): Promise<void> {
  const height = page.viewportSize()?.height ?? 0;
  const last = shown.getByRole("button").last();
  const bottom = async () => {
    const box = await last.boundingBox();
    return box ? box.y + box.height : Number.POSITIVE_INFINITY;
  };
  await expect.poll(bottom).toBeLessThanOrEqual(height);
}

test.beforeEach(async ({ context, baseURL }) => signInAsOwner(context, baseURL ?? ""));

test("dialogs begin in their first field, keep their buttons in view, and give the focus back", async ({
  page,
  context,
  baseURL,
}) => {
  test.setTimeout(TIMEOUT_MS);
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const each of dialogs(await furnish(context, baseURL ?? ""))) {
    await test.step(`${each.opener}, ${each.path}`, async () => {
      await page.setViewportSize(WIDE);
      const { button, shown } = await open(page, each);
      if (each.first === undefined) {
        await expect(shown.locator(":is(input, textarea, select):focus")).toHaveCount(1);
      } else if (each.first !== null) {
        await expect(shown.getByRole("button", { name: each.first })).toBeFocused();
      }
      const hasActions = each.first !== null;
      if (hasActions) await expectActionsInView(page, shown);
      await page.screenshot({ path: `test-results/screenshots/dialog ${each.opener}.png` });
      await page.setViewportSize(NARROW);
      if (hasActions) await expectActionsInView(page, shown);
      await page.screenshot({ path: `test-results/screenshots/dialog ${each.opener} narrow.png` });
      await page.setViewportSize(WIDE);
      // The first Escape may close the suggestions of a field.
      await expect(async () => {
        await page.keyboard.press("Escape");
        await expect(shown).toBeHidden({ timeout: CLOSED_WITHIN_MS });
      }).toPass();
      await expect(button).toBeFocused();
    });
  }
});

test("a button keeps the focus while it loads, and acts once", async ({ page, context, baseURL }) => {
  const webhook = await call<Row>(context, baseURL ?? "", "webhooks.register", {
    url: "http://127.0.0.1:9/hooks/focus",
    events: ["message.received"],
  });
  const asked = Promise.withResolvers<void>();
  let calls = 0;
  await page.route(/webhooks\.test/, async (route) => {
    calls += 1;
    await asked.promise;
    await route.continue();
  });
  await page.goto(`/dashboard/webhooks?id=${webhook.id}`);
  const button = page.getByRole("button", { name: "Send test event" });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(button).toHaveAttribute("aria-busy", "true");
  await expect(button).toBeFocused();
  await expect(button).toBeDisabled();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Space");
  asked.resolve();
  await expect(button).toBeEnabled();
  await expect(button).toBeFocused();
  expect(calls).toBe(1);

  // One that is switched off after it acted is left by the keyboard in its place.
  await page.goto("/dashboard/settings");
  const name = page.getByRole("textbox", { name: "Name", exact: true });
  const before = await name.inputValue();
  await name.fill(`${before} 2`);
  const save = page.getByRole("button", { name: "Save" }).first();
  const answered = page.waitForResponse(/organization\.update/);
  await save.focus();
  await page.keyboard.press("Enter");
  await answered;
  await expect(save).not.toHaveAttribute("aria-busy");
  await expect(save).toBeDisabled();
  await expect(save).toBeFocused();
  await name.fill(before);
  await save.click();
  await expect(save).toBeDisabled();
});
