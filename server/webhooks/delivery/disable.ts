// Tracks the health of webhooks: since when one fails, and when it is disabled and its owners are notified.
import type { Sql } from "postgres";
import { plainOf, type Transaction } from "#db/client.ts";
import type { Services } from "../../base/context.ts";
import { encodeId, newId } from "../../base/ids.ts";
import { type NewEvent, recordEvents, type StoredEvent } from "../../events/record.ts";
import type { EventBody } from "../../events/view.ts";
import { noticesTo, writeNotices } from "../../system-mail/write.ts";
import type { Health, Outcome } from "./attempts.ts";
import { failPending } from "./fail-pending.ts";

const DAY_MS = 86_400_000;
const FAILING_MAX_MS = 5 * DAY_MS;
const FAILURES_MIN = 10;
const GONE = "The endpoint answered 410 Gone.";
const FAILING = "The endpoint has not accepted a delivery for 5 days.";

type Needs = Pick<Services, "sql" | "db" | "feed" | "signals">;
type Disabled = { id: string; organization_id: string; inbox_id: string | null; url: string; address: string | null };

function disabledEvent({ id, organization_id, inbox_id, url, address }: Disabled, reason: string): NewEvent {
  const webhook = { id: encodeId("whk", id), url, reason };
  const body: EventBody = { event: "webhook.disabled", inbox: address, webhook };
  return { id: newId(), organization_id, inbox_id, message_id: null, kind: body.event, body: JSON.stringify(body) };
}

function letter(disabled: Disabled[], reason: string): { subject: string; text: string } {
  const [first] = disabled;
  const many = disabled.length > 1;
  const subject = many
    ? `${disabled.length} webhooks were disabled`
    : `Webhook ${encodeId("whk", first?.id ?? "")} was disabled`;
  const lines = disabled.map(
    ({ id, url, address }) => `  ${encodeId("whk", id)}  ${url}  (${address ?? "all mailboxes"})`,
  );
  const what = many ? "These webhooks receive" : "This webhook receives";
  const text = [
    `${what} no more events:`,
    "",
    ...lines,
    "",
    `Why: ${reason}`,
    "",
    "The delivery log lists the missed events. When the endpoint works again, enable the webhook with",
    'PATCH /v1/webhooks/{id} {"active": true}, then call POST /v1/webhooks/{id}/replay for the missed events.',
    "",
  ].join("\n");
  return { subject, text };
}

/** Writes events and notices for webhooks that this transaction has disabled; its last statements. */
async function announce(tx: Transaction, disabled: Disabled[], reason: string, at: Date): Promise<StoredEvent[]> {
  if (disabled.length === 0) return [];
  const notices: Parameters<typeof writeNotices>[1] = [];
  for (const [organizationId, own] of Map.groupBy(disabled, (each) => each.organization_id)) {
    notices.push(...(await noticesTo(tx, organizationId, letter(own, reason))));
  }
  await writeNotices(tx, notices, at);
  return recordEvents(
    plainOf(tx),
    disabled.map((each) => disabledEvent(each, reason)),
    at,
  );
}

/** Webhooks, each with the URL of the outcome: the outcome says nothing about a newer URL. */
function isAt(sql: Sql, outcomes: Outcome[]) {
  const [ids, urls] = [outcomes.map((o) => o.webhook_id), outcomes.map((o) => o.url)];
  return sql`w.id = any(${ids}::uuid[])
    and (w.id, w.url) in (select * from unnest(${ids}::uuid[], ${urls}::text[]))`;
}

async function disable(services: Needs, outcomes: Outcome[], reason: string, at: Date): Promise<void> {
  const { sql, db, feed, signals } = services;
  // The delivery log decides, not `failing_since` alone: another process may have had a success without recording it.
  const hopeless = sql`
    w.failing_since <= ${new Date(at.getTime() - FAILING_MAX_MS)}
      and not exists (
        select from deliveries d
        where d.webhook_id = w.id and d.status = 'succeeded' and d.completed_at >= w.failing_since)
      and (
        select sum(d.attempts) from deliveries d
        where d.webhook_id = w.id and d.status <> 'succeeded'
          and (d.completed_at is null or d.completed_at >= w.failing_since)) >= ${FAILURES_MIN}`;
  const { stored, disabled } = await db.transaction(async (tx) => {
    const disabled = await plainOf(tx)<Disabled[]>`
      update webhooks w set active = false, disabled_reason = ${reason}, disabled_at = ${at}
      where ${isAt(sql, outcomes)} and w.active and ${reason === GONE ? sql`true` : hopeless}
      returning w.id, w.organization_id, w.inbox_id, w.url,
        (select address from inboxes i where i.id = w.inbox_id and i.organization_id = w.organization_id) as address`;
    return { stored: await announce(tx, disabled, reason, at), disabled };
  });
  if (disabled.length === 0) return;
  feed.publish(stored);
  signals.raise("outbound");
  for (const { id, organization_id } of disabled) {
    // One step; the rest fails when it becomes due (deliver.ts).
    await failPending(sql, { webhookId: id, organizationId: organization_id, reason, at });
  }
}

/** Records since when webhooks fail, and disables those that answered 410 or have failed for five days. */
export async function noteHealth(services: Needs, outcomes: Outcome[]): Promise<void> {
  const { sql } = services;
  const latest = new Map(outcomes.filter(({ health }) => health).map((o) => [`${o.webhook_id} ${o.url}`, o]));
  const latestOf = (health: Health) => [...latest.values()].filter((o) => o.health === health);
  const at = outcomes.at(-1)?.at;
  if (!at || latest.size === 0) return;

  const gone = outcomes.filter(({ health }) => health === "gone");
  if (gone.length > 0) await disable(services, gone, GONE, at);
  const well = latestOf("well");
  if (well.length > 0) {
    await sql`update webhooks w set failing_since = null where ${isAt(sql, well)} and failing_since is not null`;
  }
  const failing = latestOf("failing");
  if (failing.length > 0) {
    await sql`update webhooks w set failing_since = ${at} where ${isAt(sql, failing)} and failing_since is null`;
    await disable(services, failing, FAILING, at);
  }
}
