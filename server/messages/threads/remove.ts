// DELETE /v1/threads/{id}: a thread with all its messages.
import type { Caller, Ctx } from "../../base/context.ts";
import { removeMessagesOf } from "../remove.ts";
import { findThread } from "./find.ts";

/**
 * @returns the thread's UUID
 * @throws ServiceError `thread_not_found`, on a second delete too; `unavailable` when not all could be erased
 */
export async function removeThread(ctx: Ctx<Caller>, wireId: string): Promise<string> {
  const thread = await findThread(ctx, wireId);
  await removeMessagesOf(ctx, thread);
  return thread.id;
}
