// Agents in the dashboard: the table, one agent with its inboxes, keys and activity, and an agent key that a member issues.
import { randomUUID } from "node:crypto";
import { type APIRequestContext, expect, type Page, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, NARROW } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

type Key = { id: string; key: string };

/** A test that fails is repeated on the same service. */
const unique = () => randomUUID().slice(0, 8);

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

async function enroll(request: APIRequestContext, token: string, agent_handle: string) {
  const enrolled = await request.post(`${BASE_URL}/v1/enroll`, { data: { token, agent_handle } });
  const { agent_key } = (await enrolled.json()) as { agent_key: string };
  return { Authorization: `Bearer ${agent_key}` };
}

async function looks(page: Page, name: string) {
  await page.screenshot({ path: `test-results/screenshots/${name}-light.png`, fullPage: true });
  expect(await violationsIn(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await page.screenshot({ path: `test-results/screenshots/${name}-dark-390.png`, fullPage: true });
  expect(await violationsIn(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("an agent has its figures, its inboxes, its activity, and a key that is revoked in place", async ({
  page,
  context,
  request,
}) => {
  const [field, handle] = [`Field agents ${unique()}`, `surveyor-${unique()}`];
  const enrollment = await call<Key>(context, BASE_URL, "keys.issue", { name: field, max_mailboxes: 9 });
  const headers = await enroll(request, enrollment.key, handle);
  const data = { display_name: "Surveys", inbound_webhook_url: "http://127.0.0.1:9/hook" };
  const made = await request.post(`${BASE_URL}/v1/inboxes`, { headers, data });
  const { address } = (await made.json()) as { address: string };
  const send = `${BASE_URL}/v1/inboxes/${encodeURIComponent(address)}/send`;
  const mail = { to: ["ann@else.example", "ben@else.example"], subject: "Survey", text: "x" };
  expect((await request.post(send, { headers, data: mail })).status()).toBe(202);
  await call(context, BASE_URL, "inboxes.createWith", { enrollment_key_id: enrollment.id });

  await page.goto("/dashboard/agents");
  const row = page.getByRole("table", { name: "Agents" }).getByRole("row").filter({ hasText: handle });
  await expect(row).toContainText(field);
  const figures = (await row.getByRole("cell").allInnerTexts()).map((text) => text.trim());
  expect(figures.slice(2, 6)).toEqual(["1", "1", "2", "1"]);
  await expect(page.getByRole("link", { name: "dashboard", exact: true })).toHaveCount(0);
  await looks(page, "agents");
  const undo = row.getByRole("button", { name: `Undo… what ${handle} did` });
  await undo.press("Enter");
  await expect(page.getByRole("dialog", { name: `Undo what one key of ${handle} did?` })).toContainText(
    "The key made changes with 2 calls:",
  );
  await looks(page, "agents-undo");
  await page.keyboard.press("Escape");
  await expect(undo).toBeFocused();
  await row.getByRole("cell").nth(4).click({ force: true });

  await expect(page.getByRole("heading", { name: handle, level: 1 })).toBeVisible();
  await expect(page.getByRole("region", { name: "The agent" })).toContainText("7 of 9");
  await expect(page.getByRole("table", { name: "Inboxes" })).toContainText("2 of 20");
  await expect(page.getByRole("region", { name: "Mail of 14 days" })).toContainText("0 in, 2 out, 0 bounced");
  await looks(page, "agent");
  await page.getByRole("tab", { name: "Activity" }).click();
  await expect(page.getByRole("table", { name: "Changes" })).toContainText("Asked to send mail");
  await expect(page.getByRole("button", { name: "Undo…" })).toBeVisible();
  await looks(page, "agent-activity");
  await page.getByRole("tab", { name: "Keys" }).click();
  await page.getByRole("button", { name: /^Revoke akey_/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("button", { name: /^Revoke akey_/ })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "The agent" })).toContainText("Working keys0");
});

test("a key is issued for a named agent, with scopes and inboxes, and shown once", async ({
  page,
  context,
  request,
}) => {
  const [shift, handle] = [`Night shift ${unique()}`, `night-clerk-${unique()}`];
  const enrollment = await call<Key>(context, BASE_URL, "keys.issue", { name: shift, max_mailboxes: 3 });
  const inbox = await call<{ address: string }>(context, BASE_URL, "inboxes.createWith", {
    enrollment_key_id: enrollment.id,
  });
  await page.goto("/dashboard/agents?issue=");
  const dialog = page.getByRole("dialog", { name: "Issue an agent key" });
  await dialog.getByLabel("Handle").fill(handle);
  await dialog.getByLabel("Enrollment key").click();
  await page.getByRole("option", { name: shift }).click();
  await expect(dialog.getByRole("checkbox", { name: "key:issue" })).toHaveCount(0);
  await dialog.getByRole("checkbox", { name: "mailbox:send" }).uncheck();
  await dialog.getByRole("checkbox", { name: "webhook:write" }).uncheck();
  await dialog.getByLabel("Inboxes (optional)").fill("nobody@else.example");
  await page.screenshot({ path: "test-results/screenshots/issue-agent-key-light.png" });
  expect(await violationsIn(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Issue agent key" }).click();
  await expect(dialog.getByText("there is no inbox nobody@else.example that the key can reach")).toBeVisible();
  await dialog.getByLabel("Inboxes (optional)").press("Backspace");
  await dialog.getByLabel("Inboxes (optional)").fill(inbox.address);
  await dialog.getByRole("button", { name: "Issue agent key" }).click();
  const shown = page.getByRole("dialog", { name: "The agent key is issued" });
  const secret = (await shown.locator("code").first().innerText()).trim();
  await expect(shown.getByText("/v1/auth/me")).toBeVisible();
  await page.screenshot({ path: "test-results/screenshots/issued-agent-key-light.png" });
  expect(await violationsIn(page)).toEqual([]);
  await shown.getByRole("button", { name: "I have stored it" }).click();
  await expect(page.getByRole("table", { name: "Agents" })).toContainText(handle);
  const me = await request.get(`${BASE_URL}/v1/auth/me`, { headers: { Authorization: `Bearer ${secret}` } });
  expect(await me.json()).toMatchObject({ agent_handle: handle, inboxes: [inbox.address] });
  const { data } = await ask<{ data: { action: string; subject: string }[] }>(context, BASE_URL, "team.audit", {});
  expect(data.find(({ action }) => action === "keys.issueAgentKey")?.subject).toBe(handle);
});

test("the table of inboxes has owners, caps and states, is sorted, and a row is a link", async ({
  page,
  context,
  request,
}) => {
  const enrollment = await call<Key>(context, BASE_URL, "keys.issue", { name: "Table agents", max_mailboxes: 9 });
  const headers = await enroll(request, enrollment.key, "scanner");
  const run = unique();
  const usernames = ["b", "a"].map((name) => `${run}-tbl-${name}`);
  for (const username of usernames) {
    expect((await request.post(`${BASE_URL}/v1/inboxes`, { headers, data: { username } })).status()).toBe(201);
  }
  const { address: paused } = await call<{ address: string }>(context, BASE_URL, "inboxes.createWith", {
    enrollment_key_id: enrollment.id,
    username: `${run}-tbl-c`,
  });
  const second = `${usernames[1]}@mail.localhost`;
  const send = `${BASE_URL}/v1/inboxes/${encodeURIComponent(second)}/send`;
  const mail = { to: ["ann@else.example", "ben@else.example", "cyd@else.example"], text: "x" };
  expect((await request.post(send, { headers, data: mail })).status()).toBe(202);
  await call(context, BASE_URL, "inboxes.pauseSending", { addr: paused });
  await call(context, BASE_URL, "reviews.setPolicy", { inbox: paused, review: "all" });
  const allowed = { inbox: paused, direction: "receive", list: "allow", entry: "else.example" };
  await call(context, BASE_URL, "lists.add", allowed);

  await page.goto(`/dashboard/inboxes?q=${run}`);
  const table = page.getByRole("table", { name: "Inboxes" });
  const rows = table.getByRole("row");
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toContainText("Your team");
  for (const state of ["Sending paused", "Approval: all", "Allow list: senders"]) {
    await expect(rows.nth(1)).toContainText(state);
  }
  await expect(rows.nth(2).getByRole("link", { name: "scanner" })).toBeVisible();
  await expect(rows.nth(2).getByRole("link", { name: "Table agents" })).toBeVisible();
  await expect(rows.nth(2)).toContainText("3 of 20");
  await page.getByRole("combobox", { name: "Order" }).click();
  await page.getByRole("option", { name: "By address" }).click();
  await expect(rows.nth(1)).toContainText("tbl-a");
  await page.getByRole("combobox", { name: "Order" }).click();
  await page.getByRole("option", { name: "Most sent today" }).click();
  await expect(rows.nth(1)).toContainText("3 of 20");
  await looks(page, "inboxes-table");
  await call(context, BASE_URL, "inboxes.resumeSending", { addr: paused });
  await page.setViewportSize(NARROW);
  const heights = await rows.evaluateAll((all) => all.slice(1).map((row) => row.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeLessThan(135);
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByRole("button", { name: `Actions for ${second}` }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("dialog").getByLabel("Display name").fill("The front desk");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(rows.nth(1)).toContainText("The front desk");
  await page.getByRole("searchbox", { name: "Find an inbox" }).fill("");
  await expect(page.getByText(/^\d+ inboxes$/)).toBeVisible();
  await page.getByRole("searchbox", { name: "Find an inbox" }).fill(run);
  await expect(rows).toHaveCount(4);
  await rows.nth(1).getByRole("cell").nth(3).click({ force: true });
  await expect(page).toHaveURL(/\/dashboard\/mail\?inbox=.*-tbl-a/);
});

test("a reserved name is refused once, with another one to take", async ({ page, context }) => {
  await call(context, BASE_URL, "keys.issue", { name: "Desk agents", max_mailboxes: 9 });
  await page.goto("/dashboard/inboxes");
  await page.getByRole("button", { name: "Create inbox" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name before the @").fill("Support");
  await dialog.getByRole("button", { name: "Create inbox" }).click();
  await expect(dialog.getByText(/reserved/)).toHaveCount(1);
  await expect(dialog).toContainText("Support is reserved on this domain");
  await expect(dialog.getByRole("alert").filter({ hasText: "username" })).toHaveCount(0);
  await page.screenshot({ path: "test-results/screenshots/create-inbox-reserved-light.png" });
  expect(await violationsIn(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Take support-desk" }).click();
  await expect(dialog.getByLabel("Name before the @")).toHaveValue("support-desk");
  await dialog.getByLabel("Name before the @").fill(`support-desk-${unique()}`);
  await dialog.getByRole("button", { name: "Create inbox" }).click();
  await expect(page).toHaveURL(/\/dashboard\/mail\?inbox=support-desk/);
});
