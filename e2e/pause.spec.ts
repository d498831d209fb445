// The red buttons: a member pauses all sending, an inbox and a key, reads on every page what is paused, and resumes it.
import { expect, type Page, test } from "@playwright/test";
import { call, signInAsOwner } from "./owner.ts";

async function pause(page: Page, reason: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("Within a second, no more mail leaves");
  await dialog.getByLabel("Reason (optional)").fill(reason);
  await dialog.getByRole("button", { name: "Pause sending" }).click();
  await expect(dialog).toHaveCount(0);
}

test("a member pauses all sending, an inbox and a key, and resumes each", async ({ page, context, baseURL: base }) => {
  const baseURL = base ?? "";
  await signInAsOwner(context, baseURL);
  const { key: token, id } = await call<{ key: string; id: string }>(context, baseURL, "keys.issue", {
    name: "Stopped",
    max_mailboxes: 10,
  });
  const enrolled = await context.request.post(`${baseURL}/v1/enroll`, { data: { token, agent_handle: "wild" } });
  const { agent_key } = (await enrolled.json()) as { agent_key: string };
  const headers = { Authorization: `Bearer ${agent_key}` };
  const made = await context.request.post(`${baseURL}/v1/inboxes`, { headers, data: {} });
  const { address } = (await made.json()) as { address: string };
  const send = async () => {
    const path = `${baseURL}/v1/inboxes/${encodeURIComponent(address)}/send`;
    return (await context.request.post(path, { headers, data: { to: "ann@else.example", text: "x" } })).status();
  };
  const resume = async (title: string) => {
    const banner = page.getByRole("alert", { name: title });
    await banner.getByRole("button", { name: "Resume" }).click();
    await expect(banner).toHaveCount(0);
    expect(await send()).toBe(202);
  };

  await test.step("all sending", async () => {
    await page.goto("/dashboard/settings");
    await page.getByRole("button", { name: "Pause all sending" }).click();
    await pause(page, "It writes to everyone");
    expect(await send()).toBe(403);
    await page.goto("/dashboard");
    const banner = page.getByRole("alert", { name: "All sending is paused" });
    await expect(banner).toContainText("Olive Owner paused it");
    await expect(banner).toContainText("Reason: It writes to everyone");
    await page.screenshot({ path: "test-results/screenshots/paused.png" });
    await resume("All sending is paused");
  });

  await test.step("an inbox", async () => {
    await page.goto("/dashboard/inboxes");
    const actions = page.getByRole("button", { name: `Actions for ${address}` });
    const open = async () => {
      await actions.click();
      await page.getByRole("menuitem", { name: "Pause sending" }).click();
      await expect(page.getByRole("dialog")).toBeVisible();
    };
    // The first time, its file is loaded while the menu closes.
    for (let time = 0; time < 2; time += 1) {
      await open();
      await page.keyboard.press("Escape");
      await expect(actions).toBeFocused();
    }
    await open();
    await pause(page, "Loop");
    expect(await send()).toBe(403);
    const banner = page.getByRole("alert", { name: "The sending of an inbox is paused" });
    await expect(banner).toContainText(`Olive Owner paused ${address}`);
    await resume("The sending of an inbox is paused");
  });

  await test.step("a key", async () => {
    await page.goto(`/dashboard/keys?id=${id}`);
    await page.getByRole("button", { name: /^Pause akey_/ }).click();
    await pause(page, "Wild");
    expect(await send()).toBe(403);
    await resume("The sending of an agent's key is paused");
  });
});
