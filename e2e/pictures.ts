// `npm run pictures`: makes the pictures of the dashboard in `docs/images/` anew, on a service that it starts and fills.
import { once } from "node:events";
import { chmod, mkdtemp } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, expect, type Page } from "@playwright/test";
import { createTransport } from "nodemailer";
import { connect } from "#db/client.ts";
import { findEmbedded } from "#db/embedded/open.ts";
import { CHROMIUM_ARGS, ensureChromium } from "#test/support/chromium.ts";
import { openRunFolder } from "#test/support/run-folder.ts";
import { ask, call } from "./owner.ts";
import { startService } from "./service.ts";

const FOLDER = "docs/images";
/** The page of a large screen, in a picture of 1200 to 750 pixels. */
const VIEW = { width: 1440, height: 900 };
const PICTURE_WIDTH = 1200;
const DOMAIN = "mail.acme.example";
const OWNER = { email: "olive@acme.example", name: "Olive Owner", password: "correct horse battery" };
/** What is there until something is read. */
const LOADING = ".mantine-Skeleton-root, [aria-busy=true]";
/** Mail of each of the last 14 days, today last: received, and sent. */
const RECEIVED = [6, 9, 4, 2, 8, 11, 9, 10, 7, 3, 2, 9, 12, 8];
const SENT = [4, 5, 3, 1, 6, 7, 5, 8, 4, 2, 1, 6, 9];

const WELCOME = "<h1>Confirm your address</h1><p>Your code is <b>482 913</b>. It is valid for ten minutes.</p>";
const SHIPPED =
  "<h1>On its way</h1><p>Your order <b>4711</b> left us today.</p><p><a href='https://shop.example/4711'>Track it</a></p>";
/** The newest mail of the mailbox that is shown, the newest last. */
const MAIL = [
  { from: "Ben Miller <ben@miller.example>", subject: "Invoice 2041", text: "The invoice for November is attached." },
  { from: "Cloud Nine <no-reply@cloudnine.example>", subject: "Confirm your address", html: WELCOME },
  { from: "Ann Weber <ann@weber.example>", subject: "Two more licences", text: "Can we have two more from Monday on?" },
  { from: "Acme Shop <orders@shop.example>", subject: "Your order is on its way", html: SHIPPED },
];

type Row = { id: string };
type Service = Awaited<ReturnType<typeof startService>>;
type Look = { context: BrowserContext; baseUrl: string };

/** An endpoint that accepts each delivery. */
async function startEndpoint() {
  const server = createServer((request, response) => void request.resume().on("end", () => response.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/mail` };
}

async function receive(port: number, to: string, mails: object[]): Promise<void> {
  const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } });
  for (const mail of mails) await transport.sendMail({ to, ...mail });
  transport.close();
}

/** The mail of two weeks: what is there now gets times of the past, and earlier days get counts of sent mail. */
async function spreadOverDays(databaseUrl: string): Promise<void> {
  const sql = connect(databaseUrl, { max: 1, onnotice: () => {} });
  const days = RECEIVED.flatMap((count, day) => Array.from({ length: count }, () => RECEIVED.length - 1 - day));
  await sql`
    with past as (
      select e.id, e.created_at - ago.days * interval '1 day' as at
      from (select *, row_number() over (order by position) n from events) e
      join unnest(${days}::int[]) with ordinality as ago (days, n) using (n)),
    spread as (update events set created_at = past.at from past where events.id = past.id returning events.id, events.created_at)
    update deliveries set created_at = spread.created_at, completed_at = spread.created_at from spread where event_id = spread.id`;
  await sql`
    insert into send_usage (organization_id, inbox_id, day, counted, replies)
    select organization_id, id, (now() at time zone 'UTC')::date - ${SENT.length + 1}::int + n::int, sent, 0
    from (select * from inboxes order by id limit 1) i, unnest(${SENT}::int[]) with ordinality as s (sent, n)`;
  await sql.end();
}

/** A message of an agent that waits for approval, changed once by a member. */
async function holdMessage({ context, baseUrl }: Look, key: string, inbox: string): Promise<string> {
  const post = async <Answer>(path: string, data: object, headers = {}) =>
    (await (await context.request.post(baseUrl + path, { data, headers })).json()) as Answer;
  const { agent_key } = await post<{ agent_key: string }>("/v1/enroll", { token: key, agent_handle: "sales" });
  await call(context, baseUrl, "reviews.setPolicy", { inbox, review: "all" });
  const text = "Dear Ann,\n\nwe can deliver two more licences on Monday, for 90 EUR each.\n\nHelpdesk at Acme\n";
  const mail = { to: ["ann@weber.example"], subject: "Your quote", text };
  const { id } = await post<Row>(`/v1/inboxes/${encodeURIComponent(inbox)}/send`, mail, {
    Authorization: `Bearer ${agent_key}`,
  });
  await call(context, baseUrl, "reviews.setPolicy", { inbox, review: null });
  const { sha256 } = await ask<{ sha256: string }>(context, baseUrl, "reviews.get", { id });
  const changed = { ...mail, text: text.replace("90", "85"), cc: [], bcc: [], html: null };
  await call(context, baseUrl, "reviews.edit", { ...changed, id, sha256 });
  return id;
}

async function furnish(look: Look, { smtpPort }: Service, endpoint: string, databaseUrl: string) {
  const act = <Answer = Row>(path: string, input: object) => call<Answer>(look.context, look.baseUrl, path, input);
  const read = <Answer>(path: string, input: object) => ask<Answer>(look.context, look.baseUrl, path, input);
  await act("organization.update", { name: "Acme" });
  const support = await act<Row & { key: string }>("keys.issue", { name: "Helpdesk agents", max_mailboxes: 20 });
  const research = await act("keys.issue", { name: "Research agents", max_mailboxes: 8 });
  const create = async (enrollment_key_id: string, username: string, display_name: string) =>
    (await act<{ address: string }>("inboxes.createWith", { enrollment_key_id, username, display_name })).address;
  const inbox = await create(support.id, "helpdesk", "Acme Helpdesk");
  const orders = await create(support.id, "orders", "Acme Orders");
  for (const n of [1, 2, 3, 4, 5, 6]) await create(research.id, `research-${n}`, `Research ${n}`);
  await act("webhooks.register", { url: endpoint, events: ["message.received"] });
  const total = RECEIVED.reduce((sum, count) => sum + count);
  const past = Array.from({ length: total - MAIL.length }, (_, n) => `Order ${4600 + n}`);
  await receive(
    smtpPort,
    orders,
    past.map((subject) => ({ from: "shop@shop.example", subject, text: "Paid." })),
  );
  await receive(smtpPort, inbox, MAIL.slice(0, -1));
  // An unused port.
  const failing = await act("webhooks.register", { url: "http://127.0.0.1:9/hooks/crm", events: ["message.received"] });
  await receive(smtpPort, inbox, MAIL.slice(-1));
  await expect
    .poll(async () => (await read<{ data: Row[] }>("threads.list", { addr: inbox })).data)
    .toHaveLength(MAIL.length);
  const attempted = async () => {
    const { data } = await read<{ data: (Row & { attempt_count: number })[] }>("webhooks.listDeliveries", {
      id: failing.id,
    });
    return data.find(({ attempt_count }) => attempt_count > 1)?.id;
  };
  await expect.poll(attempted, { timeout: 60_000 }).toBeTruthy();
  const threads = await read<{ data: Row[] }>("threads.list", { addr: inbox });
  await spreadOverDays(databaseUrl);
  await act("messages.send", {
    addr: inbox,
    to: ["ben@miller.example", `no-such-inbox@${DOMAIN}`],
    idempotency_key: "pictures",
    subject: "Your invoice",
    text: "Thank you, it is paid.",
  });
  const domain = await act("domains.create", { domain: "agents.acme.example" });
  const held = await holdMessage(look, support.key, inbox);
  return {
    mail: `/dashboard/mail?inbox=${encodeURIComponent(inbox)}&thread=${threads.data[0]?.id}`,
    approval: `/dashboard/approvals?id=${held}`,
    domain: `/dashboard/domains?id=${domain.id}`,
    webhooks: "/dashboard/webhooks",
    webhook: `/dashboard/webhooks?id=${failing.id}`,
    delivery: `/dashboard/webhooks?id=${failing.id}&delivery=${await attempted()}`,
  };
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("button", { name: /^Your menu/ })).toBeVisible();
  await page.waitForFunction((loading) => document.querySelector("h1") && !document.querySelector(loading), LOADING);
}

const shoot = (page: Page, name: string) => page.screenshot({ path: `${FOLDER}/dashboard-${name}.png` });

async function takePictures(look: Look, places: Awaited<ReturnType<typeof furnish>>): Promise<void> {
  const page = await look.context.newPage();
  await open(page, "/dashboard");
  await shoot(page, "overview");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find" }).pressSequentially("help");
  await expect(page.getByRole("option", { name: /Key$/ })).toBeVisible();
  await shoot(page, "palette");
  for (const name of ["mail", "approval", "domain", "webhooks", "delivery"] as const) {
    await open(page, places[name]);
    await shoot(page, name);
  }
  await open(page, places.webhook);
  await page.getByRole("button", { name: "API", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "API calls of this page" })).toContainText("curl -X POST");
  await shoot(page, "api-calls");
}

const executablePath = await ensureChromium();
const { close } = await openRunFolder();
const dataDir = await mkdtemp(join(tmpdir(), "mailberth-pictures-"));
// As root the embedded PostgreSQL runs as another user, who must be able to enter.
await chmod(dataDir, 0o755);
const endpoint = await startEndpoint();
const service = await startService({ DATA_DIR: dataDir, DEFAULT_DOMAIN: DOMAIN });
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
try {
  const { baseUrl, ownerLink } = service;
  const context = await browser.newContext({
    baseURL: baseUrl,
    viewport: VIEW,
    deviceScaleFactor: PICTURE_WIDTH / VIEW.width,
    reducedMotion: "reduce",
  });
  const token = ownerLink.split("#")[1];
  await call(context, baseUrl, "team.join", { token, ...OWNER });
  const databaseUrl = (await findEmbedded(dataDir)) ?? "";
  await takePictures({ context, baseUrl }, await furnish({ context, baseUrl }, service, endpoint.url, databaseUrl));
} finally {
  await browser.close();
  await service.stop();
  endpoint.server.close();
  await close();
}
console.log(`the pictures in ${FOLDER} are made`);
