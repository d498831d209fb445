// A dispatcher with a new database, due rows, and endpoints.
import { openDatabase } from "#db/client.ts";
import { readSettings } from "#server/base/env.ts";
import { newId } from "#server/base/ids.ts";
import { createLog } from "#server/base/log.ts";
import { createMetrics } from "#server/base/metrics.ts";
import { newSigningSecret, secretBox } from "#server/base/secrets.ts";
import { createSignals } from "#server/base/signals.ts";
import { createFeed } from "#server/events/feed.ts";
import { startDelivering } from "#server/webhooks/delivery/deliver.ts";
import { createDispatcher } from "#server/webhooks/delivery/dispatcher.ts";
import { DELIVERY_LEASE_MS, type DueDelivery } from "#server/webhooks/delivery/due-delivery.ts";
import { createOriginRates } from "#server/webhooks/targets/origin-rate.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { rulesOf } from "../targets/rules.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

const ORGANIZATION = newId();
const UNLIMITED = "1000000";
/** Seals the secrets of its webhooks. */
export const ENGINE_KEY = Buffer.alloc(32, 7);

export type DeliveryRow = {
  id: string;
  status: string;
  attempts: number;
  next_attempt_at: Date | null;
  last_status: number | null;
  last_error: string | null;
  completed_at: Date | null;
};

/** @param environment settings as the environment would hold them */
export async function openEngine(environment: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const { sql, db, close } = openDatabase({ url: database.url, poolSize: 4 });
  const log = createLog("warn", false);
  const clock = { aheadMs: 0 };
  const now = () => new Date(Date.now() + clock.aheadMs);
  const secrets = secretBox(ENGINE_KEY);
  const settings = readSettings({ WEBHOOK_RATE_PER_ORIGIN: UNLIMITED, ...environment });
  const signals = createSignals(sql, log);
  const feed = createFeed({ sql, db, signals, log });
  const services = {
    sql,
    db,
    log,
    now,
    secrets,
    settings,
    signals,
    feed,
    ownPorts: rulesOf(settings).ownPorts,
    originRates: createOriginRates(settings.WEBHOOK_RATE_PER_ORIGIN),
    metrics: createMetrics({ settings, db, probes: sql, log, now }),
    tracing: undefined,
  };
  const cleanups: (() => Promise<unknown>)[] = [];
  const receivers: Receiver[] = [];

  const rows = (): Promise<DeliveryRow[]> => sql<DeliveryRow[]>`
    select id, status, attempts, next_attempt_at, last_status, last_error, completed_at from deliveries order by id`;

  return {
    ...services,
    databaseUrl: database.url,
    clock,
    /** A customer's endpoint, until `close`. */
    async receiver(answer?: Receiver["answer"]): Promise<Receiver> {
      const receiver = await startReceiver(answer);
      receivers.push(receiver);
      return receiver;
    },
    /** A dispatcher that `close` of this engine ends. */
    dispatcher(options: Parameters<typeof createDispatcher>[1] = {}) {
      const dispatcher = createDispatcher(services, options);
      cleanups.push(() => dispatcher.close(0));
      return dispatcher;
    },
    /** A dispatcher and its claims. */
    worker(options: Parameters<typeof createDispatcher>[1] = {}) {
      const dispatcher = createDispatcher(services, options);
      const delivering = startDelivering(services, dispatcher);
      const stop = () => delivering.stop().then(() => dispatcher.close(0));
      cleanups.push(stop);
      return { dispatcher, stop };
    },
    async webhook(url: string, more: { active?: boolean; failing_since?: Date } = {}) {
      const [id, secret] = [newId(), newSigningSecret()];
      await sql`
        insert into webhooks ${sql({
          id,
          organization_id: ORGANIZATION,
          url,
          events: ["message.received"],
          secret: secrets.seal(secret, id),
          active: more.active ?? true,
          failing_since: more.failing_since ?? null,
          created_at: now(),
        })}`;
      return { id, url, secret };
    },
    /** Rows due now, or leased as a receiving process makes them; with what the dispatcher needs of them. */
    async deliveries(
      webhook: { id: string; url: string },
      count: number,
      state: "due" | "leased",
    ): Promise<DueDelivery[]> {
      const at = now();
      const read_at = performance.now();
      const [row] = await sql<Pick<DueDelivery, "secret" | "previous_secret" | "previous_secret_expires_at">[]>`
        select secret, previous_secret, previous_secret_expires_at from webhooks where id = ${webhook.id}`;
      const secrets = row ?? { secret: Buffer.alloc(0), previous_secret: null, previous_secret_expires_at: null };
      const due = Array.from({ length: count }, (_, i) => ({
        id: newId(),
        organization_id: ORGANIZATION,
        webhook_id: webhook.id,
        event_id: newId(),
        inbox_id: null,
        attempts: 0,
        url: webhook.url,
        format: null,
        include_message: null,
        headers: null,
        ...secrets,
        read_at,
        body: JSON.stringify({
          event: "message.received",
          inbox: "a@mail.example",
          message: { subject: `Grüße ${i}` },
        }),
        event_kind: "message.received",
      }));
      const events = due.map(({ event_id: id, body }) => ({ id, body }));
      const rows = due.map(({ id, webhook_id, event_id }) => ({ id, webhook_id, event_id }));
      const next = state === "due" ? at : new Date(at.getTime() + DELIVERY_LEASE_MS);
      await sql`
        insert into events (id, organization_id, position, inbox_id, message_id, kind, body, created_at)
        select id, ${ORGANIZATION}, (select coalesce(max(position), 0) from events) + row_number() over (), id, id, 'message.received', body, ${at}
        from json_to_recordset(${JSON.stringify(events)}::text::json) as e(id uuid, body text)`;
      await sql`
        insert into event_positions (organization_id, last) values (${ORGANIZATION}, ${count})
        on conflict (organization_id) do update set last = event_positions.last + ${count}`;
      await sql`
        insert into deliveries (id, organization_id, webhook_id, event_id, status, next_attempt_at, created_at)
        select id, ${ORGANIZATION}, webhook_id, event_id, 'pending', ${next}, ${at}
        from json_to_recordset(${JSON.stringify(rows)}::text::json) as d(id uuid, webhook_id uuid, event_id uuid)`;
      return due;
    },
    rows,
    first: async () => (await rows())[0],
    statuses: async () => (await rows()).map((row) => row.status),
    webhookRow: async (id: string) => (await sql`select * from webhooks where id = ${id}`)[0],
    async makeDue() {
      await sql`update deliveries set next_attempt_at = ${now()} where status = 'pending'`;
      signals.raise("deliveries");
    },
    async close() {
      for (const cleanup of cleanups.reverse()) await cleanup();
      for (const receiver of receivers) await receiver.close();
      feed.stop();
      await signals.close();
      await close();
      await database.drop();
    },
  };
}

export type TestEngine = Awaited<ReturnType<typeof openEngine>>;
