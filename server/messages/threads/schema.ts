// What the thread endpoints take and return on the wire.
import { z } from "zod";
import { addr, deleted, givenId, id, inboxAddress, moment, page, pageInput, strictBoolean } from "../../base/fields.ts";
import { message, summary } from "../message-schema.ts";
import { CHOSEN_MAX, label } from "../schema.ts";

/** Messages of one thread are counted this far. */
export const COUNTED_MESSAGES = 1_000;

const threadId = givenId("thr", "Id of the thread.");

const threadFields = {
  id: id("thr", "Id of the thread."),
  inbox: inboxAddress,
  subject: z.string().meta({ description: "Subject of the first message.", example: "Your code is 482915" }),
  message_count: z
    .int()
    .meta({ description: `Messages in the thread, counted up to ${COUNTED_MESSAGES}.`, example: 1 }),
  unread_count: z.int().meta({
    description: `Unread messages among the newest ${COUNTED_MESSAGES}.`,
    example: 1,
  }),
  last_message_id: id("msg", "Id of the newest message. Pass it as `expected_last_message_id` with a reply."),
  created_at: moment("When the first message was stored."),
};

export const listThreadsInput = z.object({ addr, ...pageInput });
export const listAllThreadsInput = z.object({
  inbox: addr.meta({ description: "Returns only threads of this mailbox, by address or id." }).optional(),
  ...pageInput,
});
export const listThreadsOutput = page(
  "ThreadPage",
  z
    .object({ ...threadFields, last_message: summary.meta({ description: "The newest message." }) })
    .meta({ id: "ThreadSummary" }),
);

export const threadIdInput = z.object({ id: threadId });
export const getThreadInput = z.object({ id: threadId, ...pageInput });
export const thread = z
  .object({
    ...threadFields,
    messages: z.array(message).meta({ description: "Whole messages, oldest first." }),
    next_cursor: z.string().nullable().meta({
      description: "Pass it as `cursor` to get older messages. Null: the first message is included.",
      example: null,
    }),
  })
  .meta({ id: "Thread" });
export const removeThreadOutput = deleted("thr");

const chosen = z.array(threadId).min(1).max(CHOSEN_MAX);
export const chosenThreadsInput = z.object({ ids: chosen });
export const chosenThreadsOutput = z.object({ threads: z.int() });
export const markThreadsInput = z.object({
  ids: chosen,
  read: strictBoolean().optional(),
  add_label: label.optional(),
  remove_label: label.optional(),
});
