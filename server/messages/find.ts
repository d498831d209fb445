// Finds stored messages that a caller may see: one, whole, or a page of a mailbox.
import type { messages } from "#db/schema.ts";
import type { Agent, Ctx } from "../context.ts";
import { readCursor, toPage } from "../cursor.ts";
import { ServiceError } from "../errors.ts";
import { decodeId } from "../ids.ts";
import { findInbox } from "../tenancy.ts";
import { ensureParsed } from "./parse.ts";

export type MessageRow = typeof messages.$inferSelect & { inbox: string };
export type SummaryRow = Pick<
  MessageRow,
  | "id"
  | "thread_id"
  | "inbox"
  | "direction"
  | "status"
  | "from_address"
  | "to_addresses"
  | "subject"
  | "size"
  | "created_at"
>;

/**
 * The whole message. One that is not parsed yet is waited for.
 * @throws ServiceError `message_not_found`, the same for what never existed and what is another organization's
 */
export async function findMessage(ctx: Ctx<Agent>, wireId: string): Promise<MessageRow> {
  const id = decodeId("msg", wireId);
  const row = id && (await selectMessage(ctx, id));
  if (!row) throw new ServiceError("message_not_found", "There is no such message.");
  if (row.status !== "received") return row;
  await ensureParsed(ctx, row.id);
  return (await selectMessage(ctx, row.id)) ?? row;
}

async function selectMessage({ actor, sql }: Ctx<Agent>, id: string): Promise<MessageRow | undefined> {
  const [row] = await sql<MessageRow[]>`
    select m.*, i.address as inbox from messages m join inboxes i on i.id = m.inbox_id and i.status = 'live'
    where m.id = ${id} and m.organization_id = ${actor.organizationId}
      ${actor.inboxIds ? sql`and m.inbox_id = any(${actor.inboxIds as string[]})` : sql``}`;
  return row;
}

/**
 * GET /v1/inboxes/{addr}/messages: newest first.
 * @throws ServiceError `inbox_not_found`, `invalid_cursor`
 */
export async function listMessages(
  ctx: Ctx<Agent>,
  input: { addr: string; limit: number; cursor?: string | undefined },
) {
  const inbox = await findInbox(ctx, input.addr);
  const list = `messages:${inbox.id}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await ctx.sql<SummaryRow[]>`
    select id, thread_id, ${inbox.address} as inbox, direction, status, from_address, to_addresses, subject, size, created_at
    from messages where inbox_id = ${inbox.id} ${before ? ctx.sql`and id < ${before}` : ctx.sql``}
    order by id desc limit ${input.limit + 1}`;
  return toPage(ctx, list, rows, input.limit);
}
