// Outcomes that are written late, or several of one delivery: which one counts, and for which webhook.
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { logged, type Outcome } from "#server/webhooks/delivery/attempts.ts";
import type { DueDelivery } from "#server/webhooks/delivery/due-delivery.ts";
import { createOutcomes } from "#server/webhooks/delivery/outcome.ts";
import { openEngine, type TestEngine } from "./engine.ts";

const GONE = 410;
const FLUSH_MS = 5_000;

let engine: TestEngine;
beforeEach(async () => {
  engine = await openEngine();
});
afterEach(() => engine.close());

/** The outcome of a delivery's first attempt, which was answered with `code`. */
function outcomeOf({ id, organization_id, webhook_id, url }: DueDelivery, code: number, at: Date): Outcome {
  const success = code === 200;
  const final = success || code === GONE;
  return {
    ...{ id, organization_id, webhook_id, url, at, attempts: 1, last_status: code },
    status: success ? "succeeded" : final ? "failed" : "pending",
    next_attempt_at: final ? null : at,
    resend_at: null,
    last_error: success ? null : `answered ${code}`,
    health: code === GONE ? "gone" : success ? "well" : "failing",
    attempt: logged(at, [], {
      status: code,
      error: null,
      retryAfter: null,
      timedOut: false,
      durationMs: 1,
      body: "",
    }),
  };
}

async function leasedOne(webhook: { id: string; url: string }): Promise<DueDelivery> {
  const [due] = await engine.deliveries(webhook, 1, "leased");
  if (!due) throw new Error("no delivery");
  return due;
}

describe("two attempts of one delivery that end together", () => {
  test.each([
    [500, 200],
    [200, 500],
  ])("%i, then %i: it has succeeded, and the log has both in order", async (first, second) => {
    const due = await leasedOne(await engine.webhook("http://127.0.0.1/"));
    const outcomes = createOutcomes(engine);
    const start = engine.now().getTime();
    outcomes.add(outcomeOf(due, first, new Date(start)));
    outcomes.add(outcomeOf(due, second, new Date(start + 1)));
    expect(await outcomes.flush(FLUSH_MS)).toBe(0);
    expect(await engine.rows()).toMatchObject([{ status: "succeeded", last_status: 200, next_attempt_at: null }]);
    const log = await engine.sql`select number, status from delivery_attempts order by id`;
    expect([...log]).toEqual([
      { number: 1, status: first },
      { number: 2, status: second },
    ]);
  });
});

describe("two attempts of one delivery whose outcomes are written one after the other", () => {
  test.each([
    [GONE, 200],
    [200, GONE],
  ])("%i, then %i: it has succeeded", async (first, second) => {
    const due = await leasedOne(await engine.webhook("http://127.0.0.1/"));
    const outcomes = createOutcomes(engine);
    for (const code of [first, second]) {
      outcomes.add(outcomeOf(due, code, engine.now()));
      expect(await outcomes.flush(FLUSH_MS)).toBe(0);
    }
    expect(await engine.rows()).toMatchObject([{ status: "succeeded", last_status: 200, last_error: null }]);
  });
});

describe("an outcome that is written when the webhook has another URL", () => {
  test.each([GONE, 500])("a %i says nothing of the new one", async (code) => {
    const webhook = await engine.webhook("http://127.0.0.1/old");
    const due = await leasedOne(webhook);
    await engine.sql`update webhooks set url = 'http://127.0.0.1/new' where id = ${webhook.id}`;
    const outcomes = createOutcomes(engine);
    outcomes.add(outcomeOf(due, code, engine.now()));
    expect(await outcomes.flush(FLUSH_MS)).toBe(0);
    expect(await engine.webhookRow(webhook.id)).toMatchObject({ active: true, failing_since: null });
    expect(await engine.sql`select 1 from events where kind = 'webhook.disabled'`).toEqual([]);
  });

  test("and a 410 of the URL that it has disables it", async () => {
    const webhook = await engine.webhook("http://127.0.0.1/old");
    const outcomes = createOutcomes(engine);
    outcomes.add(outcomeOf(await leasedOne(webhook), GONE, engine.now()));
    expect(await outcomes.flush(FLUSH_MS)).toBe(0);
    expect(await engine.webhookRow(webhook.id)).toMatchObject({ active: false, disabled_at: expect.any(Date) });
  });
});
