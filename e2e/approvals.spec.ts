// Approvals and lists in the dashboard: an agent's message waits, is changed and approved; another is rejected; a recipient is
// blocked.
import { expect, type Page, test } from "@playwright/test";
import { NARROW } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

const DAY_MS = 86_400_000;

type Sent = { id: string; status: string; error?: { code: string } };

test("a member chooses what waits, changes and approves a message, and rejects another", async ({
  page,
  context,
  baseURL: base,
}) => {
  const baseURL = base ?? "";
  await signInAsOwner(context, baseURL);
  const agent = await newAgent(page, baseURL);
  await page.goto("/dashboard/settings");
  await page.getByRole("radio", { name: /^All/ }).check();
  await expect(page.getByText("Saved")).toBeVisible();
  await page.getByRole("textbox", { name: /^Hours until/ }).fill("71");
  const saved = page.waitForResponse((response) => response.url().includes("reviews.setPolicy"));
  await page.getByRole("link", { name: "Overview" }).click();
  await saved;
  await page.goto("/dashboard/settings");
  await expect(page.getByRole("radio", { name: /^All/ })).toBeChecked();
  await expect(page.getByRole("textbox", { name: /^Hours until/ })).toHaveValue("71");
  await page.screenshot({ path: "test-results/screenshots/approval-settings.png", fullPage: true });

  await test.step("a held message is read, changed and approved", async () => {
    expect((await agent.send({ subject: "First offer", text: "It costs 90 EUR." })).status).toBe("held");
    await page.goto("/dashboard/approvals");
    await page.getByRole("link", { name: "First offer" }).click();
    await expect(page.getByText("It costs 90 EUR.")).toBeVisible();
    await page.getByRole("button", { name: "Change" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill("It costs 95 EUR.");
    await page.getByRole("button", { name: "Save" }).click();
    const changes = page.getByRole("region", { name: "Changes" });
    await expect(changes.locator("del")).toHaveText("90");
    await expect(changes.locator("ins")).toHaveText("95");
    await page.getByRole("button", { name: "Approve and send" }).click();
    await expect(page.getByText("Approved", { exact: true })).toBeVisible();
    await expect(
      page.getByText("Approved message captured. It is stored here and not sent to other services."),
    ).toBeVisible();
    await expect(page.getByRole("button", { name: "Approve and send" })).toHaveCount(0);
  });

  await test.step("another one is rejected with a reason, which the agent reads", async () => {
    const { id } = await agent.send({ subject: "Second offer", text: "Buy now." });
    await page.goto("/dashboard/approvals");
    await page.getByRole("link", { name: "Second offer" }).click();
    await page.getByLabel("Reason").fill("Too pushy");
    await page.getByRole("button", { name: "Reject" }).click();
    await expect(page.getByText(/: Too pushy$/)).toBeVisible();
    expect((await agent.read(id)).error).toContain("Too pushy");
    await page.goto("/dashboard/approvals");
    await page.getByRole("radiogroup", { name: "Messages" }).getByText("Decided").click();
    await expect(page.getByRole("row", { name: /Second offer/ })).toContainText("Rejected");
    await expect(page.getByRole("row", { name: /First offer/ })).toContainText("Approved");
  });

  await test.step("an approval while sending is paused says so, and the message still waits", async () => {
    const { id } = await agent.send({ subject: "Paused offer", text: "Later." });
    await call(context, baseURL, "inboxes.pauseSending", { addr: agent.address });
    await page.goto("/dashboard/approvals");
    await page.getByRole("link", { name: "Paused offer" }).click();
    await page.getByRole("button", { name: "Approve and send" }).click();
    const notice = page.getByRole("form", { name: "Decision" }).getByRole("alert");
    await expect(notice).toContainText("It was not sent and still waits. Resume sending");
    await expect(notice).not.toContainText(/`|POST|\d{4}-\d\d-\d\dT/);
    expect((await agent.read(id)).status).toBe("held");
    await call(context, baseURL, "inboxes.resumeSending", { addr: agent.address });
    await page.getByRole("button", { name: "Approve and send" }).click();
    await expect(page.getByRole("button", { name: "Approve and send" })).toHaveCount(0);
  });

  await test.step("messages are decided one after the other by keys, with who asks and what was said before", async () => {
    const html = "<h1>Third offer</h1><p>Only today.</p>";
    const third = await agent.send({ subject: "Third offer", text: "Only today.", html });
    const fourth = await agent.send({ subject: "Fourth offer", text: "And tomorrow." });
    await page.goto("/dashboard/outbox");
    const waiting = page.getByRole("table", { name: "Messages that wait for approval" });
    await expect(waiting.getByRole("row", { name: /Third offer/ })).toContainText("ann@else.example");
    await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(agent.address)}`);
    await expect(page.getByRole("link", { name: /Third offer/ })).toContainText("Waiting for approval");
    await page.getByRole("link", { name: /Third offer/ }).click();
    await expect(page.getByRole("button", { name: "Reply", exact: true })).toHaveCount(0);
    await page.getByRole("link", { name: "Decide" }).click();
    const asked = page.getByRole("region", { name: "Who asks" });
    await expect(asked).toContainText("seller");
    await expect(asked).toContainText("The organization asks for approval of every message of an agent.");
    await expect(page.frameLocator("iframe").getByRole("heading", { name: "Third offer" })).toBeVisible();
    await expect(page.getByText(fourth.id)).toHaveCount(0);
    await page.screenshot({ path: "test-results/screenshots/approval.png", fullPage: true });
    await approveByKey(page);
    await expect(page.getByRole("heading", { name: "Fourth offer" })).toBeVisible();
    expect((await agent.read(third.id)).status).not.toBe("held");
    await expect(page.locator(BY_KEY)).toBeEnabled();
    await page.keyboard.press("r");
    await page.keyboard.type("Not tomorrow");
    await page.keyboard.press("Enter");
    await expect(page.getByText(/: Not tomorrow$/)).toBeVisible();
    expect((await agent.read(fourth.id)).error).toContain("Not tomorrow");
  });

  await test.step("one inbox goes back to none", async () => {
    await page.goto("/dashboard/inboxes");
    await page.getByRole("button", { name: `Actions for ${agent.address}` }).click();
    await page.getByRole("menuitem", { name: "Approval of messages" }).click();
    await page.getByRole("radio", { name: "None", exact: true }).check();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved")).toBeVisible();
    expect((await agent.send({ text: "x" })).status).toBe("queued");
  });
  await call(context, baseURL, "reviews.setPolicy", { review: "none" });
});

test("a held key, and a second press, decide no message that was not read", async ({
  page,
  context,
  baseURL: base,
}) => {
  const baseURL = base ?? "";
  await signInAsOwner(context, baseURL);
  const agent = await newAgent(page, baseURL);
  await call(context, baseURL, "reviews.setPolicy", { review: "all" });
  const sent: Sent[] = [];
  for (const subject of ["Held one", "Held two", "Held three"]) sent.push(await agent.send({ subject, text: "x" }));
  const statuses = () => Promise.all(sent.map(async ({ id }) => (await agent.read(id)).status));
  const [first] = sent;
  await page.goto(`/dashboard/approvals?id=${first?.id}`);
  await test.step("as long as the key is down, one message is approved", async () => {
    await expect(page.locator(BY_KEY)).toBeEnabled();
    for (let press = 0; press < 6; press += 1) await page.keyboard.down("a");
    await expect(page.getByRole("heading", { name: "Held two" })).toBeVisible();
    await expect(page.locator("#main")).toBeFocused();
    await expect(page.locator(BY_KEY)).toBeEnabled();
    for (let press = 0; press < 6; press += 1) await page.keyboard.down("a");
    await page.keyboard.up("a");
    expect((await statuses()).filter((status) => status === "held")).toHaveLength(2);
  });
  await test.step("a press, a click and a held Enter before the next message could be read do nothing", async () => {
    const approve = page.getByRole("button", { name: "Approve and send" });
    await approve.focus();
    for (let press = 0; press < 6; press += 1) await page.keyboard.down("Enter");
    await expect(page.getByRole("heading", { name: "Held three" })).toBeVisible();
    await expect(approve).toBeDisabled();
    await page.keyboard.press("a");
    await approve.dispatchEvent("click");
    await approve.focus();
    await expect(page.locator(BY_KEY)).toBeEnabled();
    for (let press = 0; press < 6; press += 1) await page.keyboard.down("Enter");
    await page.keyboard.up("Enter");
    await expect(page.getByRole("heading", { name: "Held three" })).toBeVisible();
    expect((await statuses()).filter((status) => status === "held")).toHaveLength(1);
  });
  await approveByKey(page);
  await expect.poll(async () => (await statuses()).includes("held")).toBe(false);
  await call(context, baseURL, "reviews.setPolicy", { review: "none" });
});

test("what a member types into a held message is kept when they leave it, and when a colleague decides", async ({
  page,
  context,
  baseURL: base,
}) => {
  const baseURL = base ?? "";
  await signInAsOwner(context, baseURL);
  const agent = await newAgent(page, baseURL);
  await call(context, baseURL, "reviews.setPolicy", { review: "all" });
  const { id } = await agent.send({ subject: "Half changed", text: "It costs 10 EUR." });
  await page.goto(`/dashboard/approvals?id=${id}`);
  await page.getByRole("button", { name: "Change" }).click();
  const form = page.getByRole("form", { name: "Change the message" });
  await form.getByRole("combobox", { name: "Cc", exact: true }).fill("Max Mill <max@mill.example>,late@shop.example,");
  await expect(form.getByText("Max Mill <max@mill.example>", { exact: true })).toBeVisible();
  await expect(form.getByText("late@shop.example", { exact: true })).toBeVisible();
  await form.getByRole("textbox", { name: "Text" }).fill("It costs 12 EUR.");
  await page.getByRole("link", { name: "Outbox" }).first().click();
  await expect(page.getByRole("heading", { name: "Outbox" })).toBeVisible();
  await page.goto(`/dashboard/approvals?id=${id}`);
  await expect(form.getByRole("textbox", { name: "Text" })).toHaveValue("It costs 12 EUR.");

  type Seen = { sha256: string };
  const before = await ask<Seen>(context, baseURL, "reviews.get", { id });
  const theirs = {
    to: ["ann@else.example"],
    cc: [],
    bcc: [],
    subject: "Changed by a colleague",
    text: "x",
    html: null,
  };
  await call(context, baseURL, "reviews.edit", { id, sha256: before.sha256, ...theirs });
  await expect(form.getByText("owner@e2e.example changed this message after you began")).toBeVisible();
  await expect(form.getByRole("textbox", { name: "Text" })).toHaveValue("It costs 12 EUR.");
  await shoot(page, "change-theirs");

  const { sha256 } = await ask<Seen>(context, baseURL, "reviews.get", { id });
  await call(context, baseURL, "reviews.reject", { id, sha256, reason: "No offers today" });
  await expect(form.getByText("This message was rejected before you saved your changes")).toBeVisible();
  await expect(form.getByRole("textbox", { name: "Text" })).toHaveValue("It costs 12 EUR.");
  await expect(form.getByRole("button", { name: "Save" })).toHaveCount(0);
  await shoot(page, "change-decided");
  await form.getByRole("button", { name: "Close" }).click();
  await expect(form).toHaveCount(0);
  await page.reload();
  await expect(page.getByText("Rejected", { exact: true })).toBeVisible();
  await expect(form).toHaveCount(0);

  await page.goto("/dashboard/approvals");
  await page.getByRole("radiogroup", { name: "Messages" }).getByText("Decided").click();
  const row = page.getByRole("row", { name: /Changed by a colleague/ });
  await expect(row).toContainText("No offers today");
  await expect(row.getByRole("cell", { name: "owner@e2e.example" })).toBeVisible();
  await expect(row.getByRole("time").or(row.locator("time"))).toBeVisible();
  await shoot(page, "decided");
  await call(context, baseURL, "reviews.setPolicy", { review: "none" });
});

/** The button while the key works: one second after the message is shown. */
const BY_KEY = "button[aria-keyshortcuts=a]";

async function approveByKey(page: Page) {
  await expect(page.locator(BY_KEY)).toBeEnabled();
  await page.keyboard.press("a");
}

async function shoot(page: Page, name: string) {
  for (const size of [NARROW, { width: 1440, height: 900 }]) {
    await page.setViewportSize(size);
    await page.screenshot({ path: `test-results/screenshots/${name}-${size.width}.png`, fullPage: true });
  }
}

test("a message says that it waits because its key was revoked, and is approved or rejected as it is", async ({
  page,
  context,
  baseURL: base,
}) => {
  const baseURL = base ?? "";
  await signInAsOwner(context, baseURL);
  const agent = await newAgent(page, baseURL);
  const send_at = new Date(Date.now() + DAY_MS).toISOString();
  expect((await agent.send({ subject: "Tomorrow's offer", text: "x", send_at })).status).toBe("scheduled");
  await call(context, baseURL, "keys.revoke", { id: agent.enrollmentKeyId });
  await page.goto("/dashboard/approvals");
  await expect(page.getByRole("row", { name: /Tomorrow's offer/ })).toContainText("Its key was revoked");
  await page.getByRole("link", { name: "Tomorrow's offer" }).click();
  await expect(page.getByText("The key that wrote it was revoked.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Approve and send" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Change" })).toHaveCount(0);
  await page.getByRole("button", { name: "Reject" }).click();
  await expect(page.getByText("Rejected", { exact: true }).first()).toBeVisible();
});

test("a recipient is blocked and allowed again", async ({ page, context, baseURL: base }) => {
  const baseURL = base ?? "";
  await signInAsOwner(context, baseURL);
  const agent = await newAgent(page, baseURL);
  await page.goto("/dashboard/lists");
  await page.getByRole("button", { name: "Add an entry" }).click();
  await page.getByLabel("Address or domain").fill("blocked.example");
  await page.getByLabel("Reason").fill("Left us");
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
  await expect(page.getByRole("row", { name: /blocked\.example/ })).toContainText("Left us");
  const blocked = await agent.send({ to: "ann@blocked.example", text: "x" });
  expect(blocked.error?.code).toBe("recipient_blocked");
  await page.getByRole("button", { name: "Remove blocked.example" }).click();
  await expect(page.getByRole("row", { name: /blocked\.example/ })).toHaveCount(0);
  expect((await agent.send({ to: "ann@blocked.example", text: "x" })).status).toBe("queued");
});

/** An agent with one inbox, over REST. */
async function newAgent(page: Page, baseURL: string) {
  const { request } = page.context();
  const issued = await call<{ key: string; id: string }>(page.context(), baseURL, "keys.issue", {
    name: "Sellers",
    max_mailboxes: 100,
  });
  const enrolled = await request.post(`${baseURL}/v1/enroll`, { data: { token: issued.key, agent_handle: "seller" } });
  const { agent_key: key } = (await enrolled.json()) as { agent_key: string };
  const headers = { Authorization: `Bearer ${key}` };
  const { address } = (await (await request.post(`${baseURL}/v1/inboxes`, { headers, data: {} })).json()) as {
    address: string;
  };
  const path = `${baseURL}/v1/inboxes/${encodeURIComponent(address)}/send`;
  return {
    address,
    enrollmentKeyId: issued.id,
    send: async (data: object) =>
      (await (await request.post(path, { headers, data: { to: "ann@else.example", ...data } })).json()) as Sent,
    read: async (id: string) =>
      (await (await request.get(`${baseURL}/v1/messages/${id}`, { headers })).json()) as {
        error: string | null;
        status: string;
      },
  };
}
