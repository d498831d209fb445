// Finds webhooks that a caller may see: one by id, or a page.
import { and, desc, eq, lt, or, type SQL, sql } from "drizzle-orm";
import { webhooks } from "#db/schema/events.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { isReached } from "../base/tenancy.ts";
import { filterColumns } from "./delivery/filter.ts";

/** `previous_secret_expires_at` is null if it has expired. */
export type WebhookRow = Awaited<ReturnType<typeof selectWebhooks>>[number];

/** What people call it: its name, or the host of its URL, whose path may contain a token. */
export function nameOf({ name, url }: { name?: string | null | undefined; url: string }): string {
  return name ?? new URL(url).host;
}

export function noWebhook(): ServiceError {
  return new ServiceError("webhook_not_found", "The webhook does not exist.");
}

/** @throws ServiceError `webhook_not_found`, also if it belongs to another organization */
export async function findWebhook(ctx: Ctx<Caller>, wireId: string): Promise<WebhookRow> {
  const id = decodeId("whk", wireId);
  const [row] = id ? await selectWebhooks(ctx, eq(webhooks.id, id), 1) : [];
  if (!row) throw noWebhook();
  return row;
}

/**
 * GET /v1/webhooks: newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listWebhooks(ctx: Ctx<Caller>, input: { limit: number; cursor?: string | undefined }) {
  const { actor } = ctx;
  const list = `webhooks:${actor.organizationId}:${actor.madeBy ?? actor.inboxIds?.join() ?? ""}`;
  const before = input.cursor === undefined ? undefined : lt(webhooks.id, readCursor(ctx, list, input.cursor));
  const rows = await selectWebhooks(ctx, before, input.limit + 1);
  return toPage(ctx, list, rows, input.limit);
}

/**
 * The condition that the caller may see a webhook: for a key that reaches only some mailboxes, only those of these, and those for
 * all mailboxes of its agent.
 */
export function isVisible({ actor }: Ctx<Caller>): SQL | undefined {
  const { inboxIds, madeBy } = actor;
  const ofAgent = madeBy !== null && inboxIds === null ? eq(webhooks.agent_id, madeBy) : undefined;
  return and(eq(webhooks.organization_id, actor.organizationId), or(isReached(actor, webhooks.inbox_id), ofAgent));
}

/** What the API shows of a webhook, with the address of its mailbox. */
const webhookColumns = {
  id: webhooks.id,
  url: webhooks.url,
  name: webhooks.name,
  events: webhooks.events,
  ...filterColumns,
  header_names: webhooks.header_names,
  format: webhooks.format,
  include_message: webhooks.include_message,
  inbox_id: webhooks.inbox_id,
  agent_id: webhooks.agent_id,
  address: inboxes.address,
  active: webhooks.active,
  disabled_reason: webhooks.disabled_reason,
  disabled_at: webhooks.disabled_at,
  failing_since: webhooks.failing_since,
  previous_secret_expires_at: webhooks.previous_secret_expires_at,
  created_at: webhooks.created_at,
};

/** The columns of a webhook, with the end of its previous secret only until then. */
export function webhookColumnsAt(now: Date) {
  const { previous_secret_expires_at: until } = webhooks;
  return {
    ...webhookColumns,
    previous_secret_expires_at: sql<Date | null>`case when ${until} > ${now} then ${until} end`,
  };
}

function selectWebhooks(ctx: Ctx<Caller>, condition: SQL | undefined, limit: number) {
  return ctx.db
    .select(webhookColumnsAt(ctx.now()))
    .from(webhooks)
    .leftJoin(inboxes, eq(inboxes.id, webhooks.inbox_id))
    .where(and(isVisible(ctx), condition))
    .orderBy(desc(webhooks.id))
    .limit(limit);
}
