// `organizations import` of an export that its author changed, with correct hashes and codes: it gets nothing of other organizations.
import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sql } from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "#db/client.ts";
import { endCode, opened, withSecrets } from "#db/transfer/format.ts";
import { TRANSFERRED } from "#db/transfer/tables.ts";
import { runCommand } from "#server/admin.ts";
import { decodeId, newId } from "#server/base/ids.ts";
import { newToken, secretBox, tokenHash } from "#server/base/secrets.ts";
import { addGranted } from "#server/domains/granted.ts";
import { claimDomains } from "#server/grants/domain-grants.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { newOwner, type Person } from "#test/support/team.ts";

type Row = Record<string, unknown>;
/** The rows of each table, which a test changes. */
type Rows = Map<string, Row[]>;
type Change = (rows: Rows) => void;

const TRANSFER_KEY = Buffer.alloc(32, 5);
const VICTIMS_DOMAIN = "victim.example.com";
const OWN_DOMAIN = "forger.example.com";
const LONG_AGO = "2020-01-01T00:00:00+00:00";
const OTHER_DOMAIN = "bank.example.com";
const folder = await mkdtemp(join(tmpdir(), "mailberth-forged-"));
const keyFile = join(folder, "transfer.key");
const genuine = join(folder, "genuine");

/** `there` made the export; `here` imports it, and has the organization of the victim. */
let there: TestService;
let here: TestService;
let client: ReturnType<typeof api>;
let sql: Sql;
let forger: { organization: string; agentKey: string; address: string };
let victim: { organization: string; agentId: string; agentKey: string; inbox: string; thread: string; message: string };
let person: Person;
let made = 0;

async function run(service: TestService, args: string[]) {
  const { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY } = service.settings;
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(args, {
    environment: {
      NODE_ENV: "test",
      DATA_DIR,
      DEFAULT_DOMAIN,
      ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "",
      DATABASE_URL: service.database.url,
      WEBHOOK_TARGETS: "public",
    },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

const uuidOf = (id: string) => decodeId(id.split("_")[0] as Parameters<typeof decodeId>[0], id) ?? "";

/** Writes a copy of the export with other rows, and hashes and a code that fit them. */
async function forged(change: Change): Promise<string> {
  made += 1;
  const copy = join(folder, `forged-${made}`);
  await cp(genuine, copy, { recursive: true });
  const file = join(copy, "organization.jsonl");
  const lines = (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const rows: Rows = new Map(TRANSFERRED.map(({ name }) => [name, []]));
  for (const { table, row } of lines) if (table && table !== "raw_messages") rows.get(table)?.push(row);
  change(rows);
  const box = secretBox(TRANSFER_KEY);
  const { header } = lines[0];
  if (rows.has("header")) header.organization = rows.get("header")?.[0]?.id;
  rows.delete("header");
  const tables: Record<string, { rows: number; sha256: string }> = {};
  const text = [JSON.stringify({ header })];
  for (const [name, all] of rows) {
    const table = TRANSFERRED.find((each) => each.name === name) ?? { name, order: [] };
    const hash = createHash("sha256");
    for (const row of all) {
      // As PostgreSQL writes it.
      const [written] = await sql<{ row: string }[]>`select ${JSON.stringify(row)}::text::jsonb::text as row`;
      hash.update(withSecrets(table, written?.row ?? "", opened(box)));
      text.push(`{"table":"${name}","row":${written?.row}}`);
    }
    tables[name] = { rows: all.length, sha256: hash.digest("hex") };
  }
  for (const line of lines) if (line.table === "raw_messages") text.push(JSON.stringify(line));
  tables.raw_messages = lines.at(-1).end.tables.raw_messages;
  text.push(JSON.stringify({ end: { tables, mac: endCode(box, tables) } }));
  await writeFile(file, `${text.join("\n")}\n`);
  return copy;
}

const importOf = async (change: Change) =>
  run(here, ["organizations", "import", await forged(change), "--key", keyFile, "--json"]);

/** The row of a table that every export has, or the first of them. */
function first(rows: Rows, table: string, where: (row: Row) => boolean = () => true): Row {
  const found = rows.get(table)?.find(where);
  if (!found) throw new Error(`the export has no such row of ${table}`);
  return found;
}
const set = (table: string, values: Row, where?: (row: Row) => boolean): Change => {
  return (rows) => void Object.assign(first(rows, table, where), values);
};
const add = (table: string, row: (rows: Rows) => Row): Change => {
  return (rows) => void rows.get(table)?.push(row(rows));
};
const own = (rows: Rows) => ({ organization_id: first(rows, "organizations").id });
const ownInbox = (rows: Rows) => ({ ...own(rows), inbox_id: first(rows, "inboxes").id });
/** As PostgreSQL writes it. */
const now = new Date().toISOString().replace(/\.\d+Z$/, "+00:00");

/** A key whose token the author of the export knows. */
function agentKeyFor(agentId: string, organizationId?: string) {
  const id = newId();
  const token = newToken("agent", id);
  const row = (rows: Rows): Row => ({
    ...first(rows, "agent_keys"),
    id,
    ...(organizationId && { organization_id: organizationId }),
    agent_id: agentId,
    secret_hash: `\\x${tokenHash(token).toString("hex")}`,
  });
  return { token, row };
}

async function placesOf(service: TestService) {
  const tables = ["organizations", "agents", "agent_keys", "inboxes", "threads", "messages", "webhooks", "domains"];
  const db = connect(service.database.url, { max: 1 });
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const [row] = await db<{ count: number }[]>`select count(*)::int from ${db(table)}`;
    counts[table] = row?.count ?? -1;
  }
  await db.end();
  return counts;
}

beforeAll(async () => {
  await writeFile(keyFile, TRANSFER_KEY.toString("base64"));
  there = await startTestService({ ROLES: "web,smtp,worker" });
  here = await startTestService({ ROLES: "web,smtp,worker" });
  sql = connect(here.database.url, { max: 1 });
  const elsewhere = api(there);
  client = api(here);

  const theirs = await there.newOrganization();
  const { address } = await elsewhere.createInbox(theirs.agentKey);
  await there.mail({ from: "a@far.example", to: address, subject: "hello" });
  const hook = { url: "https://hooks.example.com/", events: ["message.received"] };
  const registered = await elsewhere.post("/v1/webhooks", hook, { key: theirs.agentKey });
  expect(registered.status).toBe(201);
  await elsewhere.post(
    inboxPath(address, "/send"),
    {
      to: "stranger@far.example",
      subject: "offer",
      text: "offer",
      send_at: new Date(Date.now() + 86_400_000).toISOString(),
    },
    { key: theirs.agentKey },
  );
  forger = { organization: uuidOf(theirs.organizationId), agentKey: theirs.agentKey, address };
  const exported = await run(there, [
    "organizations",
    "export",
    forger.organization,
    "--to",
    genuine,
    "--key",
    keyFile,
  ]);
  expect(exported).toMatchObject({ code: 0 });
  await elsewhere.close();

  const mine = await here.newOrganization();
  const inbox = await client.createInbox(mine.agentKey);
  await here.mail({ from: "b@far.example", to: inbox.address, subject: "private" });
  const [message] = await sql<{ id: string; thread_id: string }[]>`select id, thread_id from messages`;
  victim = {
    organization: uuidOf(mine.organizationId),
    agentId: uuidOf(mine.agentId),
    agentKey: mine.agentKey,
    inbox: uuidOf(inbox.id),
    thread: message?.thread_id ?? "",
    message: message?.id ?? "",
  };
  const claim = { organizationId: victim.organization, domains: [VICTIMS_DOMAIN], enrollmentKeyId: null };
  await here.system.db.transaction((tx) => claimDomains(tx, here.system, claim));
  // The worker would add the granted domain during a test.
  await addGranted(here.system);
  person = await newOwner(here, mine.organizationId);
});
afterAll(async () => {
  await sql.end();
  await client.close();
  await Promise.all([here.stop(), there.stop()]);
  await rm(folder, { recursive: true });
});

describe("an import is refused whole", () => {
  const mailbox = (address: string) => (rows: Rows) =>
    Object.assign(first(rows, "inboxes"), { address, domain: address.split("@")[1] });
  const cases: [string, () => Change, RegExp][] = [
    [
      "with a key of another organization's agent",
      () => add("agent_keys", agentKeyFor(victim.agentId).row),
      /refers to a row that is not of this organization/,
    ],
    [
      "with rows for an organization that is here, and no organization",
      () => (rows) => {
        const key = agentKeyFor(victim.agentId, victim.organization).row(rows);
        rows.set("header", [{ id: victim.organization }]);
        for (const name of rows.keys()) if (name !== "header") rows.set(name, []);
        rows.set("agent_keys", [key]);
      },
      /is here already/,
    ],
    ["with a reserved name at DEFAULT_DOMAIN", () => mailbox("admin@mail.example"), /admin is reserved/],
    ["with the address of a person", () => mailbox(person.email), /that of a person who has an account/],
    [
      "with a domain of another organization",
      () => mailbox(`ceo@${VICTIMS_DOMAIN}`),
      /is granted to another organization here/,
    ],
    ["with a domain below DEFAULT_DOMAIN", () => mailbox("a@b.mail.example"), /below it/],
    ["with an address that is no mailbox", () => mailbox("A+b@mail.example"), /address is none/],
    [
      "with a mailbox of another organization's agent",
      () => set("inboxes", { agent_id: victim.agentId }),
      /not of this organization/,
    ],
    [
      "with a thread in another organization's mailbox",
      () => set("threads", { inbox_id: victim.inbox }),
      /not of this organization/,
    ],
    [
      "with a message in another organization's mailbox",
      () => set("messages", { inbox_id: victim.inbox }),
      /not of this organization/,
    ],
    [
      "with a message in another organization's thread",
      () => set("messages", { thread_id: victim.thread }),
      /not of this organization/,
    ],
    [
      "with a webhook for another organization's mailbox",
      () => set("webhooks", { inbox_id: victim.inbox }),
      /not of this organization/,
    ],
    [
      "with an outcome of another organization's message",
      () => set("message_recipients", { message_id: victim.message }),
      /not of this organization/,
    ],
    [
      "with a pause of another organization's mailbox",
      () =>
        add("sending_states", (rows) => ({
          ...own(rows),
          inbox_id: victim.inbox,
          recent: [],
          bounced: [],
          complained: [],
          paused_at: now,
          paused_recipients: 100,
          paused_bounced: 100,
          paused_complained: 0,
        })),
      /not of this organization/,
    ],
    [
      "with a key that uses another organization's budget",
      () => set("agent_keys", { budget_key_ids: [decodeId("akey", `akey_${victim.agentKey.split("_")[2]}`)] }),
      /not of this organization/,
    ],
    ["with an id that another organization has", () => set("messages", { id: victim.message }), /already/],
    [
      "with a webhook into the network of the service",
      () => set("webhooks", { url: "https://10.0.0.1/" }),
      /not on the public internet/,
    ],
    ["with a webhook at the database", () => set("webhooks", { url: "https://127.0.0.1/" }), /cannot be a webhook/],
    [
      "with more mailboxes than the quota",
      () => set("enrollment_keys", { max_mailboxes: 0 }),
      /more mailboxes than its quota/,
    ],
    [
      "with members",
      () => (rows) => rows.set("members", [{ id: newId(), user_id: newId(), role: "owner" }]),
      /rows of members/,
    ],
    ["with accounts", () => (rows) => rows.set("users", [{ id: newId(), email: "x@people.example" }]), /rows of users/],
    [
      "with a queued message that is still to be sent",
      () => set("messages", { status: "queued", next_attempt_at: now }, (row) => row.direction === "outbound"),
      /rows of messages differ/,
    ],
    ["with an unknown state", () => set("inboxes", { status: "eternal" }), /status has an unknown state/],
    [
      "with an unknown scope",
      () => set("agent_keys", { scopes: ["everything"] }),
      /scopes has an entry that has an unknown state/,
    ],
    [
      "with a time in the future",
      () => set("messages", { created_at: "2999-01-01T00:00:00+00:00" }),
      /created_at is in the future/,
    ],
    [
      "with an id from the future",
      () => set("events", { id: "7fffffff-ffff-7000-8000-000000000000" }),
      /time in the past/,
    ],
    ["with a negative count", () => set("agent_keys", { sent_count: -1 }), /sent_count is not a number in its range/],
    [
      "with an unknown note",
      () => set("messages", { reading: { complete: true, notes: ["fine"] } }),
      /reading has another form/,
    ],
    ["with JSON of another form", () => set("inboxes", { metadata: { nested: [] } }), /metadata has another form/],
    ["with a column that there is not", () => set("agents", { is_admin: true }), /column "is_admin"/],
    ["with a name that is too long", () => set("agents", { handle: "x".repeat(1_000) }), /handle is longer/],
    ["with a name that controls the terminal", () => set("organizations", { name: "\u001b[2J" }), /control characters/],
    ["with a claim on DEFAULT_DOMAIN", () => add("domains", (rows) => claimed(rows, "mail.example")), /DEFAULT_DOMAIN/],
  ];

  test.each(cases)("%s", async (_name, change, words) => {
    const before = await placesOf(here);
    const { code, stderr } = await importOf(change());
    expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect(await placesOf(here)).toEqual(before);
  });
});

/** A claim that says that it was verified, with a token that its author knows. */
function claimed(rows: Rows, domain: string): Row {
  return {
    ...own(rows),
    id: newId(),
    domain,
    token: "known",
    status: "verified",
    records: [],
    provider: null,
    ownership_missing_since: null,
    verified_at: now,
    last_checked_at: now,
    next_check_at: now,
    created_at: now,
  };
}

test("a line that would fill the memory is refused", async () => {
  const copy = await forged(() => {});
  const file = join(copy, "organization.jsonl");
  const [header] = (await readFile(file, "utf8")).split("\n", 1);
  await writeFile(file, Buffer.concat([Buffer.from(`${header}\n`), Buffer.alloc(257 * 1024 * 1024, "x")]));
  const { code, stderr } = await run(here, ["organizations", "import", copy, "--key", keyFile]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("is longer than")]);
  await rm(copy, { recursive: true });
});

test("a key of one organization for an agent of another cannot be stored", async () => {
  const wrong = sql`
    insert into agent_keys (id, organization_id, agent_id, secret_hash, scopes, created_at)
    values (${newId()}, ${newId()}, ${victim.agentId}, '', '{}', now())`;
  await expect(wrong).rejects.toThrow(/foreign key/);
});

describe("of an export that is imported, nothing is believed that", () => {
  let answer: { organization: string; domains: string; claims: string; owners: string };
  beforeAll(async () => {
    const { code, stdout, stderr } = await importOf((rows) => {
      set("organizations", { owner_emails: ["stranger@far.example"] })(rows);
      set("enrollment_keys", { prepaid: 1_000, used_count: 0, max_mailboxes: 100 })(rows);
      add("domains", (all) => claimed(all, OWN_DOMAIN))(rows);
      add("domain_grants", (all) => ({
        ...own(all),
        id: newId(),
        domain: OTHER_DOMAIN,
        enrollment_key_id: null,
        granted_by: "operator",
        revoked_at: null,
        created_at: now,
      }))(rows);
      const [box] = rows.get("inboxes") ?? [];
      for (const domain of [OWN_DOMAIN, OTHER_DOMAIN]) {
        rows.get("inboxes")?.push({ ...box, id: newId(), domain, address: `ceo@${domain}`, client_id: null });
      }
      for (const row of rows.get("inboxes") ?? []) {
        Object.assign(row, { created_at: LONG_AGO, identity_next_attempt_at: LONG_AGO });
      }
      // What an earlier version exported.
      if (rows.has("correspondents")) {
        add("correspondents", (all) => ({
          ...ownInbox(all),
          address: "stranger@far.example",
          proof: "aligned",
          created_at: now,
        }))(rows);
      }
    });
    expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
    answer = JSON.parse(stdout);
  });

  test("gives it a domain: grants are shown, and claims must be proven with a new record", async () => {
    expect(answer).toMatchObject({ domains: OTHER_DOMAIN, claims: OWN_DOMAIN });
    const [claim] = await sql`select status, token, verified_at from domains where domain = ${OWN_DOMAIN}`;
    expect(claim).toMatchObject({
      status: "pending",
      verified_at: null,
      token: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
    const me = await client.get<{ allowed_domains: string[] }>("/v1/auth/me", { key: forger.agentKey });
    expect(me.body.allowed_domains).toEqual(["mail.example"]);
    const grants =
      await sql`select from domain_grants where organization_id = ${forger.organization} and revoked_at is null`;
    expect(grants).toHaveLength(0);
  });

  test("makes the service write to strangers: addresses of owners are shown only", async () => {
    expect(answer.owners).toBe("stranger@far.example");
    const [row] = await sql`select owner_emails from organizations where id = ${forger.organization}`;
    expect(row?.owner_emails).toEqual([]);
  });

  test("counts: mailboxes, prepaid ones, stored bytes and positions are counted again", async () => {
    const [key] =
      await sql`select used_count, prepaid from enrollment_keys where organization_id = ${forger.organization}`;
    expect(key).toEqual({ used_count: 3, prepaid: 0 });
    const [stored] = await sql`
      select bytes from storage_usage where organization_id = ${forger.organization} and inbox_id = '00000000-0000-0000-0000-000000000000'`;
    expect(Number(stored?.bytes)).toBe(2 * 4_096);
    const [position] = await sql`
      select last = (select max(position) from events e where e.organization_id = p.organization_id) as fits
      from event_positions p where organization_id = ${forger.organization}`;
    expect(position?.fits).toBe(true);
  });

  test("raises the cap of sends: it starts as that of a new mailbox, without people who wrote first", async () => {
    const { body } = await client.get<{ step: number }>(inboxPath(forger.address, "/send-limit"), {
      key: forger.agentKey,
    });
    expect(body.step).toBe(1);
    expect(await sql`select from correspondents where organization_id = ${forger.organization}`).toHaveLength(0);
  });

  test("sends mail: waiting messages have failed, and the provider's ids are forgotten", async () => {
    const rows =
      await sql`select status, provider_message_id from messages where organization_id = ${forger.organization} and direction = 'outbound'`;
    expect([...rows]).toEqual([{ status: "failed", provider_message_id: null }]);
  });

  test("a mailbox on a domain that is not proven cannot send", async () => {
    const mail = { to: "stranger@far.example", subject: "pay", text: "pay" };
    const [row] = await sql`
      select bool_and(revoked_at is not null) as revoked from domain_grants
      where organization_id = ${forger.organization} and domain = ${OTHER_DOMAIN}`;
    expect(row?.revoked).toBe(true);
    const relayed = await startTestService(
      { ROLES: "web", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: "smtp://127.0.0.1:9" },
      { database: here.database },
    );
    const other = api(relayed);
    const answered = await other.post<{ error: { code: string } }>(inboxPath(`ceo@${OTHER_DOMAIN}`, "/send"), mail, {
      key: forger.agentKey,
    });
    expect([answered.status, answered.body.error?.code]).toEqual([409, "domain_not_ready"]);
    await other.close();
    await relayed.stop();
  });
});
