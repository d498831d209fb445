// Jobs that members do every day, each from the overview or the palette in at most three clicks. A person finds each
// button by what it says: only visible text, labels and roles are used.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Browser, type BrowserContext, expect, type Locator, type Page, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { type DnsServer, startDnsServer } from "#test/support/dns-server.ts";
import { ask, becomeOwner, call } from "./owner.ts";
import { type RunningService, startService } from "./service.ts";

const CLICKS_MAX = 3;
const START_MS = 600_000;

type Session = Awaited<ReturnType<BrowserContext["storageState"]>>;

let dns: DnsServer;
let service: RunningService;
let session: Session;
const counted = new Map<string, number>();

test.beforeAll(async ({ browser }) => {
  test.setTimeout(START_MS);
  dns = await startDnsServer({});
  service = await startService({ DNS_SERVERS: dns.address });
  const context = await browser.newContext();
  await becomeOwner(context, service.baseUrl, service.ownerLink);
  session = await context.storageState();
  await context.close();
});

test.afterAll(async () => {
  console.table([...counted].map(([job, clicks]) => ({ job, clicks })));
  await service?.stop();
  await dns?.close();
});

job("find a mail", async (member) => {
  const { inbox } = await newAgent(member, "finder");
  await mail(inbox, "Zirconium invoice");
  await untilFound(member, "zirconium");
  await fromPalette(member, "zirconium", /^Zirconium invoice.*Message$/);
  await expect(member.page.getByRole("heading", { level: 2, name: "Zirconium invoice" })).toBeVisible();
});

job("fix a failing webhook, and send the failed deliveries again", async (member) => {
  const { inbox } = await newAgent(member, "buyer");
  const endpoint = await startEndpoint(500);
  const { id } = await member.call<{ id: string }>("webhooks.register", {
    url: endpoint.url,
    events: ["message.received"],
  });
  for (const subject of ["Order 1", "Order 2"]) await mail(inbox, subject);
  await expect
    .poll(async () => (await member.ask<{ retrying: number }>("webhooks.diagnosis", { id })).retrying)
    .toBe(2);
  await fromOverview(member, "Webhooks");
  await member.click(member.page.getByRole("link", { name: endpoint.url }));
  await expect(member.page.getByRole("alert").filter({ hasText: "Delivery failing" })).toContainText("Answered 500");
  endpoint.answer = 204;
  await member.click(member.page.getByRole("button", { name: "Retry 2 now" }));
  for (const order of ["Order 1", "Order 2"]) {
    await expect(member.page.getByRole("row", { name: new RegExp(order) })).toContainText("Succeeded");
  }
  endpoint.close();
});

job("send one failed delivery again", async (member) => {
  const { inbox } = await newAgent(member, "shopper");
  const endpoint = await startEndpoint(503);
  const { id } = await member.call<{ id: string }>("webhooks.register", {
    url: endpoint.url,
    events: ["message.received"],
  });
  for (const subject of ["Parcel 1", "Parcel 2"]) await mail(inbox, subject);
  await expect
    .poll(async () => (await member.ask<{ retrying: number }>("webhooks.diagnosis", { id })).retrying)
    .toBe(2);
  await fromOverview(member, "Webhooks");
  await member.click(member.page.getByRole("link", { name: endpoint.url }));
  endpoint.answer = 204;
  const row = member.page.getByRole("row", { name: /Parcel 2/ });
  await member.click(row.getByRole("button", { name: "Send again: Parcel 2" }));
  await expect(member.page.getByText("The delivery is attempted now")).toBeVisible();
  await expect(row).toContainText("Succeeded");
  await expect(row.getByRole("button", { name: /^Send again/ })).toHaveCount(0);
  await expect(member.page.getByRole("row", { name: /Parcel 1/ })).toContainText("Retrying");
  endpoint.close();
});

job("see one API call of a key", async (member) => {
  const agent = await newAgent(member, "asker", { name: "Asking agents", max_mailboxes: 1 });
  await newAgent(member, "other-asker");
  await agent.read("/v1/inboxes/missing@mail.localhost");
  const logged = async () => {
    const { data } = await member.ask<{ data: { path: string }[] }>("calls.list", { limit: 20 });
    return data.some(({ path }) => path.includes("missing@"));
  };
  await expect.poll(logged).toBe(true);
  await fromOverview(member, "Keys");
  await member.click(member.page.getByRole("link", { name: "Asking agents" }));
  await member.click(member.page.getByRole("link", { name: /^API calls of akey_/ }));
  const calls = member.page.getByRole("table", { name: "API calls" });
  await expect(calls.getByRole("row", { name: /missing@mail\.localhost/ })).toContainText("404 inbox_not_found");
  await expect(calls.getByRole("row", { name: /other-asker/ })).toHaveCount(0);
});

job("undo what an agent did", async (member) => {
  const agent = await newAgent(member, "eager");
  // A newer key that was used later, but changed nothing: the key that changed something is chosen.
  const second = { enrollment_key_id: agent.enrollmentKeyId, agent_handle: "eager", scopes: ["mailbox:read"] };
  const { key } = await member.call<{ key: string }>("keys.issueAgentKey", second);
  const used = await fetch(`${service.baseUrl}/v1/inboxes`, { headers: { Authorization: `Bearer ${key}` } });
  expect(used.status).toBe(200);
  await fromOverview(member, "Agents");
  await member.click(member.page.getByRole("button", { name: "Undo… what eager did" }));
  const dialog = member.page.getByRole("dialog", { name: "Undo what one key of eager did?" });
  await expect(dialog).toContainText("The key made changes with 1 call:");
  const chosen = await dialog.getByRole("combobox", { name: "Key" }).inputValue();
  await expect(dialog).toContainText(`Only what ${chosen} did is taken back.`);
  const others = "1 other key works on, and what it did stays: keys of eager";
  await expect(dialog).toContainText(others);
  await member.click(dialog.getByRole("button", { name: "Undo and revoke the key" }));
  await expect(member.page.getByText("What the key did was undone")).toBeVisible();
  const undone = member.page.getByRole("dialog", { name: "Undone" });
  await expect(undone).toContainText(others);
  await expect(undone.getByRole("link", { name: "keys of eager" })).toBeVisible();
  expect(await member.ask("inboxes.summaries", { q: agent.inbox })).toMatchObject({ data: [] });
});

job("see who used a quota", async (member) => {
  await newAgent(member, "heavy-user", { name: "Shared by agents", max_mailboxes: 2 });
  await openOverview(member.page);
  await member.click(member.page.getByRole("link", { name: "Shared by agents" }));
  await expect(member.page.getByRole("region", { name: "heavy-user" })).toContainText("1 inbox created");
  await member.click(member.page.getByRole("tab", { name: "Ledger" }));
  await expect(member.page.getByRole("row", { name: /heavy-user/ })).toBeVisible();
});

job("revoke a key", async (member) => {
  await newAgent(member, "temp", { name: "Temporary agents", max_mailboxes: 1 });
  await fromPalette(member, "Temporary agents", /^Temporary agents.*Key$/);
  await member.click(member.page.getByRole("button", { name: "Revoke", exact: true }));
  const dialog = member.page.getByRole("dialog", { name: "Revoke this key?" });
  await expect(dialog).toContainText("1 agent with 1 working key");
  await dialog.getByLabel(/^Type/).fill("Temporary agents");
  await member.click(dialog.getByRole("button", { name: "Revoke key" }));
  await expect(member.page.getByText("The key was revoked")).toBeVisible();
});

job("approve a held mail", async (member) => {
  await member.call("reviews.setPolicy", { review: "all" });
  const agent = await newAgent(member, "seller");
  const { id } = await agent.send({ to: "ann@else.example", subject: "An offer", text: "90 EUR" });
  await openOverview(member.page);
  await member.click(member.page.getByRole("region", { name: "Needs you" }).getByRole("link", { name: "Review" }));
  await member.click(member.page.getByRole("link", { name: "An offer" }));
  await expect(member.page.getByText("90 EUR")).toBeVisible();
  await member.click(member.page.getByRole("button", { name: "Approve and send" }));
  await expect(member.page.getByText("Approved", { exact: true })).toBeVisible();
  expect((await member.ask<{ status: string }>("messages.get", { id })).status).not.toBe("held");
  await member.call("reviews.setPolicy", { review: "none" });
});

job("read the audit log", async (member) => {
  await newAgent(member, "watched", { name: "Watched agents", max_mailboxes: 1 });
  await fromPalette(member, "audit", /^Audit log.*Page$/);
  const row = member.page.getByRole("row", { name: /Issued.*Watched agents/ });
  await expect(row).toContainText("Olive Owner");
});

job("answer a mail with a file", async (member) => {
  const { inbox } = await newAgent(member, "secretary");
  await mail(inbox, "Rhodium certificate");
  await untilFound(member, "rhodium");
  await openOverview(member.page);
  const { page } = member;
  await member.click(page.getByRole("region", { name: "Newest mail" }).getByRole("link", { name: /Rhodium/ }));
  await expect(page.getByRole("heading", { level: 2, name: "Rhodium certificate" })).toBeVisible();
  const chooser = page.waitForEvent("filechooser");
  await member.click(page.getByRole("button", { name: "Reply with files" }));
  const buffer = Buffer.from("Certified");
  await (await chooser).setFiles({ name: "certificate.txt", mimeType: "text/plain", buffer });
  const form = page.getByRole("form", { name: "Reply" });
  await expect(form.getByRole("list", { name: "Files to send" })).toContainText("certificate.txt");
  await expect(form.getByRole("textbox", { name: "Message" })).toBeFocused();
  await page.keyboard.type("It is attached.");
  await member.click(form.getByRole("button", { name: "Send", exact: true }));
  await expect(page.getByText("Reply captured. It is stored here and not sent to other services.")).toBeVisible();
  const sent = page.getByRole("article").filter({ hasText: "It is attached." });
  await expect(sent.getByRole("list", { name: "Attachments" })).toContainText("certificate.txt");
  await expect(sent.getByRole("list", { name: "Recipients" })).toContainText("Captured");
});

job("answer a found mail with a file from the desktop", async (member) => {
  const { inbox } = await newAgent(member, "clerk");
  await mail(inbox, "Palladium contract");
  await untilFound(member, "palladium");
  await fromPalette(member, "palladium", /^Palladium contract.*Message$/);
  const { page } = member;
  await expect(page.getByRole("heading", { level: 2, name: "Palladium contract" })).toBeVisible();
  await member.drop(page.getByRole("region", { name: "Thread", exact: true }), {
    name: "contract.txt",
    content: "Signed",
  });
  const form = page.getByRole("form", { name: "Reply" });
  await form.getByRole("textbox", { name: "Message" }).fill("Here it is.");
  await expect(form.getByRole("list", { name: "Files to send" })).toContainText("contract.txt");
  await member.click(form.getByRole("button", { name: "Send", exact: true }));
  const sent = page.getByRole("article").filter({ hasText: "Here it is." });
  await expect(sent.getByRole("list", { name: "Attachments" })).toContainText("contract.txt");
});

job("verify a domain", async (member) => {
  const domain = "agents.acme.example";
  await member.call("domains.create", { domain });
  await fromPalette(member, "acme.example", /^agents\.acme\.example.*Domain$/);
  const { page } = member;
  const download = page.waitForEvent("download");
  await member.click(page.getByRole("button", { name: "Zone file" }));
  publish(await text(await (await download).createReadStream()));
  await member.click(page.getByRole("button", { name: "Check now" }));
  await expect(page.getByText(`${domain} is verified`)).toBeVisible();
  await expect(page.getByText("This domain is ready")).toBeVisible();
});

job("lift a suppression", async (member) => {
  await member.call("suppressions.add", { address: "gone@far.example", reason: "Asked by phone" });
  await fromOverview(member, "Suppressions");
  await member.click(member.page.getByRole("button", { name: "Lift gone@far.example" }));
  await member.click(member.page.getByRole("button", { name: "Lift suppression" }));
  await expect(member.page.getByText("Mail can be sent to gone@far.example again")).toBeVisible();
});

job("invite a member", async (member) => {
  await fromPalette(member, "invite", /^Invite a person.*Action$/);
  const dialog = member.page.getByRole("dialog", { name: "Invite to the team" });
  await dialog.getByLabel("E-mail").fill("miles@people.example");
  await member.click(dialog.getByRole("button", { name: "Invite" }));
  await expect(dialog.getByText(/\/join#/)).toBeVisible();
});

job("make an API call from the reference", async (member) => {
  const { inbox, key } = await newAgent(member, "caller");
  await fromPalette(member, "list mailboxes", /^List mailboxes.*Call$/);
  const { page } = member;
  await page.getByLabel("Agent key").fill(key);
  const call = page.getByRole("region", { name: "List mailboxes" });
  await member.click(call.getByRole("button", { name: "Try it" }));
  await member.click(call.getByRole("button", { name: "Send" }));
  await expect(call.getByRole("status")).toContainText(/^200 after/);
  await expect(call.getByRole("status")).toContainText(inbox);
});

job("stop all sending", async (member) => {
  const agent = await newAgent(member, "wild");
  await fromPalette(member, "pause", /^Pause all sending.*Action$/);
  await member.click(member.page.getByRole("dialog").getByRole("button", { name: "Pause sending" }));
  await expect(member.page.getByRole("alert", { name: "All sending is paused" })).toBeVisible();
  expect(await agent.send({ to: "ann@else.example", text: "x" })).toHaveProperty("error.code", "sending_paused");
  await member.call("organization.resumeSending", {});
});

type Member = Awaited<ReturnType<typeof newMember>>;

/** A test that fails if the job takes more clicks than it may, or if the browser complains. */
function job(name: string, work: (member: Member) => Promise<void>): void {
  test(name, async ({ browser }) => {
    const member = await newMember(browser);
    await work(member);
    counted.set(name, member.clicks.length);
    expect(member.clicks.length, member.clicks.join(" → ")).toBeLessThanOrEqual(CLICKS_MAX);
    expect(member.complaints).toEqual([]);
    await member.page.context().close();
  });
}

/** The owner in a browser window, whose clicks are counted. Typing is none. */
async function newMember(browser: Browser) {
  const context = await browser.newContext({ baseURL: service.baseUrl, storageState: session });
  const page = await context.newPage();
  const clicks: string[] = [];
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  return {
    page,
    clicks,
    complaints,
    async click(what: Locator): Promise<void> {
      await expect(what).toBeVisible();
      clicks.push((await what.getAttribute("aria-label")) ?? (await what.innerText()).replaceAll("\n", " "));
      await what.click();
    },
    /** Drags a file from the desktop onto a part of the page. It counts like a click. */
    async drop(where: Locator, file: { name: string; content: string }): Promise<void> {
      clicks.push(`drop ${file.name}`);
      const dataTransfer = await page.evaluateHandle(({ name, content }) => {
        const data = new DataTransfer();
        data.items.add(new File([content], name, { type: "text/plain" }));
        return data;
      }, file);
      for (const event of ["dragenter", "dragover", "drop"]) await where.dispatchEvent(event, { dataTransfer });
    },
    call: <Output>(path: string, input: object) => call<Output>(context, service.baseUrl, path, input),
    ask: <Output>(path: string, input: object) => ask<Output>(context, service.baseUrl, path, input),
  };
}

async function openOverview(page: Page): Promise<void> {
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
}

/** Goes to a page of the navigation: one click. */
async function fromOverview(member: Member, place: string): Promise<void> {
  await openOverview(member.page);
  const navigation = member.page.getByRole("navigation", { name: "Dashboard" });
  await member.click(navigation.getByRole("link", { name: new RegExp(`^${place}`) }));
  await expect(member.page.getByRole("heading", { level: 1, name: place })).toBeVisible();
}

/** Types into the palette, which is open, and chooses what it finds: one click. */
async function fromPalette(member: Member, typed: string, option: RegExp): Promise<void> {
  await openOverview(member.page);
  const field = member.page.getByRole("combobox", { name: "Find" });
  // The shortcut works as soon as the page's scripts run.
  await expect(async () => {
    await member.page.keyboard.press("Control+k");
    await expect(field).toBeFocused({ timeout: 2_000 });
  }).toPass();
  await field.fill(typed);
  await member.click(member.page.getByRole("option", { name: option }).first());
}

/** Bodies and subjects are searchable after the mail is parsed. */
async function untilFound(member: Member, q: string): Promise<void> {
  await expect
    .poll(async () => (await member.ask<{ data: object[] }>("messages.search", { q, limit: 5 })).data.length)
    .toBe(1);
}

/** An agent that enrolled with its own key and has one inbox. */
async function newAgent(
  member: Member,
  handle: string,
  issue: object = { name: `Key of ${handle}`, max_mailboxes: 9 },
) {
  const { request } = member.page.context();
  const { baseUrl } = service;
  const { key: token, id: enrollmentKeyId } = await member.call<{ key: string; id: string }>("keys.issue", issue);
  const enrolled = await request.post(`${baseUrl}/v1/enroll`, { data: { token, agent_handle: handle } });
  const { agent_key: key } = (await enrolled.json()) as { agent_key: string };
  const headers = { Authorization: `Bearer ${key}` };
  const created = await request.post(`${baseUrl}/v1/inboxes`, { headers, data: {} });
  const { address: inbox } = (await created.json()) as { address: string };
  return {
    inbox,
    key,
    enrollmentKeyId,
    read: (path: string) => request.get(`${baseUrl}${path}`, { headers }),
    async send(data: object) {
      const path = `${baseUrl}/v1/inboxes/${encodeURIComponent(inbox)}/send`;
      return (await (await request.post(path, { headers, data })).json()) as { id: string };
    },
  };
}

async function mail(to: string, subject: string): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from: "Zed <zed@far.example>", to, subject, text: "Are you there?" });
  transport.close();
}

/** A program's endpoint, which answers with the status that the test sets. */
async function startEndpoint(status: number) {
  const endpoint = { answer: status, url: "", close: () => server.closeAllConnections() };
  const server: Server = createServer((_, response) => response.writeHead(endpoint.answer).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  endpoint.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/orders`;
  return endpoint;
}

/** Imports a zone file, as a DNS provider does. */
function publish(zoneFile: string): void {
  for (const [, name = "", type, data = ""] of zoneFile.matchAll(/^(\S+)\. \d+ IN (TXT|MX) (.+)$/gm)) {
    const before = dns.zone[name] ?? {};
    const strings = [...data.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = ""]) => part.replace(/\\(.)/g, "$1"));
    const [priority, exchange = ""] = data.split(" ");
    dns.zone[name] =
      type === "TXT"
        ? { ...before, TXT: [...(before.TXT ?? []), [strings.join("")]] }
        : { ...before, MX: [{ priority: Number(priority), exchange: exchange.replace(/\.$/, "") }] };
  }
}
