// Lists the API calls of the organization's agent keys, newest first.
import { and, desc, eq, getTableColumns, gte, isNotNull, isNull, lt, type SQL } from "drizzle-orm";
import { apiCalls } from "#db/schema/calls.ts";
import { agentKeys, agents } from "#db/schema/enrollment.ts";
import type { Ctx, Member } from "../base/context.ts";
import { encodeCursor, readCursor, toPage } from "../base/cursor.ts";
import { FIRST_ID } from "../base/id-range.ts";
import { decodeId, encodeId } from "../base/ids.ts";

/** A page of a filtered list comes from at most so many calls; `next_cursor` continues after them. */
const SCANNED_MAX = 5_000;
/** Of HTTP. */
const FIRST_FAILURE = 500;

type Filters = {
  /** `akey_…` */
  key?: string | undefined;
  result?: "succeeded" | "refused" | "failed" | undefined;
  /** As X-Request-Id has it. */
  request_id?: string | undefined;
};
type Input = Filters & { limit: number; cursor?: string | undefined };

const { id, key_id, organization_id, status, error, request_id } = apiCalls;

/**
 * A filtered page may be short or empty before the end.
 * @throws ServiceError `invalid_cursor`
 */
export async function listCalls(ctx: Ctx<Member>, { limit, cursor, ...filters }: Input) {
  const { actor, db } = ctx;
  const list = `calls:${actor.organizationId}:${JSON.stringify(Object.entries(filters).sort())}`;
  const all = and(
    eq(organization_id, actor.organizationId),
    filters.key === undefined ? undefined : eq(key_id, decodeId("akey", filters.key) ?? FIRST_ID),
    filters.request_id === undefined ? undefined : eq(request_id, filters.request_id),
    cursor === undefined ? undefined : lt(id, readCursor(ctx, list, cursor)),
  );
  const scanned = db.select().from(apiCalls).where(all).orderBy(desc(id)).limit(SCANNED_MAX);
  const rows = await db
    .select({ ...getTableColumns(apiCalls), handle: agents.handle })
    .from(scanned.as("api_calls"))
    .leftJoin(agentKeys, eq(agentKeys.id, key_id))
    .leftJoin(agents, eq(agents.id, agentKeys.agent_id))
    .where(hasResult(filters.result))
    .orderBy(desc(id))
    .limit(limit + 1);
  const page = toPage(ctx, list, rows, limit);
  const [last] =
    page.next_cursor === null && filters.result !== undefined
      ? await db
          .select({ id })
          .from(apiCalls)
          .where(all)
          .orderBy(desc(id))
          .offset(SCANNED_MAX - 1)
          .limit(1)
      : [];
  return {
    data: page.rows.map(({ handle, ...call }) => ({
      at: call.created_at.toISOString(),
      key: encodeId("akey", call.key_id),
      agent: handle,
      door: call.door,
      method: call.method,
      route: call.route,
      path: call.path,
      status: call.status,
      error: call.error,
      ms: call.ms,
      request_id: call.request_id,
      remote: call.remote,
    })),
    next_cursor: last ? encodeCursor(ctx, list, last.id) : page.next_cursor,
  };
}

function hasResult(result: Filters["result"]): SQL | undefined {
  if (result === "succeeded") return isNull(error);
  if (result === "refused") return and(isNotNull(error), lt(status, FIRST_FAILURE));
  return result === "failed" ? gte(status, FIRST_FAILURE) : undefined;
}
