// Pages that change without a reload: sent mail and its outcome, deliveries, keys; notices in the browser and in a
// chat; and a slow network that breaks off.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrowserContext, expect, type Page, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, mail, NARROW, newInbox, openMail } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

const LATENCY_MS = 400;
const WIDE = { width: 1440, height: 900 };

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

/** An agent that uses the mailboxes of the organization, over REST. */
async function newAgent(context: BrowserContext): Promise<{ Authorization: string }> {
  const { key } = await call<{ key: string }>(context, BASE_URL, "keys.issue", { name: "Live", max_mailboxes: 1 });
  const enrolled = await context.request.post(`${BASE_URL}/v1/enroll`, { data: { token: key, agent_handle: "live" } });
  const { agent_key } = (await enrolled.json()) as { agent_key: string };
  return { Authorization: `Bearer ${agent_key}` };
}

test("mail that an agent sends appears in the list, and its outcome changes there", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Hello");
  const headers = await newAgent(context);
  await call(context, BASE_URL, "reviews.setPolicy", { inbox: addr, review: "all" });
  await openMail(page, addr);
  const rows = page.getByRole("region", { name: "Threads" }).getByRole("listitem");
  await expect(rows).toHaveCount(1);
  const data = { to: "ann@else.example", subject: "Your offer", text: "Here it is." };
  const sent = await context.request.post(`${BASE_URL}/v1/inboxes/${encodeURIComponent(addr)}/send`, { headers, data });
  const { id } = (await sent.json()) as { id: string };
  const row = rows.filter({ hasText: "Your offer" });
  await expect(row).toContainText("Waiting for approval");
  const { sha256 } = await ask<{ sha256: string }>(context, BASE_URL, "reviews.get", { id });
  await call(context, BASE_URL, "reviews.approve", { id, sha256 });
  await expect(row).toContainText("Captured");
  const said = page.getByRole("status").filter({ hasText: "New mail" });
  await expect(said).toHaveCount(0);
  await mail(addr, "A second one");
  await expect(said).toHaveText("New mail from zed@far.example: A second one");
});

test("deliveries and agents appear on the pages of a webhook and of a key", async ({ page, context }) => {
  const addr = await newInbox(context);
  const register = { url: "http://127.0.0.1:9/hooks/live", address: addr, events: ["message.received"] };
  const webhook = await call<{ id: string }>(context, BASE_URL, "webhooks.register", register);
  await page.goto(`/dashboard/webhooks?id=${webhook.id}`);
  await expect(page.getByText("No deliveries yet")).toBeVisible();
  await mail(addr, "Hello");
  await expect(page.getByRole("row", { name: /message\.received/ }).getByRole("link", { name: "Hello" })).toBeVisible();
  const key = await call<{ id: string; key: string }>(context, BASE_URL, "keys.issue", {
    name: "Live key",
    max_mailboxes: 1,
  });
  await page.goto(`/dashboard/keys?id=${key.id}`);
  await expect(page.getByText("No agents yet")).toBeVisible();
  await context.request.post(`${BASE_URL}/v1/enroll`, { data: { token: key.key, agent_handle: "comes later" } });
  await expect(page.getByRole("region", { name: "comes later" })).toBeVisible();
});

type Posted = { text: string };

async function startChat() {
  const posted: Posted[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    posted.push(JSON.parse(body) as Posted);
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { posted, origin: `http://127.0.0.1:${port}`, close: () => server.close() };
}

async function look(page: Page, name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize(WIDE);
  await page.screenshot({ path: `test-results/screenshots/${name}-light-wide.png`, fullPage: true });
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.setViewportSize(NARROW);
  await page.screenshot({ path: `test-results/screenshots/${name}-dark-narrow.png`, fullPage: true });
  expect(await violationsIn(page)).toEqual([]);
  await page.setViewportSize(WIDE);
}

test("a member chooses which notices they get by mail, and adds a chat", async ({ page }) => {
  const chat = await startChat();
  await page.goto("/dashboard/settings/notices");
  const byMail = page.getByRole("group", { name: /^To owner@/ });
  await byMail.getByRole("checkbox", { name: "A domain was lost" }).check();
  await page.getByLabel("URL of the incoming webhook").fill(`${chat.origin}/services/secret`);
  await page.getByRole("button", { name: "Add a chat" }).click();
  await page.getByRole("button", { name: "Send a test notice" }).click();
  await expect(page.getByText("The test notice is in the chat")).toBeVisible();
  expect(chat.posted.map(({ text }) => text).join()).toContain("This is a test.");
  await page.reload();
  await expect(byMail.getByRole("checkbox", { name: "A domain was lost" })).toBeChecked();
  await expect(byMail.getByRole("checkbox", { name: "A webhook was disabled after failures" })).not.toBeChecked();
  await expect(
    page
      .getByRole("group", { name: `To ${chat.origin}` })
      .getByRole("checkbox")
      .first(),
  ).toBeChecked();
  expect(await page.content()).not.toContain("services/secret");
  await look(page, "notices");
  await byMail.getByRole("checkbox", { name: "A domain was lost" }).uncheck();
  await page.getByRole("button", { name: `Remove ${chat.origin}` }).click();
  await expect(page.getByRole("button", { name: "Send a test notice" })).toHaveCount(0);
  chat.close();
});

/** The browser of the tests shows no notifications: what a page asks it to show is kept instead. */
async function keepNotifications(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shown: string[] = [];
    let permission = "default";
    class Kept {
      static get permission() {
        return permission;
      }
      static async requestPermission() {
        permission = "granted";
        sessionStorage.setItem("asked", "1");
        return permission;
      }
      constructor(title: string, { body }: { body: string }) {
        shown.push(`${title}: ${body}`);
      }
      close() {}
    }
    if (sessionStorage.getItem("asked")) permission = "granted";
    Object.assign(window, { Notification: Kept, shownNotifications: shown });
    document.hasFocus = () => false;
  });
}

test("the browser shows new mail of the open inbox after a click, and that of no other", async ({ page, context }) => {
  await keepNotifications(page);
  const [addr, other] = [await newInbox(context), await newInbox(context)];
  const shown = () => page.evaluate(() => (window as unknown as { shownNotifications: string[] }).shownNotifications);
  await page.goto("/dashboard/settings/notices");
  expect(await page.evaluate(() => sessionStorage.getItem("asked"))).toBeNull();
  await page.getByRole("button", { name: "Turn on browser notifications" }).click();
  await expect(page.getByRole("button", { name: "Turn off browser notifications" })).toBeVisible();
  await openMail(page, addr);
  // A separate script shows them, which may be loaded after the first mail.
  await expect(async () => {
    await mail(addr, "First");
    expect(await shown()).toContain("zed@far.example: First");
  }).toPass();
  await mail(other, "Not here");
  await mail(addr, "Seen elsewhere");
  await expect.poll(shown).toContain("zed@far.example: Seen elsewhere");
  expect((await shown()).filter((text) => text.includes("Not here"))).toEqual([]);
  await page.goto("/dashboard/settings/notices");
  await page.getByRole("button", { name: "Turn off browser notifications" }).click();
  await expect(page.getByRole("button", { name: "Turn on browser notifications" })).toBeVisible();
});

test("a slow network that breaks off: mail is read and answered, and what was chosen opens afterwards", async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  await mail(addr, "A question");
  const network = await context.newCDPSession(page);
  await network.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await openMail(page, addr);
  await page.getByRole("link", { name: /A question/ }).click();
  await expect(page.getByRole("heading", { level: 2, name: "A question" })).toBeVisible();
  await page.keyboard.press("r");
  const reply = page.getByRole("form", { name: "Reply" });
  await reply.getByRole("textbox", { name: "Message" }).fill("An answer");
  await reply.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByRole("article")).toHaveCount(2);
  await context.setOffline(true);
  await expect(page.getByText("Connection lost.")).toBeVisible();
  await mail(addr, "Sent while offline");
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: "Keys" }).click();
  await expect(page.getByText("“Keys” opens then.")).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole("heading", { level: 1, name: "Keys" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("link", { name: /Sent while offline/ })).toBeVisible();
});
