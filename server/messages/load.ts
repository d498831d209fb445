// Loads whole messages for waits; waits that are woken together share one query.
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { type MessageRow, messageColumns } from "./columns.ts";
import { ensureParsed } from "./inbound/parse.ts";

declare module "../base/context.ts" {
  interface Services {
    messageLoads: GroupCommit<Wanted, MessageRow | undefined>;
  }
}

const BATCH_MESSAGES = 50;
const IN_FLIGHT = 2;

type Wanted = { id: string; organizationId: string };

export function createMessageLoads(services: Pick<Services, "sql" | "settings">): Services["messageLoads"] {
  return groupCommit(services, (wanted: Wanted[]) => load(services, wanted), {
    items: BATCH_MESSAGES,
    weight: BATCH_MESSAGES,
    inFlight: IN_FLIGHT,
    weigh: () => 1,
  });
}

async function load({ sql }: Pick<Services, "sql">, wanted: Wanted[]): Promise<(MessageRow | undefined)[]> {
  const ids = wanted.map(({ id }) => id);
  const rows = await sql<MessageRow[]>`
    select ${messageColumns(sql)}
    from unnest(${ids}::uuid[], ${wanted.map(({ organizationId }) => organizationId)}::uuid[]) as w(id, organization_id)
    join messages m on m.id = any(${ids}::uuid[]) and m.id = w.id and m.organization_id = w.organization_id
    join inboxes i on i.id = m.inbox_id and i.status = 'live'`;
  const found = new Map(rows.map((row) => [row.id, row]));
  return wanted.map(({ id }) => found.get(id));
}

/**
 * A message of the caller's organization, parsed first if necessary; undefined if it was deleted.
 * @param id UUID of an event's message that the caller may see
 */
export async function loadMessage(ctx: Ctx<Caller>, id: string): Promise<MessageRow | undefined> {
  await ensureParsed(ctx, id);
  return ctx.messageLoads.add({ id, organizationId: ctx.actor.organizationId });
}
