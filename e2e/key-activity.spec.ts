// What an agent key changed, in the dashboard, and its undo: first what it would do, then what it did.
import { expect, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, NARROW, newInbox } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

type Key = { id: string; key: string };
type Listed = { data: { id: string; labels: string[] }[] };

test("shows what changed, and undoes it after a dry run", async ({ page, context, request }) => {
  const enrollment = await call<Key>(context, BASE_URL, "keys.issue", { name: "Gone wrong", max_mailboxes: 3 });
  const enrolled = await request.post(`${BASE_URL}/v1/enroll`, {
    data: { token: enrollment.key, agent_handle: "eager" },
  });
  const { agent_key } = (await enrolled.json()) as { agent_key: string };
  const headers = { Authorization: `Bearer ${agent_key}` };
  const inbox = await newInbox(context);
  expect((await request.post(`${BASE_URL}/v1/inboxes`, { headers, data: {} })).status()).toBe(201);
  const mail = { addr: inbox, to: "ann@else.example", subject: "Quarterly numbers", text: "Words" };
  const { id } = await call<{ id: string }>(context, BASE_URL, "messages.send", mail);
  const did = async (answer: Promise<{ ok(): boolean; text(): Promise<string> }>) => {
    const done = await answer;
    expect(done.ok(), await done.text()).toBe(true);
  };
  await did(request.patch(`${BASE_URL}/v1/messages/${id}`, { headers, data: { labels: ["urgent"] } }));
  const send = `${BASE_URL}/v1/inboxes/${encodeURIComponent(inbox)}/send`;
  await did(request.post(send, { headers, data: { to: "bob@else.example", subject: "Left", text: "x" } }));
  const left = () => ask<{ data: { status: string }[] }>(context, BASE_URL, "messages.list", { addr: inbox });
  await expect.poll(async () => (await left()).data[0]?.status).toBe("captured");

  await page.goto(`/dashboard/keys?id=${enrollment.id}`);
  await page.getByRole("link", { name: /^Activity of akey_/ }).click();
  const table = page.getByRole("table", { name: "Changes" });
  await expect(table).toContainText("Marked or labelled mail");
  await expect(table.getByRole("link", { name: "Quarterly numbers" })).toBeVisible();
  await expect(table).toContainText("labels: none → urgent");
  await page.screenshot({ path: "test-results/screenshots/key-activity-light.png", fullPage: true });
  expect(await violationsIn(page)).toEqual([]);

  await page.getByRole("button", { name: "Undo…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("The key made changes with 3 calls:");
  await expect(dialog).toContainText("1 change cannot be taken back:");
  await expect(dialog).toContainText("Asked to send mail, Left: It left: its status is sent.");
  await page.screenshot({ path: "test-results/screenshots/undo-key-light.png" });
  expect(await violationsIn(page)).toEqual([]);
  expect((await ask<Listed>(context, BASE_URL, "messages.list", { addr: inbox })).data[1]?.labels).toEqual(["urgent"]);
  await dialog.getByRole("button", { name: "Undo and revoke the key" }).click();
  await expect(page.getByText("Undone. 1 change could not be taken back", { exact: true })).toBeVisible();
  await expect(dialog).toContainText("1 change could not be taken back:");
  await expect(dialog.getByRole("button", { name: "Cancel" })).toHaveCount(0);
  await page.screenshot({ path: "test-results/screenshots/undone-key-light.png" });
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await expect(table).toContainText("Undone");
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await page.screenshot({ path: "test-results/screenshots/key-activity-dark-390.png", fullPage: true });
  expect((await ask<Listed>(context, BASE_URL, "messages.list", { addr: inbox })).data[1]?.labels).toEqual([]);
});
