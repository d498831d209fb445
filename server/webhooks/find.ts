// Finds webhooks that a caller may see: one by id, or a page.
import type { Fragment } from "postgres";
import type { WebhookKind } from "#db/event-kinds.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";

export type WebhookRow = {
  id: string;
  url: string;
  events: WebhookKind[];
  inbox_id: string | null;
  address: string | null;
  active: boolean;
  disabled_reason: string | null;
  disabled_at: Date | null;
  failing_since: Date | null;
  /** Null if it has expired. */
  previous_secret_expires_at: Date | null;
  created_at: Date;
};

export function noWebhook(): ServiceError {
  return new ServiceError("webhook_not_found", "The webhook does not exist.");
}

/** @throws ServiceError `webhook_not_found`, also if it belongs to another organization */
export async function findWebhook(ctx: Ctx<Caller>, wireId: string): Promise<WebhookRow> {
  const id = decodeId("whk", wireId);
  const [row] = id ? await selectWebhooks(ctx, ctx.sql`and w.id = ${id}`, 1) : [];
  if (!row) throw noWebhook();
  return row;
}

/**
 * GET /v1/webhooks: newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listWebhooks(ctx: Ctx<Caller>, input: { limit: number; cursor?: string | undefined }) {
  const { actor, sql } = ctx;
  const list = `webhooks:${actor.organizationId}:${actor.inboxIds?.join() ?? ""}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await selectWebhooks(ctx, before ? sql`and w.id < ${before}` : sql``, input.limit + 1);
  return toPage(ctx, list, rows, input.limit);
}

/** The condition on `webhooks w` that the caller may see it; for a restricted key, only those of its mailboxes. */
export function isVisible({ actor, sql }: Ctx<Caller>): Fragment {
  return sql`w.organization_id = ${actor.organizationId}
    ${actor.inboxIds ? sql`and w.inbox_id = any(${actor.inboxIds as string[]}::uuid[])` : sql``}`;
}

function selectWebhooks(ctx: Ctx<Caller>, condition: Fragment, limit: number) {
  return ctx.sql<WebhookRow[]>`
    select w.id, w.url, w.events, w.inbox_id, i.address, w.active, w.disabled_reason, w.disabled_at, w.failing_since,
      case when w.previous_secret_expires_at > ${ctx.now()} then w.previous_secret_expires_at end
        as previous_secret_expires_at,
      w.created_at
    from webhooks w left join inboxes i on i.id = w.inbox_id
    where ${isVisible(ctx)} ${condition}
    order by w.id desc limit ${limit}`;
}
