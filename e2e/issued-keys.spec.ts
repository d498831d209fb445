// Keys that agents issue, in the dashboard: each below the key that issued it, revoked with all keys below it.
import { type APIRequestContext, expect, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, NARROW } from "./mailbox.ts";
import { call, signInAsOwner } from "./owner.ts";

type Key = { id: string; key: string };

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

async function issue(request: APIRequestContext, key: string, data: object): Promise<Key> {
  const answer = await request.post(`${BASE_URL}/v1/keys`, { headers: { Authorization: `Bearer ${key}` }, data });
  expect(answer.ok(), await answer.text()).toBe(true);
  return (await answer.json()) as Key;
}

test("are shown as a tree, and end with the key above them", async ({ page, context, request }) => {
  const enrollment = await call<Key>(context, BASE_URL, "keys.issue", {
    name: "A tree of keys",
    max_mailboxes: 3,
    scopes: ["mailbox:create", "mailbox:read", "mailbox:send", "key:issue"],
  });
  const enrolled = await request.post(`${BASE_URL}/v1/enroll`, {
    data: { token: enrollment.key, agent_handle: "planter" },
  });
  const { agent_key } = (await enrolled.json()) as { agent_key: string };
  const headers = { Authorization: `Bearer ${agent_key}` };
  const inbox = await request.post(`${BASE_URL}/v1/inboxes`, { headers, data: {} });
  const { address } = (await inbox.json()) as { address: string };
  const scopes = ["mailbox:read", "mailbox:send", "key:issue"];
  const branch = await issue(request, agent_key, { scopes, send_budget: 20 });
  const leaf = await issue(request, branch.key, {
    scopes: ["mailbox:read"],
    inboxes: [address],
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const sibling = await issue(request, agent_key, { scopes: ["mailbox:read"] });
  const sent = await request.post(`${BASE_URL}/v1/inboxes/${encodeURIComponent(address)}/send`, {
    headers: { Authorization: `Bearer ${branch.key}` },
    data: { to: ["ann@else.example", "bob@else.example"], text: "x" },
  });
  expect(sent.status()).toBe(202);

  await page.goto(`/dashboard/keys?id=${enrollment.id}`);
  const table = page.getByRole("table", { name: "Keys of planter" });
  const rowOf = (id: string) => table.getByRole("row").filter({ has: page.getByText(id, { exact: true }).first() });
  await expect(table.getByRole("row")).toHaveCount(5);
  const texts = (await table.getByRole("row").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim());
  const at = (id: string) => texts.findIndex((text) => text.startsWith(id));
  expect(at(leaf.id)).toBe(at(branch.id) + 1);
  expect(at(sibling.id)).toBeGreaterThan(1);
  expect(texts[at(leaf.id)]).toContain(`issued by ${branch.id}`);
  await expect(rowOf(branch.id).first()).toContainText("sent to 2 of 20 recipients");
  await expect(table.getByRole("row").nth(at(leaf.id))).toContainText(address);
  await page.screenshot({ path: "test-results/screenshots/issued-keys-light.png", fullPage: true });
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await page.screenshot({ path: "test-results/screenshots/issued-keys-dark-390.png", fullPage: true });
  expect(await violationsIn(page)).toEqual([]);

  await page.getByRole("button", { name: `Revoke ${branch.id}` }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("and so are those with the keys that it issued");
  await dialog.getByRole("button", { name: /Revoke/ }).click();
  await expect(page.getByRole("button", { name: `Revoke ${branch.id}` })).toHaveCount(0);
  await expect(page.getByRole("button", { name: `Revoke ${leaf.id}` })).toHaveCount(0);
  await expect(page.getByRole("button", { name: `Revoke ${sibling.id}` })).toBeVisible();
  await expect
    .poll(async () =>
      (await request.get(`${BASE_URL}/v1/auth/me`, { headers: { Authorization: `Bearer ${leaf.key}` } })).status(),
    )
    .toBe(401);
});
