// Finds webhooks that a caller may see: one by id, or a page of them.
import type { Agent, Ctx } from "../context.ts";
import { readCursor, toPage } from "../cursor.ts";
import { ServiceError } from "../errors.ts";
import { decodeId } from "../ids.ts";

export type WebhookRow = {
  id: string;
  url: string;
  events: "message.received"[];
  address: string | null;
  active: boolean;
  disabled_reason: string | null;
  created_at: Date;
};

/** @throws ServiceError `webhook_not_found`, the same for what never existed and what is another organization's */
export async function findWebhook(ctx: Ctx<Agent>, wireId: string): Promise<WebhookRow> {
  const id = decodeId("whk", wireId);
  const [row] = id ? await selectWebhooks(ctx, ctx.sql`and w.id = ${id}`, 1) : [];
  if (!row) throw new ServiceError("webhook_not_found", "There is no such webhook.");
  return row;
}

/**
 * GET /v1/webhooks: newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listWebhooks(ctx: Ctx<Agent>, input: { limit: number; cursor?: string | undefined }) {
  const { actor, sql } = ctx;
  const list = `webhooks:${actor.organizationId}:${actor.inboxIds?.join() ?? ""}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await selectWebhooks(ctx, before ? sql`and w.id < ${before}` : sql``, input.limit + 1);
  return toPage(ctx, list, rows, input.limit);
}

function selectWebhooks({ actor, sql }: Ctx<Agent>, condition: ReturnType<Ctx["sql"]>, limit: number) {
  return sql<WebhookRow[]>`
    select w.id, w.url, w.events, i.address, w.active, w.disabled_reason, w.created_at
    from webhooks w left join inboxes i on i.id = w.inbox_id
    where w.organization_id = ${actor.organizationId} ${condition}
      ${actor.inboxIds ? sql`and w.inbox_id = any(${actor.inboxIds as string[]})` : sql``}
    order by w.id desc limit ${limit}`;
}
