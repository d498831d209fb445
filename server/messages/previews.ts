// The beginning of messages, the code or link in them, and their agent, for the lists of the dashboard. Members only: agents get bodies
// as `safe_text`, which is marked as untrusted.
import { and, eq, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { agentKeys, agents } from "#db/schema/enrollment.ts";
import { inboxes, messages } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import { decodeId, encodeId } from "../base/ids.ts";
import { MEMBERS_HANDLE } from "../keys/ensure-agent.ts";
import { isOwn } from "./columns.ts";
import { noMessage } from "./find.ts";
import { beginningColumns, previewOf } from "./summary.ts";

const SNIPPET_CHARS = 180;

/**
 * Unknown messages are left out.
 * @param wireIds `msg_…`, at most CHOSEN_MAX
 * @throws ServiceError `message_not_found` if there is none of them
 */
export async function previewMessages(ctx: Ctx<Member>, wireIds: string[]) {
  const ids = wireIds.flatMap((id) => decodeId("msg", id) ?? []);
  const { id, extraction, direction, sent_by } = messages;
  const owner = sql`(select nullif(${agents.handle}, ${MEMBERS_HANDLE}) from ${agents} where ${agents.id} = ${inboxes.agent_id})`;
  const sender = sql`(select ${agents.handle} from ${agentKeys} join ${agents} on ${agents.id} = ${agentKeys.agent_id}
    where ${agentKeys.id} = ${sent_by}[1])`;
  const agent = sql<string | null>`case ${direction} when 'inbound' then ${owner} else ${sender} end`;
  const rows = await ctx.db
    .select({ id, ...beginningColumns, extraction, agent })
    .from(messages)
    .innerJoin(inboxes, and(eq(inboxes.id, messages.inbox_id), eq(inboxes.status, "live")))
    .where(and(anyOf(id, ids), isOwn(ctx, messages)));
  if (rows.length === 0) throw noMessage();
  return rows.map((row) => ({
    id: encodeId("msg", row.id),
    snippet: previewOf(row, SNIPPET_CHARS),
    agent: row.agent,
    otp: row.extraction?.otp ?? null,
    link: row.extraction?.link ?? null,
    link_host_matches_sender: row.extraction?.link_host_matches_sender ?? null,
  }));
}
