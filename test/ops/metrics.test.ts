// The guide lists every metric of the service and no other, and the labels of each.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { scrape } from "#test/ops/scrape.ts";
import { startTestService } from "#test/support/service.ts";

const GUIDE = join(import.meta.dirname, "../../docs/guides/watching.md");
const service = await startTestService();
afterAll(service.stop);

/** The rows of the guide's table, as the registry has them. */
async function rowsOfRegistry(): Promise<string[]> {
  const all = service.system.metrics.registry.getMetricsAsArray();
  const own = all.filter(({ name }) => name.startsWith("mailberth_")) as unknown as {
    name: string;
    help: string;
    type: string;
    labelNames: string[];
  }[];
  const json = new Map((await service.system.metrics.registry.getMetricsAsJSON()).map((each) => [each.name, each]));
  return own.map(({ name, help, labelNames }) => {
    const labels = labelNames.map((label) => `\`${label}\``).join(" ");
    return `| \`${name}\` | ${json.get(name)?.type} | ${labels} | ${help} |`;
  });
}

test("the guide's table is that of the registry", async () => {
  const [, table = ""] = (await readFile(GUIDE, "utf8")).split(/<!-- \/?metrics -->/);
  expect(table.trim().split("\n").slice(2).toSorted()).toEqual((await rowsOfRegistry()).toSorted());
});

describe("/metrics", () => {
  test("has the values of counters before anything was counted", async () => {
    const read = await scrape(service);
    expect(read.get('mailberth_mails_received_total{answer="452"}')).toBe(0);
    expect(read.get('mailberth_smtp_refusals_total{reason="disk_full"}')).toBe(0);
    expect(read.get('mailberth_recipient_outcomes_total{outcome="bounced"}')).toBe(0);
  });

  test("names the version and roles", async () => {
    const names = [...(await scrape(service)).keys()].filter((name) => name.startsWith("mailberth_build_info"));
    expect(names).toEqual([expect.stringMatching(/\{version="\d[\w.-]*",node="\d+[\w.]*",roles="web,smtp,worker"\}$/)]);
  });

  test("shows the connections to the database and the age of the sample", async () => {
    await expect.poll(async () => (await scrape(service)).get("mailberth_database_connections_max")).toBeGreaterThan(1);
    const read = await scrape(service);
    const connections = ["active", "idle", "idle_in_transaction"].map((state) =>
      Number(read.get(`mailberth_database_connections{state="${state}"}`)),
    );
    expect(connections.reduce((sum, each) => sum + each)).toBeGreaterThan(0);
    expect(read.get("mailberth_queue_sample_age_seconds")).toBeGreaterThanOrEqual(0);
    expect(read.get("mailberth_database_up")).toBe(1);
    expect(read.get('mailberth_database_writes{result="ok"}')).toBe(1);
  });

  test("of a process without the role worker has no queues, and says whether the database answers", async () => {
    const web = await startTestService({ ROLES: "web" }, { database: service.database });
    try {
      await expect.poll(async () => (await scrape(web)).get("mailberth_database_up")).toBe(1);
      const names = [...(await scrape(web)).keys()];
      expect(names.filter((name) => /^mailberth_(queue_(?!sample)|mailboxes|database_connections)/.test(name))).toEqual(
        [],
      );
    } finally {
      await web.stop();
    }
  });
});
