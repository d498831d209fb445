// The log of API calls: a request id of an error finds its call; filters by key and result.
import { expect, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, NARROW } from "./mailbox.ts";
import { call, signInAsOwner } from "./owner.ts";

const SCREENSHOTS = "test-results/screenshots";

test("a request id finds its call", async ({ page, context }) => {
  await signInAsOwner(context, BASE_URL);
  const issued = await call<{ key: string }>(context, BASE_URL, "keys.issue", { name: "Calls", max_mailboxes: 1 });
  const enrolled = await context.request.post(`${BASE_URL}/v1/enroll`, {
    data: { token: issued.key, agent_handle: "caller" },
  });
  const headers = { Authorization: `Bearer ${((await enrolled.json()) as { agent_key: string }).agent_key}` };
  await context.request.get(`${BASE_URL}/v1/auth/me`, { headers });
  const failed = await context.request.get(`${BASE_URL}/v1/inboxes/nobody@mail.localhost`, { headers });
  const { error } = (await failed.json()) as { error: { request_id: string } };

  await page.goto("/dashboard");
  await page.getByRole("link", { name: "API calls" }).click();
  const rows = page.getByRole("table", { name: "API calls" }).locator("tbody tr");
  await page.getByLabel("Find by request or key id").fill(error.request_id);
  await expect(page).toHaveURL(new RegExp(error.request_id));
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("GET /v1/inboxes/nobody@mail.localhost");
  await expect(rows).toContainText("404 inbox_not_found");
  await expect(rows).toContainText("caller");
  await rows.getByRole("button", { name: /^akey_/ }).click();
  await expect(rows).toHaveCount(2);
  await page.getByLabel("Result").selectOption("Succeeded");
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText("GET /v1/auth/me");
  expect(await violationsIn(page)).toEqual([]);
  await page.setViewportSize(NARROW);
  await page.screenshot({ path: `${SCREENSHOTS}/calls-of-a-key-narrow.png` });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(NARROW.width);
  await page.getByLabel("Find by request or key id").fill("req_none");
  await expect(page.getByText("No matching calls")).toBeVisible();
});
