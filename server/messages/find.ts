// Finds a complete message that a caller may see.
import type { Caller, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { canBeRead, ensureParsed } from "../receiving/parse.ts";
import { notRead } from "../receiving/parse-mail.ts";
import type { MessageRow } from "./columns.ts";

/**
 * Returns the whole message. Waits if it is not parsed yet.
 * @throws ServiceError `message_not_found`, also if it belongs to another organization; `unavailable` if it was not
 * parsed in time
 */
export async function findMessage(ctx: Ctx<Caller>, wireId: string): Promise<MessageRow> {
  const id = decodeId("msg", wireId);
  const row = id && (await selectMessage(ctx, id));
  if (!row) throw noMessage();
  if (canBeRead(row)) return row;
  await ctx.outOfTurn(() => ensureParsed(ctx, row.id));
  const read = await selectMessage(ctx, row.id);
  if (!read) throw noMessage();
  if (!canBeRead(read)) throw notRead();
  return read;
}

export function noMessage(): ServiceError {
  return new ServiceError("message_not_found", "The message does not exist.");
}

async function selectMessage({ actor, messageStatements }: Ctx<Caller>, id: string): Promise<MessageRow | undefined> {
  const { organizationId, inboxIds, madeBy } = actor;
  const [row] = await messageStatements.one.execute({ id, organizationId, inboxIds, madeBy });
  return row;
}
