// Peers of the webhook engine, in a process each. `naive`: claims rows, posts them with fetch, writes each outcome and its row in
// the log, as a first version would. `dispatch`: undici alone, no database, no signature: what the requests themselves cost.
import { createHmac } from "node:crypto";
import { Agent } from "undici";
import { connect } from "#db/client.ts";
import { newId } from "#server/base/ids.ts";

export type PeerOrder = {
  peer: "naive" | "dispatch";
  databaseUrl: string;
  url: string;
  deliveries: number;
  inFlight: number;
};
export type PeerAnswer = { pid: number; seconds: number; failed?: string };

const CLAIM_ROWS = 100;
const POOL = 10;
const KEPT_CHARS = 1_024;
const SECRET = "whsec_bench";
const BODY = JSON.stringify({ event: "message.received", text: "x".repeat(250) });

type Row = { id: string; webhook_id: string; organization_id: string; body: string };
type Sql = ReturnType<typeof connect>;

async function deliver(sql: Sql, url: string, row: Row): Promise<void> {
  const startedAt = new Date();
  const t = Math.floor(startedAt.getTime() / 1000);
  const signature = createHmac("sha256", SECRET).update(`${t}.${row.body}`).digest("hex");
  const headers = { "X-Service-Signature": `t=${t},v1=${signature}`, "X-Service-Delivery": row.id };
  const response = await fetch(url, { method: "POST", headers, body: row.body });
  const text = (await response.text()).slice(0, KEPT_CHARS);
  const took = Date.now() - startedAt.getTime();
  await sql.begin(async (tx) => {
    await tx`
      update deliveries set status = 'succeeded', attempts = attempts + 1, next_attempt_at = null,
        last_status = ${response.status}, completed_at = now() where id = ${row.id}`;
    await tx`
      insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, status,
        request_headers, response_body)
      values (${newId()}, ${row.organization_id}, ${row.webhook_id}, ${row.id}, 1, ${startedAt}, ${took},
        ${response.status}, ${JSON.stringify(Object.entries(headers))}::text::jsonb, ${text})`;
  });
}

async function naive({ databaseUrl, url, inFlight }: PeerOrder): Promise<void> {
  const sql = connect(databaseUrl, { max: POOL });
  let waiting: Row[] = [];
  let claiming: Promise<void> | undefined;
  const claim = async () => {
    waiting = await sql<Row[]>`
      update deliveries d set next_attempt_at = now() + interval '1 minute' from events e
      where e.id = d.event_id and d.id in (
        select id from deliveries where status = 'pending' and next_attempt_at <= now()
        order by next_attempt_at limit ${CLAIM_ROWS} for update skip locked)
      returning d.id, d.webhook_id, d.organization_id, e.body`;
  };
  async function slot(): Promise<void> {
    for (;;) {
      const row = waiting.shift();
      if (row) {
        await deliver(sql, url, row);
        continue;
      }
      claiming ??= claim().finally(() => {
        claiming = undefined;
      });
      await claiming;
      if (waiting.length === 0) return;
    }
  }
  await Promise.all(Array.from({ length: inFlight }, slot));
  await sql.end();
}

async function dispatch({ url, deliveries, inFlight }: PeerOrder): Promise<void> {
  const { origin, pathname: path } = new URL(url);
  const agent = new Agent({ pipelining: 1, connections: inFlight });
  const headers = ["Content-Type", "application/json", "X-Service-Delivery", "none"];
  let left = deliveries;
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const handler = {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(),
        onResponseError: (_: unknown, error: Error) => reject(error),
      };
      agent.dispatch({ origin, path, method: "POST", headers, body: BODY }, handler);
    });
  async function slot(): Promise<void> {
    while (left > 0) {
      left -= 1;
      await one();
    }
  }
  await Promise.all(Array.from({ length: inFlight }, slot));
  await agent.close();
}

process.on("message", async (order: PeerOrder) => {
  const started = performance.now();
  const answer: PeerAnswer = { pid: process.pid, seconds: 0 };
  try {
    if (order.deliveries > 0) await (order.peer === "naive" ? naive : dispatch)(order);
    process.send?.({ ...answer, seconds: (performance.now() - started) / 1000 });
  } catch (error) {
    process.send?.({ ...answer, failed: String(error) });
  }
});
