// Messages that wait to be sent, written straight into a database as copies of one that was sent.
import { connect } from "#db/client.ts";

const LOOK_EVERY_MS = 10;

export function openQueue(databaseUrl: string) {
  // Otherwise each look reads the whole table, which takes as much CPU as the service.
  const sql = connect(databaseUrl, { max: 2, fetch_types: false, connection: { enable_seqscan: "off" } });
  const left = () => sql`select 1 from messages where status in ('queued', 'sending') limit 1`;
  return {
    /** Queues copies of the first message, each with another recipient. */
    async add(count: number): Promise<void> {
      await sql`
        with copied as (
          insert into messages
          select r.* from messages m
          cross join generate_series(1, ${count}::int) n
          cross join lateral jsonb_populate_record(m, jsonb_build_object('id', gen_random_uuid(), 'thread_id', gen_random_uuid(),
            'status', 'queued', 'attempts', 0, 'next_attempt_at', now(), 'created_at', now(), 'sent_at', null,
            'provider_message_id', null, 'to_addresses', array['ann-' || n || '@sink.example'],
            'rfc_message_id', gen_random_uuid() || '@mail.localhost')) r
          where m.id = (select id from messages where direction = 'outbound' order by id limit 1)
          returning id, organization_id, inbox_id, to_addresses
        )
        insert into message_recipients (message_id, index, organization_id, inbox_id, address, status)
        select id, 0, organization_id, inbox_id, to_addresses[1], 'queued' from copied`;
    },
    wake: () => sql.notify("mailberth_wake", "outbound bench "),
    /** Until each has an outcome. */
    async settled(withinMs: number): Promise<void> {
      const deadline = performance.now() + withinMs;
      while ((await left()).length > 0) {
        if (performance.now() > deadline) throw new Error(`messages were not sent within ${withinMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
    },
    close: () => sql.end(),
  };
}
