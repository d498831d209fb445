// DELETE /v1/threads/{id}: deletes a thread with all its messages.
import type { Caller, Ctx } from "../../base/context.ts";
import { removeMessagesOf } from "../remove.ts";
import { findThread } from "./find.ts";

/**
 * @returns the thread's UUID
 * @throws ServiceError `thread_not_found`, also on a second delete; `unavailable` if some could not be erased
 */
export async function removeThread(ctx: Ctx<Caller>, wireId: string): Promise<string> {
  const thread = await findThread(ctx, wireId);
  await removeMessagesOf(ctx, thread);
  return thread.id;
}
