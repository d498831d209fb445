// GET /v1/keys and GET /v1/keys/{id}: the keys below the caller's key, newest first, without secrets.
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { isInForce } from "#db/conditions.ts";
import { agentKeys, enrollmentKeys } from "#db/schema/enrollment.ts";
import type { InboxAccess } from "#db/scopes.ts";
import type { Agent, Ctx } from "../../base/context.ts";
import { readCursor, toPage } from "../../base/cursor.ts";
import { encodeId } from "../../base/ids.ts";
import { findAgentKey, isBelow, restrictedTo } from "../find.ts";

type Page = { limit: number; cursor?: string | undefined };

/** @throws ServiceError `invalid_cursor` */
export async function listIssuedKeys(ctx: Ctx<Agent>, { limit, cursor }: Page) {
  const list = `issued keys:${ctx.actor.keyId}`;
  const before = cursor === undefined ? undefined : lt(agentKeys.id, readCursor(ctx, list, cursor));
  const rows = await issuedKeys(ctx, before).limit(limit + 1);
  const page = toPage(ctx, list, rows, limit);
  return { data: page.rows.map(issuedKeyView), next_cursor: page.next_cursor };
}

/** @throws ServiceError `agent_key_not_found` */
export async function getIssuedKey(ctx: Ctx<Agent>, wireId: string) {
  const { id } = await findAgentKey(ctx, wireId);
  const [row] = await issuedKeys(ctx, eq(agentKeys.id, id));
  if (!row) throw new Error(`the agent key ${id} has gone`);
  return issuedKeyView(row);
}

function issuedKeys(ctx: Ctx<Agent>, which: ReturnType<typeof and>) {
  const addresses = restrictedTo(ctx.db);
  const ofEnrolled = ctx.db
    .select({ access: enrollmentKeys.inbox_access })
    .from(enrollmentKeys)
    .where(eq(enrollmentKeys.id, ctx.actor.enrollmentKeyId));
  return ctx.db
    .select({
      id: agentKeys.id,
      name: agentKeys.name,
      ancestor_ids: agentKeys.ancestor_ids,
      scopes: agentKeys.scopes,
      inbox_access: sql<InboxAccess>`coalesce(${agentKeys.inbox_access}, (${ofEnrolled}))`,
      isRestricted: sql<boolean>`${agentKeys.inbox_ids} is not null`,
      addresses: sql<string[]>`array${addresses}`,
      send_budget: agentKeys.send_budget,
      sent_count: agentKeys.sent_count,
      outgoing_delay_seconds: agentKeys.outgoing_delay_seconds,
      active: isInForce(agentKeys, ctx.now()).mapWith(Boolean),
      expires_at: agentKeys.expires_at,
      revoked_at: agentKeys.revoked_at,
      created_at: agentKeys.created_at,
      last_used_at: agentKeys.last_used_at,
    })
    .from(agentKeys)
    .where(and(isBelow(ctx.actor), which))
    .orderBy(desc(agentKeys.id))
    .$dynamic();
}

type IssuedRow = Awaited<ReturnType<typeof issuedKeys>>[number];

function issuedKeyView(row: IssuedRow) {
  return {
    id: encodeId("akey", row.id),
    name: row.name,
    parent_id: encodeId("akey", row.ancestor_ids.at(-1) ?? row.id),
    scopes: row.scopes,
    inboxes: row.isRestricted ? row.addresses : null,
    inbox_access: row.inbox_access,
    send_budget: row.send_budget,
    sent_count: row.sent_count,
    outgoing_delay_seconds: row.outgoing_delay_seconds,
    active: row.active,
    expires_at: row.expires_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
