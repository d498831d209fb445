// A new owner's first hour on a fresh service: from the first link to a working webhook, an invited colleague, and
// signing out.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, expect, type Page, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { verifyWebhook } from "#client/index.ts";
import { type RunningService, startService } from "./service.ts";

const JOURNEY_MS = 180_000;
const PASSWORD = "correct horse battery";
const COLLEAGUE = { email: "miles@people.example", name: "Miles Member" };

let service: RunningService;
test.beforeAll(async () => {
  service = await startService();
});
test.afterAll(() => service.stop());

type Delivery = { headers: Record<string, string>; body: string };

/** An endpoint of the customer: keeps what is posted to it. */
async function startReceiver() {
  const deliveries: Delivery[] = [];
  const server = createServer(async (req, res) => {
    let body = "";
    for await (const chunk of req) body += chunk;
    deliveries.push({ headers: req.headers as Record<string, string>, body });
    res.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { deliveries, url: `http://127.0.0.1:${port}/hooks/mail`, close: () => server.close() };
}

async function mail(to: string, subject: string): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "Shop <shop@else.example>", to, subject, text: "Your code is 482913." });
  transport.close();
}

/** A person with a separate browser, and the errors of that browser. */
async function newPerson(browser: Browser) {
  const context = await browser.newContext({ baseURL: service.baseUrl });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { page, complaints };
}

async function go(page: Page, place: string): Promise<void> {
  await page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name: place }).click();
  await expect(page.getByRole("heading", { level: 1, name: place })).toBeVisible();
}

type Joining = { name: string; email?: string; organization?: string };

async function join(page: Page, link: string, person: Joining): Promise<void> {
  await page.goto(`/join#${link.split("#")[1]}`);
  if (person.email) await page.getByLabel("E-mail").fill(person.email);
  await page.getByLabel("Your name").fill(person.name);
  await page.locator("input[type=password]").fill(PASSWORD);
  if (person.organization) {
    await expect(page.getByRole("heading", { level: 1, name: "Create the owner account" })).toBeVisible();
    await page.getByLabel("Organization's name").fill(person.organization);
  }
  await page.getByRole("button", { name: /^Join/ }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
}

test("from the first start to a working webhook, a colleague, and out", async ({ browser }) => {
  test.setTimeout(JOURNEY_MS);
  const receiver = await startReceiver();
  const { page, complaints } = await newPerson(browser);
  let address = "";
  let secret = "";

  await test.step("becomes the owner by the link that the first start printed", async () => {
    await join(page, service.ownerLink, {
      name: "Olive Owner",
      email: "olive@people.example",
      organization: "Acme Robotics",
    });
    await expect(page.getByText("Acme Robotics").first()).toBeVisible();
    await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
  });

  await test.step("takes the first steps in the browser; each is ticked when it happened", async () => {
    const steps = page.getByRole("region", { name: "First steps" });
    // The first start made a key.
    await expect(steps.getByRole("status")).toHaveText("1 of 6 done");
    await steps.getByText("The same from a shell").click();
    await expect(steps).toContainText(`curl -s ${service.baseUrl}/v1/enroll`);
    await page.screenshot({ path: "test-results/screenshots/first-steps.png", fullPage: true });
    await steps.getByRole("button", { name: "Create an inbox", exact: true }).click();
    await expect(steps.getByRole("heading", { name: "Create an inbox (done)" })).toBeVisible();
    await steps.getByRole("button", { name: "Send a test mail", exact: true }).click();
    await expect(steps.getByRole("heading", { name: "Receive a test mail (done)" })).toBeVisible();
    await expect(steps.getByRole("status")).toHaveText("3 of 6 done");
    await expect(steps.getByRole("link", { name: "Go to webhooks" })).toBeVisible();
  });

  await test.step("sees what a webhook receives, without an endpoint", async () => {
    await page.getByRole("button", { name: "Test receiver" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Test receiver" })).toBeVisible();
    await expect(page.getByText("Waiting for the first delivery")).toBeVisible();
    await page.getByRole("button", { name: "Send a test mail" }).click();
    // The sent mail makes three: it was sent, delivered, and received.
    const all = page.getByRole("list", { name: "Deliveries that arrived" }).getByRole("listitem");
    await expect(all.getByText("Signature verified")).toHaveCount(3);
    const arrived = all.filter({ hasText: "message.received" });
    const body = arrived.getByRole("region", { name: "Body" });
    if (!(await body.isVisible())) await arrived.getByText("message.received").first().click();
    await expect(body).toContainText('"subject": "Test of webhooks"');
    await expect(arrived.getByRole("region", { name: /Headers/ })).toContainText("X-Service-Signature");
    await page.screenshot({ path: "test-results/screenshots/receiver-light-wide.png", fullPage: true });
  });

  await test.step("issues a key, whose secret enrols an agent", async () => {
    await go(page, "Keys");
    await page.getByRole("button", { name: "Issue key" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Issue a key" });
    await dialog.getByLabel("Name").fill("Support agents");
    await dialog.getByRole("button", { name: "Issue key" }).click();
    const shown = page.getByRole("dialog", { name: "The key is issued" });
    const key = (await shown.locator("code").first().textContent()) ?? "";
    const enrolled = await fetch(`${service.baseUrl}/v1/enroll`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ token: key, agent_handle: "bot" }),
    });
    expect(enrolled.status).toBe(201);
    await shown.getByRole("button", { name: "I have stored it" }).click();
    await expect(page.getByRole("link", { name: "Support agents" })).toBeVisible();
    expect(await page.content()).not.toContain(key);
  });

  await test.step("creates an inbox; a double click makes one", async () => {
    await go(page, "Inboxes");
    await page.getByRole("button", { name: "Create inbox" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Create an inbox" });
    await dialog.getByLabel("Name before the @").fill("scout");
    await dialog.getByRole("button", { name: "Create inbox" }).dblclick();
    await expect(page).toHaveURL(/\/dashboard\/mail\?inbox=/);
    address = new URL(page.url()).searchParams.get("inbox") ?? "";
    expect(address).toMatch(/^scout@/);
    await go(page, "Inboxes");
    await expect(page.getByRole("link", { name: address })).toHaveCount(1);
  });

  await test.step("registers a webhook and copies its secret", async () => {
    await go(page, "Webhooks");
    await page.getByRole("button", { name: "Register webhook" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Register a webhook" });
    await dialog.getByLabel("URL").fill(receiver.url);
    await expect(dialog.getByRole("checkbox", { name: "message.received" })).toBeChecked();
    await dialog.getByRole("checkbox", { name: "message.bounced" }).check();
    await dialog.getByRole("button", { name: "Register webhook" }).click();
    const shown = page.getByRole("dialog", { name: "The webhook is registered" });
    secret = (await shown.locator("code").first().textContent()) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await shown.getByRole("button", { name: "I have stored it" }).click();
  });

  await test.step("sees a real mail appear without a reload", async () => {
    await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(address)}`);
    await expect(page.getByText("Live", { exact: false }).first()).toBeVisible();
    await mail(address, "Your sign-in code");
    await expect(page.getByRole("link", { name: /Your sign-in code/ })).toBeVisible();
    await page.getByRole("link", { name: /Your sign-in code/ }).click();
    await expect(page.getByText("Your code is 482913.").first()).toBeVisible();
  });

  await test.step("inspects its delivery, and sends it again", async () => {
    await expect.poll(() => receiver.deliveries.length).toBe(1);
    await go(page, "Webhooks");
    await page.getByRole("link", { name: receiver.url }).click();
    await expect(page.getByRole("region", { name: "Facts" })).toContainText("message.bounced");
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Change events" }).click();
    const events = page.getByRole("dialog", { name: "Change the events" });
    await events.getByRole("checkbox", { name: "message.bounced" }).uncheck();
    await events.getByRole("checkbox", { name: "domain.lost" }).check();
    await events.getByRole("button", { name: "Change events" }).click();
    await expect(page.getByRole("region", { name: "Facts" })).toContainText("domain.lost");
    await expect(page.getByRole("region", { name: "Facts" })).not.toContainText("message.bounced");
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await expect(page.getByRole("cell", { name: "message.received" })).toBeVisible();
    await page
      .getByRole("row", { name: /message\.received/ })
      .getByRole("link")
      .click();
    await expect(page.getByRole("heading", { name: "Delivery", exact: true })).toBeVisible();
    await expect(page.getByText("204").first()).toBeVisible();
    await page.getByRole("button", { name: "Send again" }).click();
    await expect.poll(() => receiver.deliveries.length).toBe(2);
    await expect(page.getByText("Attempt 2", { exact: false }).first()).toBeVisible();
    const ids = new Set(
      receiver.deliveries.map(({ headers, body }) => verifyWebhook(body, headers, secret).message.id),
    );
    expect(ids.size).toBe(1);
  });

  await test.step("adds an address for notices that was typed and not entered", async () => {
    await page.goto("/dashboard/settings");
    await expect(page.getByText("This service sends no mail (OUTBOUND=local)")).toBeVisible();
    const states = page.getByRole("list", { name: "Addresses and their states" });
    await page.getByRole("combobox", { name: "Addresses for notices" }).fill("ops@people.example");
    await page.getByRole("button", { name: "Save" }).first().click();
    await expect(states).toContainText("ops@people.example");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto("/dashboard/settings/audit");
    await expect(page.getByRole("link", { name: "Audit log" })).toBeInViewport({ ratio: 1 });
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  await test.step("invites a colleague, who may not issue keys", async () => {
    await page.goto("/dashboard/settings/team");
    await page.getByRole("button", { name: "Invite" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Invite to the team" });
    await dialog.getByLabel("E-mail").fill(COLLEAGUE.email);
    await dialog.getByRole("button", { name: "Invite" }).click();
    await expect(dialog).toContainText("It expires in 7 days");
    const earlier = (await dialog.getByText(/\/join#/).textContent()) ?? "";
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: `Send again the invitation of ${COLLEAGUE.email}` }).click();
    const question = page.getByRole("dialog", { name: "Send the invitation again?" });
    await expect(question).toContainText("handed over before stops working");
    await page.screenshot({ path: "test-results/screenshots/send-invitation-again.png" });
    await question.getByRole("button", { name: "Send again" }).click();
    const again = page.getByRole("dialog", { name: "Invitation" });
    const link = (await again.getByText(/\/join#/).textContent()) ?? "";
    expect(link).not.toBe(earlier);
    await again.getByRole("button", { name: "Done" }).click();
    const colleague = await newPerson(browser);
    await join(colleague.page, link.trim(), { name: COLLEAGUE.name });
    await go(colleague.page, "Keys");
    await expect(colleague.page.getByText("Support agents")).toBeVisible();
    await expect(colleague.page.getByRole("button", { name: "Issue key" }).first()).toHaveAttribute(
      "aria-disabled",
      "true",
    );
    expect(colleague.complaints).toEqual([]);
    await colleague.page.context().close();
  });

  await test.step("signs out, and is asked to sign in again", async () => {
    await page.getByRole("button", { name: /^Your menu/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await expect(page).toHaveURL(/\/sign-in/);
    await page.goto("/dashboard/keys");
    await expect(page).toHaveURL(/\/sign-in\?next=/);
  });
  receiver.close();
  // The browser itself logs the 401 of a page without a session.
  expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
});
