// The conditions of the alerts show in /metrics while they are real; alerts and dashboard name only metrics and labels that exist.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startTestService } from "#test/support/service.ts";
import { whyNoSmallDisk } from "#test/support/small-disk.ts";
import * as conditions from "./conditions.ts";

const ROOT = join(import.meta.dirname, "../..");
const CONDITION_TIMEOUT_MS = 90_000;
/** `up` and `instance` are Prometheus's own. */
const SELECTOR = /\b((?:mailberth|nodejs|process)_\w+)(?:\{([^}]*)\})?/g;

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> };
type Panel = { title: string; targets?: { expr: string }[] };

const rules = (
  parse(await readFile(join(ROOT, "ops/alerts.yaml"), "utf8")) as { groups: { rules: Rule[] }[] }
).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(await readFile(join(ROOT, "ops/grafana.json"), "utf8")) as { panels: Panel[] };
const guide = await readFile(join(ROOT, "docs/guides/watching.md"), "utf8");

const service = await startTestService();
afterAll(service.stop);

/** The names and labels of the registry; a histogram has three series. */
async function known(): Promise<Map<string, Set<string>>> {
  const all = service.system.metrics.registry.getMetricsAsArray() as unknown as {
    name: string;
    labelNames: string[];
  }[];
  const types = new Map(
    (await service.system.metrics.registry.getMetricsAsJSON()).map((each) => [each.name, each.type]),
  );
  return new Map(
    all.flatMap(({ name, labelNames }) => {
      const names =
        String(types.get(name)) === "histogram" ? ["_bucket", "_count", "_sum"].map((end) => name + end) : [name];
      return names.map((each) => [each, new Set([...labelNames, "le"])] as const);
    }),
  );
}

/** The metrics and labels in an expression that do not exist. */
function unknownIn(expression: string, metrics: Map<string, Set<string>>): string[] {
  return [...expression.matchAll(SELECTOR)].flatMap(([, name = "", selected = ""]) => {
    const labels = metrics.get(name);
    if (!labels) return [name];
    const used = [...selected.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label);
    return used.filter((label) => !labels.has(label)).map((label) => `${name}{${label}}`);
  });
}

describe("ops/alerts.yaml", () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    "%s names metrics that exist, and what to do",
    async (_, rule) => {
      expect(unknownIn(rule.expr, await known())).toEqual([]);
      expect(["page", "ticket"]).toContain(rule.labels.severity);
      expect(rule.annotations).toEqual({ summary: expect.any(String), action: expect.any(String) });
      expect(guide).toContain(`\`${rule.alert}\``);
    },
  );

  test("finds a metric or a label that does not exist", async () => {
    const metrics = await known();
    expect(unknownIn('rate(mailberth_sends_totals[5m]) + mailberth_queue_rows{outcome="x"}', metrics)).toEqual([
      "mailberth_sends_totals",
      "mailberth_queue_rows{outcome}",
    ]);
  });
});

describe("ops/grafana.json", () => {
  const drawn = panels.filter(({ targets }) => targets);
  test.each(drawn.map((panel) => [panel.title, panel] as const))("%s names metrics that exist", async (_, panel) => {
    const metrics = await known();
    for (const { expr } of panel.targets ?? []) {
      expect([...expr.matchAll(SELECTOR)].length).toBeGreaterThan(0);
      expect(unknownIn(expr, metrics)).toEqual([]);
    }
  });
});

describe("the condition shows in /metrics", { timeout: CONDITION_TIMEOUT_MS }, () => {
  test("stuck queue", async () => {
    const { before, during } = await conditions.stuckQueue();
    const of = (metric: string) =>
      [before, during].map((read) => read.get(`mailberth_queue_${metric}{queue="deliveries"}`));
    expect(of("due_rows")).toEqual([0, 1]);
    expect(of("overdue_rows")).toEqual([0, 1]);
    const [, age = 0] = of("oldest_due_seconds");
    expect(age).toBeGreaterThan(300);
    expect(age).toBeLessThan(3_700);
  });

  test("database down", async () => {
    const { before, during } = await conditions.databaseDown();
    expect([before, during].map((read) => read.get('mailberth_database_writes{result="ok"}'))).toEqual([1, 0]);
    // The last sample stays, and says how old it is.
    expect(during.get('mailberth_queue_rows{queue="deliveries"}')).toBe(0);
    expect(during.get("mailberth_queue_sample_age_seconds")).toBeGreaterThan(1);
  });

  const reason = whyNoSmallDisk();
  test.skipIf(reason)(`disk full${reason ? ` (${reason})` : ""}`, async () => {
    const { during } = await conditions.diskFull();
    expect(during.get("mailberth_database_up")).toBe(1);
  });

  test("bounce spike", async () => {
    const { before, during } = await conditions.bounceSpike();
    const of = (outcome: string) =>
      [before, during].map((read) => read.get(`mailberth_recipient_outcomes_total{outcome="${outcome}"}`));
    expect([of("bounced"), of("sent")]).toEqual([
      [0, 25],
      [0, 0],
    ]);
  });

  test("S3 refuses, an object is lost", async () => {
    const of = ({ before, during }: conditions.Condition, series: string) =>
      [before, during].map((read) => read.get(`mailberth_blob_requests_total{${series}}`));
    expect(of(await conditions.s3Refuses(), 'operation="put",outcome="refused"')).toEqual([0, 21]);
    expect(of(await conditions.objectLost(), 'operation="get",outcome="missing"')).toEqual([0, expect.any(Number)]);
  });

  test("quiet mailbox", async () => {
    const { during } = await conditions.quietMailbox();
    expect(during.get("mailberth_mailboxes_regular")).toBe(2);
  });
});
