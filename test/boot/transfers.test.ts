// `organizations export` and `organizations import`: one organization moves to another installation, and nothing else does.
import { appendFile, cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyWebhook } from "#client/verify-webhook.ts";
import { connect } from "#db/client.ts";
import { mailsIn, toMbox } from "#db/transfer/mbox.ts";
import { LEFT_OUT, RAW_MAIL, TRANSFERRED } from "#db/transfer/tables.ts";
import { runCommand } from "#server/admin.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";

const ROLES = "web,smtp,worker";
const MAILS = 5;
/** U+2028 ends a line for some readers of lines. */
const TEXT = "Grüße\u2028\n>From me\nFrom you\n";
const folder = await mkdtemp(join(tmpdir(), "mailberth-transfers-"));
const keyFile = join(folder, "transfer.key");
const whole = join(folder, "whole");

let service: TestService;
let client: ReturnType<typeof api>;
let key: string;
let organization: string;
let address: string;
let secret: string;
let exported: Awaited<ReturnType<typeof run>>;

/** A command against a database; that of the first service by default. */
async function run(args: string[], database = service.database.url, more: Record<string, string> = {}) {
  const { DATA_DIR, DEFAULT_DOMAIN, ENCRYPTION_KEY } = service.settings;
  const out: string[] = [];
  const err: string[] = [];
  const code = await runCommand(args, {
    environment: {
      NODE_ENV: "test",
      DATA_DIR,
      DEFAULT_DOMAIN,
      ENCRYPTION_KEY: ENCRYPTION_KEY?.toString("base64") ?? "",
      DATABASE_URL: database,
      WEBHOOK_TARGETS: "any",
      ALLOW_INSECURE_WEBHOOKS: "true",
      ...more,
    },
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

/** The other installation has another ENCRYPTION_KEY. */
const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");
const imported = (from: string, database: TestDatabase, more: Record<string, string> = {}) =>
  run(["organizations", "import", from, "--key", keyFile, "--json"], database.url, {
    ENCRYPTION_KEY: OTHER_KEY,
    ...more,
  });

/** What the API says of the organization. */
async function seenBy(of: typeof client) {
  const read = async (path: string) => (await of.get<{ direction?: string }>(path, { key })).body;
  const { data } = (await read(inboxPath(address, "/messages?limit=100"))) as { data: { id: string }[] };
  const raws = await Promise.all(
    data.map(async ({ id }) =>
      (await of.get<string>(`/v1/messages/${id}/raw`, { key })).text.replace(/"request_id":"[^"]*"/, ""),
    ),
  );
  // `safe_text` stands between markers that differ in each answer.
  const full = await Promise.all(
    data.map(async ({ id }) => ({ ...(await read(`/v1/messages/${id}`)), safe_text: "" })),
  );
  return {
    inboxes: await read("/v1/inboxes"),
    data,
    full,
    raws,
    trash: await read("/v1/trash"),
    quarantined: await read("/v1/messages?quarantined=true"),
    hooks: await read("/v1/webhooks"),
    log: await read("/v1/events"),
  };
}

/** The number of rows of each table of a database. */
async function countsOf(url: string): Promise<Record<string, number>> {
  const sql = connect(url, { max: 1 });
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`;
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await sql<{ count: number }[]>`select count(*)::int from ${sql(name)}`;
    counts[name] = row?.count ?? -1;
  }
  await sql.end();
  return counts;
}

beforeAll(async () => {
  await writeFile(keyFile, Buffer.alloc(32, 5).toString("base64"));
  service = await startTestService({ ROLES });
  client = api(service);
  const made = await service.newOrganization();
  key = made.agentKey;
  address = (await client.createInbox(key)).address;
  const hook = { url: "http://127.0.0.1:9/", events: ["message.received"] };
  secret = (await client.post<{ secret: string }>("/v1/webhooks", hook, { key })).body.secret;
  const attachments = [{ filename: "bytes.bin", content: Buffer.from([0, 9, 10, 13, 92, 255]) }];
  for (let n = 0; n < MAILS; n += 1) {
    await service.mail({ from: "a@far.example", to: address, subject: `tab\t ${n}`, text: TEXT, attachments });
  }
  const mine = {
    to: "b@far.example",
    subject: "out",
    text: "out",
    headers: { "X-Order": "1042" },
    send_at: new Date(Date.now() + 86_400_000).toISOString(),
  };
  await client.post(inboxPath(address, "/send"), mine, { key });
  // Another organization, of which nothing may be in the export.
  const other = await service.newOrganization();
  const theirs = await client.createInbox(other.agentKey);
  await service.mail({ from: "a@far.example", to: theirs.address, subject: "not yours", text: "not yours" });
  await eventually(async () => {
    const { data } = (await seenBy(client)) as { data: { status?: string }[] };
    expect(data.filter(({ status }) => status === "parsed")).toHaveLength(MAILS);
  });
  const [newest] = (await seenBy(client)).data;
  await service.mail({ from: "a@far.example", to: address, subject: "in the trash", text: TEXT, attachments });
  const gone = await eventually(async () => {
    const [mail] = (await seenBy(client)).data;
    if (!mail || mail.id === newest?.id) throw new Error("not there yet");
    return mail;
  });
  await client.delete(`/v1/messages/${gone.id}`, { key });
  const held = (await client.createInbox(key)).address;
  await service.system.sql`
    insert into spam_policies (organization_id, inbox_id, policy)
    select organization_id, id, 'quarantine' from inboxes where address = ${held}`;
  const raw = `From: "PayPal" <a@far.example>\r\nSubject: YOU HAVE WON THE LOTTERY\r\n\r\nClaim your prize: http://bit.ly/x\r\n`;
  await service.mail({ from: "a@far.example", to: held, raw });
  await eventually(async () => {
    expect((await seenBy(client)).quarantined).toMatchObject({ data: [{ inbox: held, quarantined: true }] });
  });
  // A mailbox of this service, which is none of another one.
  await service.system.sql`update messages set local_sender = ${address} where status = 'parsed'`;
  organization = (await client.get<{ org_id: string }>("/v1/auth/me", { key })).body.org_id;
  exported = await run(["organizations", "export", organization, "--to", whole, "--key", keyFile, "--json"]);
});
afterAll(async () => {
  await client.close();
  await service.stop();
  await rm(folder, { recursive: true });
});

test("each table is exported, or left out for a reason", async () => {
  const named = [...TRANSFERRED.map(({ name }) => name), RAW_MAIL, ...Object.keys(LEFT_OUT)];
  expect(named.toSorted()).toEqual(Object.keys(await countsOf(service.database.url)).toSorted());
});

test("an organization in another installation reads, receives and is delivered as before", async () => {
  expect(exported).toMatchObject({ code: 0 });
  expect((await stat(whole)).mode & 0o777).toBe(0o700);
  const files = await Promise.all(
    ["organization.jsonl", "mail.mbox"].map((name) => readFile(join(whole, name), "utf8")),
  );
  expect(files.join("")).not.toMatch(/not yours|whsec_/);
  const database = await createTestDatabase();
  const before = await seenBy(client);
  const { code, stdout, stderr } = await imported(whole, database);
  expect([code, stderr]).toEqual([0, expect.stringContaining(`raw_messages: ${MAILS + 2} rows`)]);
  expect(JSON.parse(stdout)).toMatchObject({ rows: JSON.parse(exported.stdout).rows, mails: MAILS + 2, domains: "" });

  const second = await startTestService({ ROLES, ENCRYPTION_KEY: OTHER_KEY }, { database });
  const other = api(second);
  const after = await seenBy(other);
  const isInbound = ({ direction }: { direction?: string }) => direction === "inbound";
  expect(after.raws).toEqual(before.raws);
  expect(after.full.filter(isInbound)).toEqual(before.full.filter(isInbound));
  expect(after.full.filter((each) => !isInbound(each))).toMatchObject([{ status: "failed" }]);
  expect([after.inboxes, after.hooks, after.log]).toEqual([before.inboxes, before.hooks, before.log]);
  expect(await second.system.sql`select 1 from messages where local_sender is not null`).toEqual([]);
  expect(after.trash).toEqual(before.trash);
  expect(after.quarantined).toEqual(before.quarantined);
  const [gone] = (after.trash as { data: { id: string }[] }).data;
  expect((await other.post(`/v1/messages/${gone?.id}/restore`, undefined, { key })).status).toBe(200);
  expect((await other.get(`/v1/messages/${gone?.id}/raw`, { key })).text).toContain("Subject: in the trash");
  const hook = await startReceiver();
  const [{ id } = { id: "" }] = (after.hooks as { data: { id: string }[] }).data;
  expect((await other.patch(`/v1/webhooks/${id}`, { url: hook.url }, { key })).status).toBe(200);
  await second.mail({ from: "a@far.example", to: address, subject: "after the import" });
  const { body, headers } = await eventually(() => hook.received[0] ?? Promise.reject(new Error("no delivery")));
  expect(verifyWebhook(body, String(headers["x-service-signature"]), secret).message.subject).toBe("after the import");
  await hook.close();
  await other.close();
  await second.stop();
  await database.drop();
});

test("mail goes into an mbox and comes back byte by byte", async () => {
  const mails = ["From a\r\n>From b\r\n", "no newline at the end", "", "\n\nFrom \n", "\r\n>>From \r\n\r\n"].map(
    (text) => Buffer.from(text),
  );
  const file = join(folder, "some.mbox");
  for (const mail of mails) await appendFile(file, toMbox(mail, new Date()));
  const back: Buffer[] = [];
  for await (const mail of mailsIn(file)) back.push(mail);
  expect(back).toEqual(mails);
});

describe("nothing is written, and the error says why,", () => {
  /** A copy of the export with another text in one of its files. */
  async function changed(name: string, file: string, change: (text: string) => string): Promise<string> {
    const copy = join(folder, name);
    await cp(whole, copy, { recursive: true });
    await writeFile(join(copy, file), change(await readFile(join(whole, file), "latin1")), "latin1");
    return copy;
  }
  const rows = "organization.jsonl";
  const mail = "mail.mbox";
  const cases: [string, () => Promise<string>, string][] = [
    ["when a line is cut short", () => changed("cut", rows, (text) => text.slice(0, -20)), "cut short"],
    [
      "when whole lines are missing",
      () => changed("lines", rows, (text) => `${text.split("\n").slice(0, -2).join("\n")}\n`),
      "cut short",
    ],
    [
      "when a row is missing",
      () => changed("row", rows, (text) => text.replace(/^.*"table":"events".*\n/m, "")),
      "events differ",
    ],
    ["when the mail is cut short", () => changed("mbox", mail, (text) => text.slice(0, -20)), "cut short"],
    [
      "when a mail is missing",
      () => changed("mails", mail, (text) => text.slice(0, text.lastIndexOf("From MAILER"))),
      "cut short",
    ],
    ["when there is a mail too many", () => changed("more", mail, (text) => text + text), "more mails"],
    [
      "when a byte of a mail differs",
      () => changed("byte", mail, (text) => text.replace("far.example", "fat.example")),
      "differs",
    ],
    ["when a row is of another organization", () => changed("foreign", rows, foreign), "another organization"],
    [
      "when it names another table",
      () => changed("table", rows, (text) => text.replaceAll('"table":"agents"', '"table":"users"')),
      "rows of users",
    ],
    ["when a newer version made it", () => changed("newer", rows, newer), "The export is of Mailberth 9.9.9"],
    ["when it is another folder", async () => folder, "ENOENT"],
  ];

  let empty: TestDatabase;
  beforeAll(async () => {
    empty = await createTestDatabase();
  });
  afterAll(() => empty.drop());

  test.each(cases)("%s", async (_name, from, words) => {
    const before = await countsOf(empty.url);
    const { code, stderr } = await imported(await from(), empty);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(await countsOf(empty.url)).toEqual(before);
  });

  test("with another key", async () => {
    const wrong = join(folder, "wrong.key");
    await writeFile(wrong, Buffer.alloc(32, 6).toString("base64"));
    const { code, stderr } = await run(["organizations", "import", whole, "--key", wrong]);
    expect([code, stderr]).toEqual([1, "The export was made with another key. Name the file of its key with --key.\n"]);
  });

  test("without a key, and with an invalid key", async () => {
    const none = join(folder, "none.key");
    await writeFile(none, "short");
    expect((await run(["organizations", "import", whole])).stderr).toContain("required option '--key <file>'");
    expect((await run(["organizations", "import", whole, "--key", none])).stderr).toContain("32 bytes in base64");
  });

  test("when the organization is there already", async () => {
    const { code, stderr } = await run(["organizations", "import", whole, "--key", keyFile]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("is here already")]);
  });

  test("when an address of it is taken", async () => {
    const database = await createTestDatabase();
    const second = await startTestService({}, { database });
    const other = api(second);
    const { agentKey } = await second.newOrganization();
    await other.post("/v1/inboxes", { username: address.split("@")[0] }, { key: agentKey });
    const { code, stderr } = await imported(whole, database);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`The address ${address} is taken here.`)]);
    await other.close();
    await second.stop();
    await database.drop();
  });

  test("when the folder of a new export exists, and when there is no such organization", async () => {
    const at = (name: string, to: string) => run(["organizations", "export", name, "--to", to, "--key", keyFile]);
    expect((await at(organization, whole)).stderr).toBe(`${whole} exists. Name another folder, or remove it first.\n`);
    expect((await at("Nowhere", join(folder, "new"))).stderr).toContain("There is no organization Nowhere.");
  });

  /** The rows of one table say that they are another organization's. */
  function foreign(text: string): string {
    const other = "0190b1a2-0000-7000-8000-000000000000";
    return text.replace(/^.*"table":"threads".*$/m, (line) =>
      line.replace(/("organization_id": ?")[^"]+/, `$1${other}`),
    );
  }
  const newer = (text: string) =>
    text.replace(/"version":"[^"]+","migration":\d+/, '"version":"9.9.9","migration":99999999999999');
});
