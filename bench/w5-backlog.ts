// Leases of due deliveries from a backlog of a million rows against leases from one of a thousand.
import { join } from "node:path";
import { openDatabase } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import { newId } from "#server/base/ids.ts";
import { leaseDue } from "#server/webhooks/delivery/deliver.ts";
import { openRows } from "./support/hook-rows.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { log, type Site } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const FEW = 1_000;
const MANY = 1_000_000;
const CLAIM_ROWS = 200;
const NEWEST = 50;
const LEASES = 5;
const GOAL = 0.8;

async function contender(site: Site, name: string, count: number): Promise<Contender & { close(): Promise<void> }> {
  const databaseUrl = await site.databaseUrl(name);
  await migrate({ url: databaseUrl, log });
  const { sql, close } = openDatabase({ url: databaseUrl, poolSize: 1 });
  const rows = openRows(databaseUrl, join(site.folder, "w5"));
  await rows.prepare();
  const [hook] = await rows.hooks(["http://127.0.0.1/"], () => newId());
  if (!hook) throw new Error("no webhook");
  await rows.due(Array(FEW).fill(hook));
  await sql`
    insert into deliveries (id, organization_id, webhook_id, event_id, status, next_attempt_at, created_at)
    select uuidv7(), organization_id, webhook_id, event_id, 'pending',
      next_attempt_at - (${count} - n) * interval '1 ms', created_at
    from (select * from deliveries limit 1) d, generate_series(1, ${count - FEW}) n`;
  await sql`vacuum analyze deliveries`;
  // Or the leases would pay for what the making of the rows left to be written.
  await sql`checkpoint`;
  return {
    name: `${count.toLocaleString("en")} due`,
    servers: () => [site.postmasterPid],
    memoryOf: () => [],
    async run() {
      const started = performance.now();
      for (let lease = 0; lease < LEASES; lease += 1) {
        const limits = { oldest: CLAIM_ROWS - NEWEST, newest: NEWEST, resends: 0 };
        const { scheduled } = await leaseDue({ sql, now: () => new Date() }, limits);
        if (scheduled === 0) throw new Error("nothing was due");
      }
      return { operations: LEASES * CLAIM_ROWS, seconds: (performance.now() - started) / 1000 };
    },
    async settle() {
      await sql`update deliveries set next_attempt_at = created_at where status = 'pending' and next_attempt_at > now()`;
    },
    async close() {
      await rows.close();
      await close();
    },
  };
}

export async function backlog(site: Site): Promise<Comparison[]> {
  const [many, few] = [await contender(site, "w5_many", MANY), await contender(site, "w5_few", FEW)];
  try {
    for (const each of [many, few]) await warmUp(each);
    const title = { workload: "W5", case: "rows claimed from a backlog" };
    return await race(title, many, [{ contender: few, goal: GOAL }], [process.pid, site.postmasterPid]);
  } finally {
    await Promise.all([many.close(), few.close()]);
  }
}
