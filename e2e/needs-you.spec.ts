// What needs the member: messages that wait, on the overview and in the navigation; and a failing webhook, from its last
// answer to the retry.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { violationsIn } from "./axe.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

type Row = { id: string };

test("the overview and the navigation count what needs a member, and a failing webhook is retried", async ({
  page,
  context,
  baseURL: base,
}) => {
  const baseURL = base ?? "";
  await signInAsOwner(context, baseURL);
  const key = await call<Row & { key: string }>(context, baseURL, "keys.issue", { name: "Needs", max_mailboxes: 1 });
  const inbox = await call<{ address: string }>(context, baseURL, "inboxes.createWith", {
    enrollment_key_id: key.id,
    client_id: "needs",
  });

  await test.step("messages that wait are the first line, and the navigation counts them", async () => {
    await call(context, baseURL, "reviews.setPolicy", { review: "all" });
    const enrolled = await context.request.post(`${baseURL}/v1/enroll`, {
      data: { token: key.key, agent_handle: "needs" },
    });
    const { agent_key: agentKey } = (await enrolled.json()) as { agent_key: string };
    const sent = await context.request.post(`${baseURL}/v1/inboxes/${encodeURIComponent(inbox.address)}/send`, {
      headers: { Authorization: `Bearer ${agentKey}` },
      data: { to: "ann@else.example", subject: "An offer", text: "90 EUR" },
    });
    expect(sent.status()).toBe(202);
    await page.goto("/dashboard");
    const first = page.getByRole("region", { name: "Needs you" }).getByRole("listitem").first();
    await expect(first).toContainText(/1 message waits for approval.*The first is rejected in/);
    await expect(page.getByRole("link", { name: /Approvals 1 needs you/ })).toBeVisible();
    // This service sends no mail, and no chat gets notices.
    await expect(page.getByRole("note")).toContainText(/No mail leaves this service.*No one gets a notice/);
    await first.getByRole("link", { name: "Review" }).click();
    await expect(page).toHaveURL(/approvals/);
    await call(context, baseURL, "reviews.setPolicy", { review: "none" });
  });

  await test.step("mail that did not reach everyone is dismissed, and the toast stays behind on the page", async () => {
    const mail = { addr: inbox.address, to: "no-such-inbox-needs@mail.localhost", subject: "Returned", text: "x" };
    await call(context, baseURL, "messages.send", mail);
    await expect
      .poll(async () => (await ask<{ data: { kind: string }[] }>(context, baseURL, "overview.needs", {})).data)
      .toContainEqual(expect.objectContaining({ kind: "message" }));
    await page.goto("/dashboard");
    const needs = page.getByRole("region", { name: "Needs you" });
    const line = needs.getByRole("listitem").filter({ hasText: `from ${inbox.address} did not reach` });
    await expect(line.first()).toBeAttached();
    if (!(await line.last().isVisible())) await line.first().getByText("Show which").click();
    await needs.getByRole("button", { name: `Dismiss: A message from ${inbox.address}` }).focus();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").filter({ hasText: "Dismissed for all members" })).toBeVisible();
    await expect(line).toHaveCount(0);
    await expect(page.locator("#needs")).toBeFocused();
    await page.getByRole("link", { name: "Trash", exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Trash" })).toBeVisible();
    await expect(page.getByText("Dismissed for all members")).toHaveCount(0);
    await page.goto("/dashboard/settings/audit");
    await expect(page.getByRole("row", { name: /Dismissed mail that did not reach everyone/ })).toContainText("Done");
  });

  await test.step("the webhook quotes the last answer, finds what is retried, and retries it", async () => {
    let answer = 500;
    const server = createServer((_, response) => response.writeHead(answer).end("<b>out of order</b>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    const { id } = await call<Row>(context, baseURL, "webhooks.register", { url, events: ["message.received"] });
    const transport = createTransport({
      host: "127.0.0.1",
      port: Number(process.env.E2E_SMTP_PORT),
      tls: { rejectUnauthorized: false },
    });
    await transport.sendMail({ from: "shop@else.example", to: inbox.address, subject: "Order 1", text: "Thanks" });
    transport.close();
    await expect
      .poll(async () => (await ask<{ retrying: number }>(context, baseURL, "webhooks.diagnosis", { id })).retrying)
      .toBe(1);
    await page.goto(`/dashboard/webhooks?id=${id}`);
    const box = page.getByRole("alert").filter({ hasText: "Delivery failing" });
    await expect(box).toContainText(/Answered 500.*<b>out of order<\/b>.*no notice is sent/s);
    const statuses = page.getByRole("radiogroup", { name: "Status" });
    await statuses.getByText("Failed").click();
    await expect(page.getByText("No delivery has this status in this time.")).toBeVisible();
    await statuses.getByText("Retrying").click();
    const row = page.getByRole("row", { name: /Order 1/ });
    await expect(row).toContainText(/Retrying.*shop@else\.example → /s);
    expect(await violationsIn(page)).toEqual([]);
    await page.screenshot({ path: "test-results/needs/webhook.png" });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: "test-results/needs/webhook-narrow.png" });
    await page.setViewportSize({ width: 1440, height: 900 });
    answer = 204;
    // Until the attempt under way has ended, there is nothing to retry.
    await page.getByRole("button", { name: /Retry 1 now/ }).click();
    await statuses.getByText("Succeeded").click();
    await expect(row).toContainText("Succeeded");
    server.closeAllConnections();
    server.close();
  });
});
