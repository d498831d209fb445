// Tracks the health of webhooks: since when one fails, and when it is disabled and its owners are notified.
import { and, eq, gte, isNotNull, isNull, lte, notExists, type SQL, sql } from "drizzle-orm";
import { type Database, plainOf, type Transaction } from "#db/client.ts";
import { deliveries, webhooks } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { type NewEvent, newEvent, recordEvents, type StoredEvent } from "../../events/record.ts";
import type { EventBody } from "../../events/schema.ts";
import { foreignLine } from "../../system-mail/foreign.ts";
import { type EmailNeeds, type Notice, noticesTo, writeNotices } from "../../system-mail/write.ts";
import type { Health, Outcome } from "./attempts.ts";
import { failPending } from "./fail-pending.ts";

const DAY_MS = 86_400_000;
const FAILING_MAX_MS = 5 * DAY_MS;
const FAILURES_MIN = 10;
const GONE = "The endpoint answered 410 Gone.";
const FAILING = "The endpoint has not accepted a delivery for 5 days.";

type Needs = EmailNeeds & Pick<Services, "db" | "feed" | "signals">;
/** Webhooks that one email names. */
const NAMED_MAX = 50;
const URL_MAX_CHARS = 200;
const ADDRESS_MAX_CHARS = 320;
const NAME_MAX_CHARS = 100;
type Disabled = Pick<typeof webhooks.$inferSelect, "id" | "organization_id" | "inbox_id" | "url" | "name"> & {
  address: (typeof inboxes.$inferSelect)["address"] | null;
};

function disabledEvent({ id, organization_id, inbox_id, url, address }: Disabled, reason: string): NewEvent {
  const webhook = { id: encodeId("whk", id), url, reason };
  const body: EventBody = { event: "webhook.disabled", inbox: address, webhook };
  return newEvent({ organization_id, inbox_id }, body);
}

function email(disabled: Disabled[], reason: string) {
  const many = disabled.length > 1;
  const lines = disabled
    .slice(0, NAMED_MAX)
    .map(
      ({ id, url, name, address }) =>
        `  ${encodeId("whk", id)}  ${name === null ? "" : `${foreignLine(name, NAME_MAX_CHARS)}  `}${foreignLine(url, URL_MAX_CHARS)}  (${address === null ? "all mailboxes" : foreignLine(address, ADDRESS_MAX_CHARS)})`,
    );
  if (disabled.length > NAMED_MAX) lines.push(`  and ${disabled.length - NAMED_MAX} more`);
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
  return { topic: "webhook_disabled" as const, things: disabled.length, text };
}

/** Writes events and notices for webhooks that this transaction has disabled; its last statements. */
async function announce(
  tx: Transaction,
  needs: EmailNeeds,
  disabled: Disabled[],
  { reason, at }: { reason: string; at: Date },
): Promise<StoredEvent[]> {
  if (disabled.length === 0) return [];
  const notices: Notice[] = [];
  // In one order, because addresses that are asked are locked.
  const byOrganization = [...Map.groupBy(disabled, (each) => each.organization_id)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  for (const [organizationId, own] of byOrganization) {
    const to = { organizationId, chosen: "webhook_disabled" as const };
    notices.push(...(await noticesTo(tx, needs, to, email(own, reason))));
  }
  await writeNotices(tx, needs, notices);
  return recordEvents(
    plainOf(tx),
    disabled.map((each) => disabledEvent(each, reason)),
    at,
  );
}

/** Webhooks, each with the URL of the outcome: the outcome says nothing about a newer URL. */
function isAt(outcomes: Outcome[]): SQL {
  const { id, url } = webhooks;
  const [ids, urls] = [sql.param(outcomes.map((o) => o.webhook_id)), sql.param(outcomes.map((o) => o.url))];
  return sql`${id} = any(${ids}::uuid[]) and (${id}, ${url}) in (select * from unnest(${ids}::uuid[], ${urls}::text[]))`;
}

/**
 * Whether a webhook has failed for so long that it is disabled. The delivery log decides, not `failing_since` alone:
 * another process may have had a success without recording it.
 */
function isHopeless(db: Database, at: Date): SQL | undefined {
  const { failing_since } = webhooks;
  const { webhook_id, status, completed_at, attempts } = deliveries;
  const isOwn = eq(webhook_id, webhooks.id);
  const success = db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(and(isOwn, eq(status, "succeeded"), gte(completed_at, failing_since)));
  const failures = db
    .select({ attempts: sql`sum(${attempts})` })
    .from(deliveries)
    .where(
      sql`${isOwn} and ${status} <> 'succeeded' and (${completed_at} is null or ${completed_at} >= ${failing_since})`,
    );
  const since = new Date(at.getTime() - FAILING_MAX_MS);
  return and(lte(failing_since, since), notExists(success), sql`${failures} >= ${FAILURES_MIN}`);
}

async function disable(services: Needs, outcomes: Outcome[], reason: string, at: Date): Promise<void> {
  const { db, feed, signals } = services;
  const { id, organization_id, inbox_id, url, name } = webhooks;
  const address = db
    .select({ address: inboxes.address })
    .from(inboxes)
    .where(and(eq(inboxes.id, inbox_id), eq(inboxes.organization_id, organization_id)));
  const { stored, disabled } = await db.transaction(async (tx) => {
    const disabled = await tx
      .update(webhooks)
      .set({ active: false, disabled_reason: reason, disabled_at: at })
      .where(and(isAt(outcomes), webhooks.active, reason === GONE ? undefined : isHopeless(db, at)))
      .returning({ id, organization_id, inbox_id, url, name, address: sql<Disabled["address"]>`${address}` });
    return { stored: await announce(tx, services, disabled, { reason, at }), disabled };
  });
  if (disabled.length === 0) return;
  feed.publish(stored);
  signals.raise("outbound");
  for (const webhook of disabled) {
    // One step; the rest fails when it becomes due (deliver.ts).
    await failPending(db, { webhookId: webhook.id, organizationId: webhook.organization_id, reason, at });
  }
}

/** Records since when webhooks fail, and disables those that answered 410 or have failed for five days. */
export async function noteHealth(services: Needs, outcomes: Outcome[]): Promise<void> {
  const { db } = services;
  const latest = new Map(outcomes.filter(({ health }) => health).map((o) => [`${o.webhook_id} ${o.url}`, o]));
  const latestOf = (health: Health) => [...latest.values()].filter((o) => o.health === health);
  const at = outcomes.at(-1)?.at;
  if (!at || latest.size === 0) return;

  const gone = outcomes.filter(({ health }) => health === "gone");
  if (gone.length > 0) await disable(services, gone, GONE, at);
  const well = latestOf("well");
  if (well.length > 0) {
    await db
      .update(webhooks)
      .set({ failing_since: null })
      .where(and(isAt(well), isNotNull(webhooks.failing_since)));
  }
  const failing = latestOf("failing");
  if (failing.length > 0) {
    await db
      .update(webhooks)
      .set({ failing_since: at })
      .where(and(isAt(failing), isNull(webhooks.failing_since)));
    await disable(services, failing, FAILING, at);
  }
}
