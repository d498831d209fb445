// What the tests of paid provisioning share: an agent of an organization that pays, payments by hand, and what must always hold.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { LocalAccount } from "viem";
import { expect } from "vitest";
import { openDatabase } from "#db/client.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { PRICE, type TestNetwork } from "#test/support/payments/network.ts";
import { authorize, payloadV2, type Signed } from "#test/support/payments/signing.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const UNLIMITED = "1000000";
const REPEAT_MS = 100;
const DECIDED_WITHIN_MS = 60_000;

export type Answer = { status: number; body: { id: string; address: string; error?: { code: string } }; text: string };
export type Sql = ReturnType<typeof openDatabase>["sql"];

/** A create over REST with the given payment, without retries. */
export async function create(
  at: { url: string; key: string },
  json: object,
  payload?: string,
  path = "/v1/inboxes",
): Promise<Answer> {
  const answer = await fetch(at.url + path, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${at.key}`,
      "Content-Type": "application/json",
      ...(payload && { "PAYMENT-SIGNATURE": payload }),
    },
    body: JSON.stringify(json),
  });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) };
}

/** One payment that a test follows: its payer pays nothing else. */
export type Order = { payer: LocalAccount; signed: Signed; payload: string; json: { client_id: string } };

let orders = 0;

export async function newOrder(network: TestNetwork, payer?: LocalAccount): Promise<Order> {
  orders += 1;
  const json = { client_id: `order-${orders}` };
  const account = payer ?? (await network.newPayer());
  const signed = await authorize(account, { to: network.payTo, value: PRICE });
  return { payer: account, signed, payload: payloadV2(signed), json };
}

/** Lets every lease end and every look at the chain be due, which a test does not wait for. */
export async function hurry(sql: Sql): Promise<void> {
  await sql`update payments set leased_until = now() - interval '1 second' where leased_until > now()`;
  await sql`update payments set next_look_at = now() where next_look_at > now()`;
}

/** The same payload again and again, until the service knows. */
export async function insist(
  at: { url: string; key: string },
  { json, payload }: { json: object; payload: string },
): Promise<Answer> {
  for (const deadline = Date.now() + DECIDED_WITHIN_MS; ; await sleep(REPEAT_MS)) {
    const answer = await create(at, json, payload);
    if (answer.status !== 503 || Date.now() > deadline) return answer;
  }
}

type Grant = Parameters<TestService["newOrganization"]>[0];

/** The service in this process, with as many connections as by default, and agents of organizations that pay. */
export async function startPaidService(network: TestNetwork, database?: TestService["database"]) {
  const service = await startTestService({ ...network.settings, DATABASE_POOL_SIZE: "10" }, { database });
  const { sql, close } = openDatabase({ url: service.database.url, poolSize: 2 });
  return {
    ...service,
    sql,
    async newPayingAgent(grant?: Grant): Promise<{ url: string; key: string }> {
      const { agentKey } = await service.newOrganization(grant);
      await sql`update organizations set paid_provisioning = true`;
      return { url: service.url, key: agentKey };
    },
    async stop(): Promise<void> {
      await close();
      await service.stop();
    },
  };
}

/**
 * The service as a process that can be killed, and started again on the same rows.
 * @param more settings beside those of a test
 */
export async function startPaidProcess(network: TestNetwork, more: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "mailberth-paid-"));
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    LOG_LEVEL: "warn",
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    RATE_LIMIT_PER_SECOND: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_PER_SECOND: UNLIMITED,
    RATE_LIMIT_ANONYMOUS_BURST: UNLIMITED,
    ...network.settings,
    ...more,
  };
  let service: ServiceProcess = await startProcess(environment);
  const token = /mb_enroll_\w+/.exec(service.output())?.[0];
  const enrolled = await create({ url: service.url, key: "" }, { token, agent_handle: "a" }, undefined, "/v1/enroll");
  const key = (enrolled.body as unknown as { agent_key: string }).agent_key;
  const { sql, close } = openDatabase({ url: database.url, poolSize: 3 });
  await sql`update organizations set paid_provisioning = true`;
  return {
    at: () => ({ url: service.url, key }),
    sql,
    output: () => service.output(),
    kill: () => service.end("SIGKILL"),
    /** One more process on the same database. */
    async second(): Promise<{ at: { url: string; key: string }; stop(): Promise<number | string> }> {
      const own = await startProcess({ ...environment, DATA_DIR: join(folder, "second") });
      return { at: { url: own.url, key }, stop: () => own.end("SIGTERM") };
    },
    /** Again; what the dead one held is free. */
    async start(): Promise<void> {
      service = await startProcess(environment);
      await hurry(sql);
    },
    async stop(): Promise<void> {
      const { exitCode, signalCode } = service.child;
      if (exitCode === null && signalCode === null) await service.end("SIGTERM"); // else a test failed in between
      await close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Money for mailboxes and mailboxes for money: once everything is decided, both sides agree to the last one. */
export async function expectEven(sql: Sql, network: TestNetwork): Promise<void> {
  const paid = (await network.payments()).map(({ transaction, from }) => `${from} ${transaction}`.toLowerCase());
  const rows = await sql<{ payer: string; transaction: string; status: string; mailboxes: number }[]>`
    select payer, transaction, status, mailboxes from payments where status = 'fulfilled'`;
  expect(rows.map(({ payer, transaction }) => `${payer} ${transaction}`.toLowerCase()).sort()).toEqual(paid.sort());
  const [undecided] = await sql`
    select count(*)::int as n from payments where status not in ('fulfilled', 'failed', 'expired')`;
  expect(undecided?.n).toBe(0);
  const [counts] = await sql`
    select (select sum(used_count)::int from enrollment_keys) as used,
      (select count(*)::int from inboxes where status = 'live') as live,
      (select count(*)::int from inboxes where status = 'reserved') as reserved,
      (select count(*)::int from payments where status = 'fulfilled' and kind = 'inbox') as bought`;
  expect(counts).toEqual({ used: counts?.bought, live: counts?.bought, reserved: 0, bought: counts?.bought });
}
