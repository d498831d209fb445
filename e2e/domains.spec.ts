// A domain in the dashboard, with a DNS server whose zone the test changes: records turn green one by one. Then mail leaves
// from the domain, bounces, its suppression is lifted, and the inbox that bounces paused is resumed.
import { type Browser, expect, type Locator, type Page, test } from "@playwright/test";
import { type DnsServer, startDnsServer } from "#test/support/dns-server.ts";
import { type SmtpSink, startSmtpSink } from "#test/support/smtp-sink.ts";
import { violationsIn } from "./axe.ts";
import { bounce, pauseAndResume } from "./bounces.ts";
import { type RunningService, startService } from "./service.ts";

/** Checks of one domain are 10 seconds apart. */
const CHECKS_MS = 240_000;
const PASSWORD = "correct horse battery";
const DOMAIN = "agents.acme.example";
const SCOUT = `scout@${DOMAIN}`;
const GONE = "gone@far.example";
const SCREENSHOTS = "test-results/screenshots";

let dns: DnsServer;
let relay: SmtpSink;
let service: RunningService;
test.beforeAll(async () => {
  dns = await startDnsServer({});
  relay = await startSmtpSink();
  service = await startService({
    DNS_SERVERS: dns.address,
    OUTBOUND: "smtp",
    OUTBOUND_SMTP_URL: relay.url,
    SEND_CAP_RAMP: "100",
  });
});
test.afterAll(async () => {
  await service?.stop();
  await relay?.close();
  await dns?.close();
});

type Person = { name: string; email?: string };

async function join(browser: Browser, link: string, { name, email }: Person): Promise<Page> {
  const context = await browser.newContext({ baseURL: service.baseUrl });
  const page = await context.newPage();
  await page.goto(`/join#${link.split("#")[1]}`);
  if (email) await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Your name").fill(name);
  await page.locator("input[type=password]").fill(PASSWORD);
  await page.getByRole("button", { name: /^Join/ }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
  return page;
}

async function fieldOf(record: Locator, name: string): Promise<string> {
  return (await record.locator("dl > div", { hasText: name }).locator("code").first().textContent()) ?? "";
}

/** Publishes a record as its card shows it. `value`: another one. */
async function publish(record: Locator, value?: string): Promise<void> {
  const name = await fieldOf(record, "Name");
  const data = value ?? (await fieldOf(record, "Value"));
  const before = dns.zone[name];
  dns.zone[name] =
    (await fieldOf(record, "Type")) === "MX"
      ? { ...before, MX: [{ priority: Number(await fieldOf(record, "Priority")), exchange: data }] }
      : { ...before, TXT: [[data]] };
}

async function check(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.url().includes("domains.verify"));
  await page.getByRole("button", { name: "Check now" }).click();
  expect((await answered).ok()).toBe(true);
}

test("a domain turns green one by one, its mail bounces, and it is deleted when no inbox uses it", async ({
  browser,
}) => {
  test.setTimeout(CHECKS_MS);
  const page = await join(browser, service.ownerLink, { name: "Olive Owner", email: "olive@people.example" });
  const record = (label: string) => page.getByRole("listitem", { name: new RegExp(`^${label}: `) });
  const ownership = record("Ownership");
  const mx = record("Mail server");
  const spf = record("SPF");
  const found = page.getByRole("status").filter({ hasText: "records found" });

  await test.step("adds it; a name that cannot be owned is refused at the field", async () => {
    await page.goto("/dashboard/domains");
    await page.getByRole("button", { name: "Add domain" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Add a domain" });
    await dialog.getByLabel("Domain").fill("co.uk");
    await dialog.getByRole("button", { name: "Add domain" }).click();
    await expect(dialog.getByText(/public suffix/)).toBeVisible();
    await dialog.getByLabel("Domain").fill(`${DOMAIN.toUpperCase()}.`);
    await dialog.getByRole("button", { name: "Add domain" }).dblclick();
    await expect(page.getByRole("heading", { level: 1, name: DOMAIN })).toBeVisible();
    await expect(found).toHaveText("0 of 8 records found");
  });

  await test.step("copies a value", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: /^Copy the value of Ownership/ }).click();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toBe(await fieldOf(ownership, "Value"));
  });

  await test.step("proves ownership", async () => {
    await publish(ownership);
    await check(page);
    await expect(ownership.getByText("Found", { exact: true })).toBeVisible();
    await expect(mx.getByText("Not found yet")).toBeVisible();
    await expect(page.getByText(`${DOMAIN} is verified`)).toBeVisible();
    await expect(found).toHaveText("1 of 8 records found");
    await expect(page.getByRole("button", { name: /^Check again in \d+ s$/ })).toBeVisible();
  });

  await test.step("sees what DNS answers in place of a record, and what to do", async () => {
    await publish(mx, "mx.other.example");
    await publish(spf, "v=spf1 -all");
    await check(page);
    await expect(mx.getByText("Wrong value")).toBeVisible();
    await expect(mx.getByText("10 mx.other.example")).toBeVisible();
    await expect(mx.getByText(/remove the MX records of other servers/)).toBeVisible();
    await expect(spf.getByText("v=spf1 -all")).toBeVisible();
    await expect(page.getByText("A record needs attention")).toBeVisible();
    const listed = page.getByRole("list", { name: "Records that need attention" });
    await expect(listed.getByRole("link", { name: /^SPF: TXT record of / })).toBeVisible();
    await listed.getByRole("link", { name: /^SPF: / }).click();
    await expect(spf).toBeInViewport();
    expect(await violationsIn(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/domain-wrong.png`, fullPage: true });
  });

  await test.step("corrects them one by one", async () => {
    await publish(mx);
    await check(page);
    await expect(mx.getByText("Found", { exact: true })).toBeVisible();
    await expect(spf.getByText("Wrong value")).toBeVisible();
    await publish(spf);
    await check(page);
    await expect(spf.getByText("Found", { exact: true })).toBeVisible();
    await expect(found).toHaveText("3 of 8 records found");
  });

  await test.step("publishes the rest, and the domain is ready", async () => {
    for (const label of ["DKIM key", "Mail server for bounces", "SPF for bounces", "DMARC", "TLS reports"]) {
      await publish(record(label));
    }
    await check(page);
    await expect(found).toHaveText("8 of 8 records found");
    await expect(page.getByText("This domain is ready")).toBeVisible();
    expect(await violationsIn(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/domain-ready.png`, fullPage: true });
  });

  await test.step("downloads the zone file", async () => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Zone file" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`${DOMAIN}.zone`);
    const chunks = await (await download.createReadStream()).toArray();
    expect(Buffer.concat(chunks).toString()).toContain(`_mailberth.${DOMAIN}. 3600 IN TXT`);
  });

  await test.step("rotates the DKIM key: a second record appears", async () => {
    await page.getByRole("button", { name: "Rotate DKIM key" }).click();
    const dialog = page.getByRole("dialog", { name: "Rotate the DKIM key?" });
    await dialog.getByRole("button", { name: "Rotate DKIM key" }).click();
    await expect(record("DKIM key")).toHaveCount(2);
    await expect(found).toHaveText("8 of 9 records found");
  });

  await test.step("sends from it, sees the bounce, lifts the suppression, and sends again", async () => {
    await sendAndBounce(page);
  });

  await test.step("too many bounces pause the inbox; it shows why, and is resumed", async () => {
    const send = (to: string[]) => call(page, "messages.send", { addr: SCOUT, to, subject: "List", text: "Hello" });
    await pauseAndResume(page, { relay, service }, { inbox: SCOUT, send });
  });

  await test.step("makes an inbox the catch-all of the domain", async () => {
    await page.goto("/dashboard/inboxes");
    const row = page.getByRole("row").filter({ hasText: SCOUT });
    await row.getByRole("button", { name: `Actions for ${SCOUT}` }).click();
    await page.getByRole("menuitem", { name: "Catch-all" }).click();
    const dialog = page.getByRole("dialog", { name: "Catch-all" });
    await dialog.getByLabel(`Take mail to unknown addresses of ${DOMAIN}`).check({ force: true });
    expect(await violationsIn(page)).toEqual([]);
    await page.screenshot({ path: `${SCREENSHOTS}/catch-all-dialog.png` });
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText(`${SCOUT} takes mail to unknown addresses`)).toBeVisible();
    await expect(row.getByText("Catch-all")).toBeVisible();
    await page.screenshot({ path: `${SCREENSHOTS}/catch-all-list.png` });
  });

  await test.step("a member sees it all, and can change nothing", async () => {
    await page.goto("/dashboard/settings/team");
    await page.getByRole("button", { name: "Invite" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Invite to the team" });
    await dialog.getByLabel("E-mail").fill("miles@people.example");
    await dialog.getByRole("button", { name: "Invite" }).click();
    const member = await join(browser, await invitationTo("miles@people.example"), { name: "Miles Member" });
    await member.goto("/dashboard/domains");
    await member.getByRole("link", { name: DOMAIN }).click();
    await expect(member.getByRole("heading", { level: 1, name: DOMAIN })).toBeVisible();
    for (const name of [/^Check/, "Rotate DKIM key", "Delete domain"]) {
      await expect(member.getByRole("button", { name })).toHaveAttribute("aria-disabled", "true");
    }
    await member.context().close();
  });

  await test.step("deletes it only after its inbox", async () => {
    await page.goto("/dashboard/domains");
    await page.getByRole("link", { name: DOMAIN }).click();
    await page.getByRole("button", { name: "Delete domain" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this domain?" });
    await dialog.getByRole("textbox").fill(DOMAIN);
    await dialog.getByRole("button", { name: "Delete domain" }).click();
    await expect(dialog.getByText(`${SCOUT} is a mailbox on this domain.`)).toBeVisible();
    await expect(dialog.getByText(/Delete the inboxes at this domain/)).toBeVisible();
    await call(page, "inboxes.remove", { addr: SCOUT });
    await dialog.getByRole("button", { name: "Delete domain" }).click();
    await expect(page.getByRole("heading", { name: "No domains yet" })).toBeVisible();
  });
});

/** Calls a procedure as the person of the page. */
async function call<Output>(page: Page, path: string, input: object): Promise<Output> {
  const headers = { Origin: service.baseUrl };
  const answer = await page.context().request.post(`${service.baseUrl}/trpc/${path}`, { headers, data: input });
  expect(answer.ok(), await answer.text()).toBe(true);
  return ((await answer.json()) as { result: { data: Output } }).result.data;
}

/** The link of an invitation: a service that sends mail does not show it. */
async function invitationTo(address: string): Promise<string> {
  const mail = () => relay.received.find(({ to }) => to.includes(address))?.raw.toString() ?? "";
  const link = () =>
    /\S+\/join#\S+/.exec(
      mail()
        .replace(/=\r?\n/g, "")
        .replaceAll("=3D", "="),
    )?.[0] ?? "";
  await expect.poll(link).not.toBe("");
  return link();
}

async function compose(page: Page, subject: string): Promise<void> {
  await page.getByRole("button", { name: "Compose" }).click();
  await page.getByRole("combobox", { name: "To" }).fill(`${GONE},`);
  await page.getByRole("textbox", { name: "Subject" }).fill(subject);
  await page.getByRole("textbox", { name: "Message" }).fill("Are you there?");
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

async function sendAndBounce(page: Page): Promise<void> {
  const issue = { name: "Acme", max_mailboxes: 5, allowed_domains: [DOMAIN] };
  const key = await call<{ id: string }>(page, "keys.issue", issue);
  const wish = { enrollment_key_id: key.id, client_id: "domains", username: "scout", domain: DOMAIN };
  await call(page, "inboxes.createWith", wish);
  await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(SCOUT)}`);
  await compose(page, "Hello");
  const outcome = page.getByRole("list", { name: "Recipients" }).getByRole("listitem");
  await expect(outcome.getByText("Sent", { exact: true })).toBeVisible();
  expect(await bounce({ relay, service }, GONE)).toMatch(new RegExp(`^b\\+.+@bounce\\.${DOMAIN}$`));
  await expect(outcome.getByText("Bounced", { exact: true })).toBeVisible();
  await expect(outcome.getByText("550 5.1.1")).toBeVisible();
  await expect(outcome.getByText("User unknown")).toBeVisible();
  expect(await violationsIn(page)).toEqual([]);
  await page.screenshot({ path: `${SCREENSHOTS}/bounced.png`, fullPage: true });
  await compose(page, "Again");
  await expect(page.getByText(`Suppressed: ${GONE} (bounced)`)).toBeVisible();
  await page.goto("/dashboard/suppressions");
  await page.getByRole("button", { name: `Lift ${GONE}` }).click();
  await page.getByRole("button", { name: "Lift suppression" }).click();
  await expect(page.getByRole("heading", { name: "No suppressed addresses" })).toBeVisible();
  await page.goto(`/dashboard/mail?inbox=${encodeURIComponent(SCOUT)}`);
  await page.getByRole("button", { name: "Compose" }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await expect(page.getByText(/^Message (queued|being sent|sent)$/)).toBeVisible();
  await expect.poll(() => relay.received.length).toBe(2);
}
