// Loads whole messages for waits; waits that are woken together share one query.
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { ensureParsed } from "../receiving/parse.ts";
import type { MessageRow } from "./columns.ts";

declare module "../base/context.ts" {
  interface Services {
    messageLoads: GroupCommit<Wanted, MessageRow | undefined>;
  }
}

const BATCH_MESSAGES = 50;
const IN_FLIGHT = 2;

type LoadNeeds = Pick<Services, "messageStatements" | "settings">;
type Wanted = { id: string; organizationId: string };

export function createMessageLoads(services: LoadNeeds): Services["messageLoads"] {
  return groupCommit(services, (wanted: Wanted[]) => load(services, wanted), {
    items: BATCH_MESSAGES,
    weight: BATCH_MESSAGES,
    inFlight: IN_FLIGHT,
    weigh: () => 1,
  });
}

async function load({ messageStatements }: LoadNeeds, wanted: Wanted[]): Promise<(MessageRow | undefined)[]> {
  const rows = await messageStatements.some.execute({
    ids: wanted.map(({ id }) => id),
    organizationIds: wanted.map(({ organizationId }) => organizationId),
  });
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
