// DELETE /v1/threads/{id}: moves all messages of a thread to the trash, or erases them. The dashboard deletes several.
import type { Caller, Ctx, Member } from "../../base/context.ts";
import { type Removal, removeMessagesOf } from "../remove.ts";
import { findThread } from "./find.ts";
import { findChosen } from "./mark.ts";

/**
 * @returns the thread's UUID
 * @throws ServiceError `thread_not_found`, also on a second delete; `unavailable` if some could not be erased
 */
export async function removeThread(ctx: Ctx<Caller>, wireId: string, removal: Removal): Promise<string> {
  const thread = await findThread(ctx, wireId);
  await removeMessagesOf(ctx, thread, removal);
  return thread.id;
}

/**
 * @returns how many were deleted
 * @throws ServiceError `thread_not_found` if there is none of them; `unavailable` if some could not be erased
 */
export async function removeThreads(ctx: Ctx<Member>, wireIds: string[]): Promise<number> {
  const threads = await findChosen(ctx, wireIds);
  for (const thread of threads) await removeMessagesOf(ctx, thread);
  return threads.length;
}
