// Prometheus itself evaluates ops/alerts.yaml over what a running service says before and during each condition.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  bounceSpike,
  type Condition,
  databaseDown,
  diskFull,
  objectLost,
  quietMailbox,
  s3Refuses,
  stuckQueue,
} from "#test/ops/conditions.ts";

const ALERTS = join(import.meta.dirname, "../../ops/alerts.yaml");
const TIMEOUT_MS = 120_000;
/** Each state lasts this long in the time of Prometheus. */
const STATE_MINUTES = 60;
/** Within the ten minutes of an alert on what was counted. */
const SOON_MINUTES = 5;
const run = promisify(execFile);

const folder = await mkdtemp(join(tmpdir(), "mailberth-alerts-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** `value` in the series of every minute; `_` is none. */
const steady = (value: number | undefined) =>
  value === undefined || !Number.isFinite(value) ? `_x${STATE_MINUTES - 1}` : `${value}+0x${STATE_MINUTES - 1}`;

/** The scrapes as Prometheus keeps them: with the labels of the target. */
function seriesOf({ before, during }: Condition): { series: string; values: string }[] {
  const names = [...new Set([...before.keys(), ...during.keys()])].filter((name) => name.startsWith("mailberth_"));
  return names.map((name) => {
    const [, metric = "", labels = ""] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
    const all = [labels, 'instance="mail.example:443"', 'job="mailberth"'].filter(Boolean).join(",");
    return { series: `${metric}{${all}}`, values: `${steady(before.get(name))} ${steady(during.get(name))}` };
  });
}

/** What fires before the condition and `minutes` after its begin, by the judgement of promtool. */
async function expectFiring(condition: Condition, alert: string, minutes = STATE_MINUTES / 2): Promise<void> {
  const firing = (minute: number, count: number) => ({
    expr: `count(count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"}))`,
    eval_time: `${minute}m`,
    exp_samples: count === 0 ? [] : [{ labels: "{}", value: count }],
  });
  const file = join(folder, `${alert}.yaml`);
  const content = {
    rule_files: [ALERTS],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: seriesOf(condition),
        promql_expr_test: [firing(STATE_MINUTES - 2, 0), firing(STATE_MINUTES + minutes, 1)],
      },
    ],
  };
  await writeFile(file, stringify(content));
  const { stdout } = await run("promtool", ["test", "rules", file]);
  expect(stdout).toContain("SUCCESS");
}

test("promtool accepts the rules", async () => {
  const { stdout } = await run("promtool", ["check", "rules", ALERTS]);
  expect(stdout).toContain("SUCCESS");
});

test.each([
  ["MailberthQueueStuck", stuckQueue],
  ["MailberthDatabaseDown", databaseDown],
  ["MailberthDiskFull", diskFull],
  ["MailberthBounceSpike", bounceSpike],
  ["MailberthMailboxesQuiet", quietMailbox],
  ["MailberthBlobsFailing", s3Refuses, SOON_MINUTES],
  ["MailberthBlobsUnreadable", objectLost],
])("%s fires during its condition and not before", { timeout: TIMEOUT_MS }, async (alert, make, minutes?: number) => {
  const condition = await make();
  await expectFiring(condition, alert, minutes);
});

test("no alert fires where the service is well", { timeout: TIMEOUT_MS }, async () => {
  const { before } = await bounceSpike();
  const well = { before, during: before };
  for (const alert of ["MailberthQueueStuck", "MailberthBounceSpike", "MailberthNoMail", "MailberthErrors"]) {
    await expect(expectFiring(well, alert)).rejects.toThrow("FAILED");
  }
});
