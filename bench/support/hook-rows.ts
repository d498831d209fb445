// Webhooks and due deliveries, written straight into a database, since the engine is measured alone.
import { connect } from "#db/client.ts";
import { readSettings } from "#server/base/env.ts";
import { newId } from "#server/base/ids.ts";
import { newSigningSecret, secretBox } from "#server/base/secrets.ts";
import { encryptionKey } from "#server/boot/encryption-key.ts";
import { log } from "./site.ts";

export type Hook = { id: string; organization_id: string };
export type Due = { id: string; hook: Hook };

const message = { id: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c", thread_id: "thr_01jd3m9v5sf0b8j3mgz7qk2x4c" };
const BODY = JSON.stringify({
  event: "message.received",
  inbox: "a@mail.example",
  message: { ...message, from: "someone@example.org", subject: "Your code", received_at: "2026-01-01T00:00:00.000Z" },
});

/** @param folder the data folder of the service on this database, which has its encryption key */
export function openRows(databaseUrl: string, folder: string) {
  const sql = connect(databaseUrl, { max: 2 });
  const secrets = secretBox(encryptionKey(readSettings({ DATA_DIR: folder, DATABASE_URL: databaseUrl }), log));

  return {
    sql,
    async hooks(urls: string[], organization: (n: number) => string): Promise<Hook[]> {
      const rows = urls.map((url, n) => {
        const id = newId();
        const sealed = secrets.seal(newSigningSecret(), id);
        return { id, organization_id: organization(n), url, secret: sealed.toString("hex") };
      });
      await sql`
        insert into webhooks (id, organization_id, url, events, secret, active, created_at)
        select id, organization_id, url, '{message.received}', decode(secret, 'hex'), true, now()
        from json_to_recordset(${JSON.stringify(rows)}::text::json)
          as r(id uuid, organization_id uuid, url text, secret text)`;
      return rows;
    },
    /** Creates deliveries that are due now, each with its own event, and wakes the workers. */
    async due(hooks: Hook[]): Promise<Due[]> {
      const rows = hooks.map((hook) => ({ id: newId(), e: newId(), w: hook.id, o: hook.organization_id }));
      await sql`
        with r as materialized (
          select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, e uuid, w uuid, o uuid)
        ), stored as (
          insert into events (id, organization_id, position, kind, body, created_at)
          select e, o, nextval('bench_positions'), 'message.received', ${BODY}, now() from r
        )
        insert into deliveries (id, organization_id, webhook_id, event_id, status, next_attempt_at, created_at)
        select id, o, w, e, 'pending', now(), now() from r`;
      return rows.map(({ id }, n) => ({ id, hook: hooks[n] as Hook }));
    },
    /** Adds deliveries whose next attempt is in five hours. What is scheduled later than the longest backoff, the worker makes due. */
    async waiting({ id, organization_id }: Hook, count: number): Promise<void> {
      await sql`
        insert into deliveries (id, organization_id, webhook_id, event_id, status, attempts, next_attempt_at, created_at)
        select uuidv7(), ${organization_id}, ${id}, uuidv7(), 'pending', 1, now() + interval '5 hours', now()
        from generate_series(1, ${count}::int)`;
    },
    /** As autovacuum does between two bursts. */
    async vacuum(): Promise<void> {
      await sql`vacuum (analyze) deliveries`;
    },
    async prepare(): Promise<void> {
      await sql`create sequence bench_positions`;
    },
    wake: () => sql.notify("mailberth_wake", "deliveries bench "),
    /** Until nothing is pending but what waits for hours. */
    async finished(withinMs: number): Promise<void> {
      const deadline = performance.now() + withinMs;
      const pending = () =>
        sql`
          select 1 from deliveries where status = 'pending' and next_attempt_at < now() + interval '1 hour'
          order by next_attempt_at limit 1`;
      while ((await pending()).length > 0) {
        if (performance.now() > deadline) throw new Error("deliveries are still pending");
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    close: () => sql.end(),
  };
}

export type Rows = ReturnType<typeof openRows>;
