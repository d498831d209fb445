// Runs every query of the API, mail in both directions and the worker on a large database, and reads from PostgreSQL's own
// record that no statement reads or sorts more than 10,000 rows, except those named here.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "#db/client.ts";
import { makePartitions } from "#db/partitions.ts";
import { appRouter } from "#server/api/router.ts";
import { FIRST_ID } from "#server/base/id-range.ts";
import { size } from "#test/sizes.ts";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { eventually } from "#test/support/events.ts";
import {
  asGiven,
  furnish,
  namedBy,
  OTHER_INPUT,
  type Procedure,
  procedures,
  type Things,
} from "#test/support/named-inputs.ts";
import { type Executed, recordPlans } from "#test/support/plans.ts";
import { startTestService } from "#test/support/service.ts";
import { BIG_BOX, LABELS, makeMail, smallBox, WORDS } from "../../bench/support/mail-data.ts";

const MAILS = size("PLANNED_MAILS");
const ROWS_MAX = 10_000;
/** A thread with so many messages that could not be parsed, and how many of them a reply may read. */
const LONG_THREAD = 12_000;
const LONG_BOX = smallBox(2);
const READ_OF_THREAD_MAX = 24;
const SETUP_TIMEOUT_MS = 3_600_000;
const WEBHOOKS = 500;
const STATEMENTS_MIN = 150;
/** Mailboxes of a restricted key: as many as are read from an index each. */
const SOME_BOXES = 100;
const DAY_MS = 86_400_000;
/** Days of attempts, each a partition. */
const PARTITIONS = 30;
/** Queries that end only with their caller. */
const ENDLESS = new Set(["events.stream"]);

/** Nothing listens there: deliveries are tried, and wait. */
const UNREACHABLE = "http://127.0.0.1:1/";

/** The furnished message has no HTML, and is not held for a review. The draft has no files. */
const WITHOUT = new Set(["messages.shownHtml", "reviews.get", "drafts.attachment"]);

/** Statements that may read more, by a part of their text, and why. */
const NAMED: [part: string, why: string][] = [
  [
    '"storage_usage"."bytes" as used, q.quota',
    "the overview reads the storage of each mailbox; a counter of full ones would slow each mail",
  ],
  ['"inboxes"."address", "send_usage"."counted"', "the overview reads each mailbox that sent today"],
  ['sum("counted" + "replies")::int', "the overview reads each mailbox that sent in 14 days"],
  [
    'from "suppressions" where "suppressions"."organization_id" = $1 limit',
    "an addition counts the suppressions of its organization",
  ],
  ["with others as materialized", "a revocation compares the agent keys of all other enrollment keys"],
];

/** Filters of a list of messages, each with the largest mailbox. */
const FILTERS: Record<string, string>[] = [
  {},
  { direction: "inbound" },
  { direction: "outbound" },
  { unread: "true" },
  { risky: "true" },
  { risky: "true", unread: "true" },
  { unread: "false", subject: "zzz-none" },
  { subject: "zzz-none" },
  { from: "zzz-none" },
  { from: "sender-7@sender.example" },
  { to: "zzz-none" },
  { label: LABELS.common },
  { label: LABELS.rare },
  { label: "zzz-none" },
  { q: WORDS.everywhere },
  { q: WORDS.common },
  { q: WORDS.rare },
  { q: WORDS.everywhere, from: "zzz-none" },
  { q: WORDS.everywhere.slice(0, 4) },
  { q: WORDS.rare.slice(0, 5) },
  { q: "zzz-none" },
];

type Rig = Awaited<ReturnType<typeof open>>;

async function open() {
  const database = await createTestDatabase();
  const record = await recordPlans(database.url);
  const service = await startTestService({}, { database: { ...database, url: record.url } });
  const organization = await service.newOrganization({ maxMailboxes: 2 * MAILS });
  await makeMail(database.url, MAILS);
  const inboxes = [BIG_BOX, ...Array.from({ length: SOME_BOXES - 1 }, (_, n) => smallBox(n))];
  const some = await service.newAgentKey(organization.enrollmentKeyId, { inboxes });
  await makeMore(database.url);
  // Until here, tables were without their indexes.
  record.executed.length = 0;
  const large = await furnish(service, "plans.example", organization);
  const client = api(service);
  return {
    url: database.url,
    record,
    service,
    large,
    /** A key for some mailboxes. */
    some: some.key,
    client,
    async close() {
      await client.close();
      await service.stop();
      await record.close();
      await database.drop();
    },
  };
}

/** As many rows in the other tables that grow, all of the one organization. */
async function makeMore(url: string): Promise<void> {
  const sql = connect(url, { max: 1, fetch_types: false, onnotice: () => {} });
  const numbers = sql`generate_series(1, ${MAILS}::int) n`;
  const agent = sql`(select * from agents limit 1) a`;
  await sql`
    insert into storage_usage (organization_id, inbox_id, bytes, quota)
    select organization_id, id, 4096, 1073741824 from inboxes on conflict do nothing`;
  await sql`
    insert into send_usage (organization_id, inbox_id, day, counted, replies)
    select organization_id, id, (now() at time zone 'UTC')::date, 1, 0 from inboxes`;
  await sql`
    insert into suppressions (id, organization_id, inbox_id, address, reason, created_at)
    select gen_random_uuid(), a.organization_id, ${FIRST_ID}::uuid, n || '@gone.example', 'bounced', now() from ${numbers}, ${agent}`;
  await sql`
    insert into agents (id, organization_id, enrollment_key_id, handle, created_at)
    select gen_random_uuid(), a.organization_id, a.enrollment_key_id, 'agent-' || n, now() from ${numbers}, ${agent}`;
  await sql`
    insert into agent_keys (id, organization_id, agent_id, secret_hash, scopes, created_at)
    select gen_random_uuid(), organization_id, id, ''::bytea, '{}', now() from agents where handle like 'agent-%'`;
  await sql`
    insert into webhooks (id, organization_id, url, events, secret, active, created_at)
    select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, a.organization_id, 'https://a.example/' || n, '{message.received}', ''::bytea, false, now()
    from generate_series(1, ${WEBHOOKS}::int) n, ${agent}`;
  await sql`
    insert into deliveries (id, organization_id, webhook_id, event_id, status, created_at, completed_at)
    select e.id, e.organization_id, w.id, e.id, 'succeeded', e.created_at, e.created_at
    from events e, (select id from webhooks order by id limit 1) w`;
  await makePartitions(sql, "delivery_attempts", { now: new Date(), width: 1, ahead: PARTITIONS });
  await sql`
    insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
    select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint + n * ${PARTITIONS * DAY_MS}::bigint / ${MAILS}::bigint), 12, '0')
      || lpad(to_hex(n), 20, '0'))::uuid, organization_id, webhook_id, id, 1, now(), 1, '[]'
    from (select *, row_number() over (order by id) n from deliveries) d`;
  await sql`
    insert into messages select b.* from messages m, generate_series(1, ${LONG_THREAD}::int) n,
      jsonb_populate_record(m, jsonb_build_object('status', 'unparsed', 'text', null, 'extracted_text', null,
        'safe_text', null, 'rfc_message_id', 'long-' || n || '@sender.example',
        'id', lpad(to_hex(1700000000000 + n), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))) b
    where m.id = (select min(m.id::text)::uuid from messages m join inboxes i on i.id = m.inbox_id where i.address = ${LONG_BOX})`;
  await sql`analyze`;
  await sql.end();
}

/** Calls a query as an owner, and returns its status. */
async function call({ service, large }: Rig, { path, fields }: Procedure, things: Things): Promise<number> {
  const named = fields.flatMap(([field, type]) => {
    const kind = namedBy(path, field);
    return kind && !type.safeParse(undefined).success ? [[field, asGiven(field, things[kind])]] : [];
  });
  const input = JSON.stringify({ ...Object.fromEntries(named), ...OTHER_INPUT[path] });
  const answer = await fetch(`${service.url}/trpc/${path}?input=${encodeURIComponent(input)}`, {
    headers: { cookie: large.people.owner.cookie, origin: service.url },
  });
  await answer.text();
  return answer.status;
}

/**
 * Work that waits for something else, e.g. for an endpoint that is down, in the state of each queue. It comes after the statistics, and after
 * the statements were planned. It is due before a schedule ends: the worker makes due what is later.
 */
async function makeBacklog(url: string): Promise<void> {
  const sql = connect(url, { max: 1, fetch_types: false, onnotice: () => {} });
  const due = sql`now() + interval '8 minutes'`;
  await sql`
    insert into deliveries (id, organization_id, webhook_id, event_id, status, next_attempt_at, created_at)
    select gen_random_uuid(), organization_id, webhook_id, event_id, 'pending', ${due}, created_at from deliveries`;
  for (const [status, direction] of [
    ["received", "inbound"],
    ["queued", "outbound"],
  ] as const) {
    await sql`
      insert into messages select b.* from messages m, jsonb_populate_record(m, jsonb_build_object(
        'id', gen_random_uuid(), 'status', ${status}::text, 'direction', ${direction}::text, 'next_attempt_at', ${due},
        'duplicate_key', null, 'idempotency_key', null)) b limit ${MAILS}`;
  }
  await sql.end();
}

/** Changes mailboxes, messages and threads, sends, receives, delivers and waits. */
async function change({ client, service, large }: Rig): Promise<void> {
  const { agentKey: key } = large;
  const { address } = await client.createInbox(key, { inbound_webhook_url: UNREACHABLE });
  await service.mail({ from: "someone@else.example", to: address, subject: "planned" });
  const wait = await client.post<{ message: { id: string; thread_id: string } | null }>(
    inboxPath(address, "/wait"),
    { after: "2020-01-01T00:00:00Z", timeout_seconds: 30 },
    { key },
  );
  const { id = "", thread_id = "" } = wait.body.message ?? {};
  const sent = await client.post<Sent>(inboxPath(BIG_BOX, "/send"), { to: "a@else.example", text: "x" }, { key });
  expect(sent.status).toBe(202);
  expect((await client.post(`/v1/messages/${id}/reply`, { text: "x" }, { key })).status).toBe(202);
  expect((await client.patch(`/v1/messages/${id}`, { read: true, labels: ["a"] }, { key })).status).toBe(200);
  const { threads } = large.people.owner.trpc;
  const marks = { ids: [thread_id], read: true, add_label: "b", remove_label: "a" };
  expect(await threads.mark.mutate(marks)).toEqual({ threads: 1 });
  expect(await threads.mark.mutate({ ids: [thread_id], read: false })).toEqual({ threads: 1 });
  expect(await threads.removeMany.mutate({ ids: [thread_id] })).toEqual({ threads: 1 });
  expect((await client.delete(inboxPath(address), { key })).status).toBe(200);
  await eventually(async () =>
    expect((await client.get(`/v1/messages/${sent.body.id}`, { key })).text).toContain('"captured"'),
  );
}

/** The rows that a statement read in its largest step; the statements with the most come first. */
function largest(executed: Executed[]): string[] {
  const worst = new Map<string, { read: number; does: string }>();
  for (const { statement, steps } of executed) {
    for (const step of steps) if (step.read > (worst.get(statement)?.read ?? ROWS_MAX)) worst.set(statement, step);
  }
  return [...worst]
    .filter(([statement]) => !NAMED.some(([part]) => statement.includes(part)))
    .toSorted(([, a], [, b]) => b.read - a.read)
    .map(([statement, { read, does }]) => `${read} rows, ${does}: ${statement.slice(0, 300)}`);
}

describe(`a database of ${MAILS} mails and mailboxes`, () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await open();
  }, SETUP_TIMEOUT_MS);
  afterAll(() => rig?.close());

  const queries = procedures.filter(({ path, type, meta }) => type === "query" && meta.role && !ENDLESS.has(path));

  test.each(queries.map((query) => [query.path, query] as const))("%s", async (_, query) => {
    const { things } = rig.large;
    expect(await call(rig, query, things)).toBe(WITHOUT.has(query.path) ? 404 : 200);
    if (query.fields.some(([field]) => namedBy(query.path, field) === "inbox")) {
      expect(await call(rig, query, { ...things, inbox: BIG_BOX })).toBe(200);
    }
  });

  test.each(FILTERS)("messages by %o", async (filters) => {
    const { agentKey: key } = rig.large;
    for (const box of [BIG_BOX, smallBox(1)]) {
      const path = `${inboxPath(box, "/messages")}?${new URLSearchParams({ limit: "50", ...filters })}`;
      expect((await rig.client.get<Page<unknown>>(path, { key })).status).toBe(200);
    }
  });

  test.each([...FILTERS, { from: "nobody@sender.example" }])(
    "messages of all and of some mailboxes by %o",
    async (filters) => {
      const { some, large, client } = rig;
      for (const key of [large.agentKey, some]) {
        const path = `/v1/messages?${new URLSearchParams({ limit: "50", ...filters })}`;
        expect((await client.get<Page<unknown>>(path, { key })).status).toBe(200);
      }
    },
  );

  test("threads of all and of some mailboxes", async () => {
    const { some, large, client } = rig;
    for (const key of [large.agentKey, some]) {
      expect((await client.get<Page<unknown>>("/v1/threads?limit=50", { key })).status).toBe(200);
    }
  });

  test("changes, mail in both directions, deliveries and waits, without and with a backlog", async () => {
    await change(rig);
    await makeBacklog(rig.url);
    await change(rig);
  });

  test("a reply in a long thread reads its latest messages alone", async () => {
    const { client, service, large, record } = rig;
    const path = inboxPath(LONG_BOX, "/wait");
    const after = new Date().toISOString();
    const headers = { "In-Reply-To": `<long-${LONG_THREAD}@sender.example>` };
    await service.mail({ from: "someone@else.example", to: LONG_BOX, subject: "Re: long", headers });
    const wait = await client.post(path, { after, timeout_seconds: 30 }, { key: large.agentKey });
    expect(wait.text).toContain("Re: long");
    const loads = record.executed.filter(({ statement }) => statement.includes('"recent"'));
    const most = loads.flatMap(({ steps }) => steps.map(({ read }) => read));
    expect(Math.max(...most)).toBeGreaterThan(0);
    expect(Math.max(...most)).toBeLessThanOrEqual(READ_OF_THREAD_MAX);
  });

  test("no statement reads or sorts more than 10,000 rows", () => {
    const { executed } = rig.record;
    expect(new Set(executed.map(({ statement }) => statement)).size).toBeGreaterThan(STATEMENTS_MIN);
    expect(largest(executed)).toEqual([]);
  });

  test("every named statement was executed, and reads that many", () => {
    const { executed } = rig.record;
    for (const [part] of NAMED) {
      const own = executed.filter(({ statement }) => statement.includes(part));
      const most = Math.max(0, ...own.flatMap(({ steps }) => steps.map(({ read }) => read)));
      expect([part, most > ROWS_MAX]).toEqual([part, true]);
    }
  });
});

test("the queries are those of the router", () => {
  expect(procedures.length).toBe(Object.keys(appRouter._def.procedures).length);
});
