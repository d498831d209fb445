// What the worker of a service removes when it is older than it is kept.
import { v7 } from "uuid";
import { expect, onTestFinished, test } from "vitest";
import { newId } from "#server/base/ids.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const AGE_MS = 31 * 86_400_000;
const TABLES = ["events", "deliveries", "delivery_attempts", "notices", "letter_passes", "sign_in_attempts"] as const;

/** One row that is over and done with in each table, of that time. */
async function addOldRows({ system: { sql } }: TestService, at: Date): Promise<void> {
  const id = newId();
  await sql`
    insert into events (id, organization_id, position, kind, body, created_at)
    values (${id}, ${id}, 1, 'message.received', '{}', ${at})`;
  await sql`
    insert into deliveries (id, organization_id, webhook_id, event_id, status, created_at, completed_at)
    values (${id}, ${id}, ${id}, ${id}, 'succeeded', ${at}, ${at})`;
  await sql`
    insert into delivery_attempts (id, organization_id, webhook_id, delivery_id, number, started_at, duration_ms, request_headers)
    values (${v7({ msecs: at.getTime() })}, ${id}, ${id}, ${id}, 1, ${at}, 1, '[]')`;
  await sql`
    insert into notices (id, organization_id, to_address, subject, text, sent_at, created_at)
    values (${id}, ${id}, 'a@b.example', 's', 't', ${at}, ${at})`;
  await sql`
    insert into letter_passes (id, organization_id, recipient, class, passed_at)
    values (${id}, ${id}, 'a@b.example', 'notice', ${at})`;
  await sql`
    insert into sign_in_attempts (bucket, failures, last_at, blocked_until) values ('old', 1, ${at}, ${at})`;
}

test("a worker removes old events, deliveries, attempts, notices, passes of emails and failed sign-ins, and keeps young ones", async () => {
  const web = await startTestService({ ROLES: "web" });
  onTestFinished(web.stop);
  const counts = async () =>
    Promise.all(
      TABLES.map(async (table) => {
        const [row] = await web.system.sql`select count(*)::int as n from ${web.system.sql(table)}`;
        return [table, row?.n];
      }),
    );
  await addOldRows(web, new Date(Date.now() - AGE_MS));
  await web.system.sql`
    insert into sign_in_attempts (bucket, failures, last_at, blocked_until) values ('young', 1, now(), now())`;
  expect(await counts()).toEqual([...TABLES.slice(0, -1).map((table) => [table, 1]), ["sign_in_attempts", 2]]);
  const worker = await startTestService({ ROLES: "worker" }, { database: web.database });
  onTestFinished(worker.stop);
  await expect.poll(counts).toEqual([...TABLES.slice(0, -1).map((table) => [table, 0]), ["sign_in_attempts", 1]]);
});
