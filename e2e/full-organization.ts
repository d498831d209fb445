// An organization with much of everything, and with names that are hard to show: what `full.spec.ts` looks at.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext } from "@playwright/test";
import { createTransport } from "nodemailer";
import { connect } from "#db/client.ts";
import { newId, newIdAt } from "#server/base/ids.ts";
import { ask, call } from "./owner.ts";

/** Names of 80 characters: without a blank, in scripts of other directions and widths, with pictures. */
const LONG_NAMES = [
  "Accounting".repeat(8),
  "قسم المحاسبة والفواتير والمدفوعات الشهرية لجميع العملاء في المنطقة الشرقية والغربية",
  "株式会社東京国際貿易総合管理本部経理部請求書発行課".repeat(3).slice(0, 80),
  "🚚 Deliveries 📦 of the night shift 🌙 and of the early morning ☀️ in the north 🧊",
  "Purchasing of spare parts for machines that no supplier has made for twenty years",
].map((name) => [...name].slice(0, 80).join(""));

/** Settings of its service: no cap and no rate ends the filling, and payments are on. */
export const FULL_SETTINGS = {
  RATE_LIMIT_PER_SECOND: "1000000",
  RATE_LIMIT_BURST: "1000000",
  RATE_LIMIT_ANONYMOUS_PER_SECOND: "1000000",
  RATE_LIMIT_ANONYMOUS_BURST: "1000000",
  SEND_CAP_RAMP: "50",
  SEND_CAP_RAMP_DOMAIN: "100000",
  SEND_CAP_RAMP_ORGANIZATION: "100000",
  PAYMENTS_ENABLED: "true",
  PAYMENTS_RPC_URL: "http://127.0.0.1:9",
  PAYMENTS_PAY_TO: `0x${"ab".repeat(20)}`,
};

const KEYS = 8;
const AGENTS = 40;
const INBOXES = 300;
const MEMBERS = 12;
const WEBHOOKS = 30;
const DOMAINS = 20;
const HELD = 30;
const DRAFTS = 15;
const SCHEDULED = 15;
const AUDIT_ENTRIES = 500;
const PAYMENTS = 60;
const LISTED = 60;
const MAILS = 80;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Row = { id: string };
type Look = { context: BrowserContext; baseUrl: string; smtpPort: number; databaseUrl: string };
type Agent = { headers: { Authorization: string } };

const nameOf = (n: number): string => LONG_NAMES[n % LONG_NAMES.length] ?? "";
const counted = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Keys with agents and inboxes; the first key is used up, the last one is revoked. */
async function addAgents({ context, baseUrl }: Look) {
  const post = async <Answer>(path: string, data: object, { headers }: Partial<Agent> = {}) => {
    const answer = await context.request.post(baseUrl + path, { data, headers });
    if (!answer.ok()) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const keys: (Row & { key: string })[] = [];
  for (const n of counted(KEYS)) {
    const max_mailboxes = n === 0 ? 10 : 100;
    const expires_at = n === 1 ? new Date(Date.now() + 2 * DAY_MS).toISOString() : undefined;
    keys.push(await call(context, baseUrl, "keys.issue", { name: nameOf(n).slice(0, 80), max_mailboxes, expires_at }));
  }
  const agents: Agent[] = [];
  for (const n of counted(AGENTS)) {
    const agent_handle = n % 4 === 0 ? `${"agent-of-the-night-shift-".repeat(3).slice(0, 60)}-${n}` : `agent-${n}`;
    const { agent_key } = await post<{ agent_key: string }>("/v1/enroll", {
      token: keys[n % KEYS]?.key,
      agent_handle,
      agent_name: nameOf(n).slice(0, 64),
    });
    agents.push({ headers: { Authorization: `Bearer ${agent_key}` } });
  }
  const inboxes: string[] = [];
  for (const n of counted(INBOXES)) {
    const owner = n < 10 ? agents[0] : agents[1 + (n % (KEYS - 1)) + KEYS * (n % 4)];
    const username = n % 5 === 0 ? `${"orders-and-returns-of-customers-".repeat(2).slice(0, 58)}-${n}` : `inbox-${n}`;
    const made = await post<{ address: string }>(
      "/v1/inboxes",
      { username, display_name: nameOf(n).slice(0, 80) },
      owner,
    );
    inboxes.push(made.address);
  }
  return { keys, agents, inboxes, post };
}

async function addMail({ context, baseUrl, smtpPort }: Look, inboxes: string[]): Promise<void> {
  const transport = createTransport({
    host: "127.0.0.1",
    port: smtpPort,
    tls: { rejectUnauthorized: false },
    pool: true,
  });
  for (const n of counted(MAILS)) {
    const name = nameOf(n).replaceAll('"', "");
    const html = `<h1>${name}</h1><p>Only <b>HTML</b> says this: ${n}.</p>`;
    await transport.sendMail({
      from: { name, address: `${"long-name-of-a-sender-".repeat(2)}${n}@far.example` },
      to: inboxes[n < MAILS / 2 ? 0 : n],
      subject: `${n}: ${nameOf(n + 1)}`,
      ...(n % 3 === 0 ? { html } : { text: `${nameOf(n + 2)}\n\nYour code is ${100_000 + n * 7}.` }),
      ...(n % 7 === 0 && { attachments: [{ filename: `${name}.txt`, content: name }] }),
    });
  }
  transport.close();
  const addr = inboxes[0] ?? "";
  for (const n of counted(6)) {
    const to = [`ann-${n}@else.example`, n % 2 === 0 ? `no-such-inbox-${n}@mail.localhost` : `ben-${n}@else.example`];
    const body = n % 3 === 0 ? { html: `<p>Only HTML: ${nameOf(n)}</p>` } : { text: nameOf(n) };
    await call(context, baseUrl, "messages.send", { addr: inboxes[n % 3] ?? addr, to, subject: nameOf(n), ...body });
  }
}

/** Messages that wait for a member, drafts, and mail that leaves later. */
async function addWaiting(
  { context, baseUrl }: Look,
  { agents, inboxes, post }: Awaited<ReturnType<typeof addAgents>>,
) {
  await call(context, baseUrl, "reviews.setPolicy", { review: "all" });
  for (const n of counted(HELD)) {
    const to = [`Ann of ${"everything".repeat(5)} <ann-${n}@else.example>`, `ben-${n}@else.example`];
    const body = n % 2 === 0 ? { html: `<p>${nameOf(n)}</p><ul><li>One</li></ul>` } : { text: nameOf(n) };
    await post(
      `/v1/inboxes/${encodeURIComponent(inboxes[n % 10] ?? "")}/send`,
      { to, subject: nameOf(n), ...body },
      agents[0],
    );
  }
  await call(context, baseUrl, "reviews.setPolicy", { review: "none" });
  for (const n of counted(DRAFTS)) {
    const to = `ben-${n}@else.example`;
    await call(context, baseUrl, "drafts.create", {
      inbox: inboxes[n],
      to,
      subject: n % 4 === 0 ? "" : nameOf(n),
      text: "Hello",
    });
  }
  for (const n of counted(SCHEDULED)) {
    const send_at = new Date(Date.now() + (n + 1) * DAY_MS).toISOString();
    const mail = { addr: inboxes[10 + n], to: `ann-${n}@else.example`, subject: nameOf(n), text: "Later", send_at };
    await call(context, baseUrl, "messages.send", mail);
  }
}

async function addRules({ context, baseUrl }: Look): Promise<string[]> {
  for (const n of counted(LISTED)) {
    const reason = n % 3 === 0 ? nameOf(n) : undefined;
    await call(context, baseUrl, "suppressions.add", { address: `${"gone-".repeat(8)}${n}@far.example`, reason });
    const entry = n % 2 === 0 ? `${"very-long-name-".repeat(3)}${n}.example` : `rival-${n}@far.example`;
    await call(context, baseUrl, "lists.add", {
      direction: n % 4 < 2 ? "send" : "receive",
      list: "block",
      entry,
      reason,
    });
  }
  const domains: string[] = [];
  for (const n of counted(DOMAINS)) {
    const domain = n % 3 === 0 ? `${"a-long-label-of-a-domain-".repeat(2)}${n}.example` : `agents-${n}.example`;
    domains.push((await call<Row>(context, baseUrl, "domains.create", { domain })).id);
  }
  return domains;
}

/** Webhooks that answer, that fail, and that were disabled. */
async function addWebhooks({ context, baseUrl }: Look): Promise<string[]> {
  const server = createServer((request, response) => void request.resume().on("end", () => response.end()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const answers = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ids: string[] = [];
  for (const n of counted(WEBHOOKS)) {
    const url = `${n % 3 === 0 ? "http://127.0.0.1:9" : answers}/${"hooks-of-the-company/".repeat(n % 4 === 0 ? 6 : 1)}${n}`;
    const name = n % 2 === 0 ? nameOf(n).slice(0, 80) : undefined;
    ids.push((await call<Row>(context, baseUrl, "webhooks.register", { url, name, events: ["message.received"] })).id);
  }
  return ids;
}

/** What only time, DNS or other people make: written to the database. */
async function addByHand({ databaseUrl }: Look): Promise<void> {
  const sql = connect(databaseUrl, { max: 1, onnotice: () => {} });
  const [owner] =
    await sql`select m.organization_id, u.id, u.name from members m join users u on u.id = m.user_id limit 1`;
  const organization = owner?.organization_id;
  for (const n of counted(MEMBERS - 1)) {
    const id = newId();
    const email = `${"a-person-with-a-long-address-".repeat(2)}${n}@far.example`;
    await sql`insert into users (id, name, email, email_verified, created_at, updated_at) values (${id}, ${nameOf(n)}, ${email}, true, now(), now())`;
    await sql`insert into members (id, organization_id, user_id, role, created_at)
      values (${newId()}, ${organization}, ${id}, ${["owner", "admin", "member"][n % 3] ?? ""}, now())`;
  }
  const actions = [
    "keys.revoke",
    "webhooks.update",
    "messages.remove",
    "inboxes.rename",
    "suppressions.remove",
    "team.changeRole",
  ];
  for (const n of counted(AUDIT_ENTRIES)) {
    const at = Date.now() - n * HOUR_MS;
    await sql`insert into audit_entries (id, organization_id, user_id, actor, action, subject, object_id, object_name, changes, outcome, request_id, created_at)
      values (${newIdAt(at)}, ${organization}, null, ${nameOf(n)}, ${actions[n % actions.length] ?? ""}, ${n % 2 === 0 ? nameOf(n + 1) : null}, null,
        ${nameOf(n + 2)}, ${n % 3 === 0 ? sql.json([{ name: "name", from: nameOf(n), to: nameOf(n + 1) }]) : null},
        ${n % 9 === 0 ? "insufficient_role" : "done"}, 'req_full', ${new Date(at)})`;
  }
  await sql`update domains set status = 'verified', verified_at = now(), next_check_at = now() + interval '1 day' where created_at is not null
    and (hashtext(domain) & 3) = 0`;
  await sql`update domains set ownership_missing_since = now() - interval '5 hours' where status = 'verified' and (hashtext(domain) & 4) = 0`;
  await sql`update domains set status = 'lost', ownership_missing_since = now() - interval '90 hours', next_check_at = now() + interval '1 day'
    where (hashtext(domain) & 3) = 1`;
  await sql`update webhooks set active = false, disabled_at = now(), disabled_reason = 'It failed for five days.' where id in (select id from webhooks order by id limit 3)`;
  await sql`update webhooks set failing_since = now() - interval '2 days' where active and failing_since is not null`;
  const [agent] = await sql`select id, enrollment_key_id from agents order by id limit 1`;
  const statuses = ["fulfilled", "settling", "failed", "expired", "settled", "verified"];
  for (const n of counted(PAYMENTS)) {
    const at = Date.now() - n * HOUR_MS;
    await sql`insert into payments (id, organization_id, enrollment_key_id, agent_id, kind, mailboxes, request_hash, authorization_hash, status, network,
        asset, payer, nonce, pay_to, amount, valid_before, x402_version, from_block, transaction, error, created_at)
      values (${newIdAt(at)}, ${organization}, ${agent?.enrollment_key_id}, ${agent?.id}, ${n % 2 === 0 ? "mailboxes" : "inbox"}, ${n % 2 === 0 ? 1000 : 1},
        ${Buffer.alloc(32)}, ${Buffer.alloc(32)}, ${statuses[n % statuses.length] ?? ""}, 'eip155:84532', ${`0x${"cd".repeat(20)}`}, ${`0x${"12".repeat(20)}`},
        ${`0x${String(n).padStart(64, "0")}`}, ${`0x${"ab".repeat(20)}`}, ${String(10 ** (5 + (n % 7)))}, ${Math.round(at / 1000)}, 2, 1,
        ${n % 6 === 0 ? `0x${"ef".repeat(32)}` : null}, ${n % 6 === 2 ? "The facilitator refused the payment: insufficient_funds" : null}, ${new Date(at)})`;
  }
  await sql`update organizations set paid_provisioning = true where id = ${organization}`;
  const day = new Date().toISOString().slice(0, 10);
  await sql`insert into send_usage (organization_id, inbox_id, day, counted, replies) select organization_id, id, ${day}, 50, 0 from inboxes
    order by id offset 20 limit 12 on conflict (inbox_id, day) do update set counted = 50`;
  await sql`insert into sending_states (inbox_id, organization_id, recent, paused_at, paused_recipients, paused_bounced)
    select id, organization_id, '{}', now(), 100, 12 from inboxes order by id offset 40 limit 4 on conflict do nothing`;
  await sql`insert into storage_usage (organization_id, inbox_id, bytes) select organization_id, id, 1073741824 from inboxes order by id offset 50 limit 3
    on conflict (organization_id, inbox_id) do update set bytes = excluded.bytes`;
  await sql.end();
}

/** Fills the organization of the signed-in owner. Returns the paths of pages that show one thing. */
export async function fillOrganization(look: Look): Promise<Record<string, string>> {
  const { context, baseUrl } = look;
  await call(context, baseUrl, "organization.update", { name: nameOf(0) });
  const webhooks = await addWebhooks(look);
  const made = await addAgents(look);
  const domains = await addRules(look);
  await addMail(look, made.inboxes);
  await addWaiting(look, made);
  for (const n of counted(4)) {
    await call(context, baseUrl, "team.invite", {
      email: `${"an-invited-person-".repeat(3)}${n}@far.example`,
      role: "member",
    });
  }
  await addByHand(look);
  await call(context, baseUrl, "keys.revoke", { id: made.keys.at(-1)?.id });
  const inbox = made.inboxes[0] ?? "";
  const read = <Output>(path: string, input: object) => ask<Output>(context, baseUrl, path, input);
  const [thread] = (await read<{ data: Row[] }>("threads.list", { addr: inbox })).data;
  const [agent] = (await read<{ data: Row[] }>("agents.list", { limit: 1 })).data;
  const [held] = (await read<{ data: Row[] }>("reviews.list", {})).data;
  const [delivery] = (await read<{ data: Row[] }>("webhooks.listDeliveries", { id: webhooks[1] })).data;
  return {
    mail: `/dashboard/mail?inbox=${encodeURIComponent(inbox)}`,
    thread: `/dashboard/mail?inbox=${encodeURIComponent(inbox)}&thread=${thread?.id}`,
    approval: `/dashboard/approvals?id=${held?.id}`,
    domain: `/dashboard/domains?id=${domains[0]}`,
    webhook: `/dashboard/webhooks?id=${webhooks[0]}`,
    delivery: `/dashboard/webhooks?id=${webhooks[1]}&delivery=${delivery?.id}`,
    agent: `/dashboard/agents?id=${agent?.id}`,
    key: `/dashboard/keys?id=${made.keys[0]?.id}`,
  };
}
