// What the thread endpoints take and give on the wire.
import { z } from "zod";
import { addr, moment, pageInput } from "../../base/fields.ts";
import { message, summary } from "../schema.ts";

/** Messages of one thread are counted this far. */
export const COUNTED_MESSAGES = 1_000;

const threadId = z.string().max(100).meta({ example: "thr_01jd3m9v5sf0b8j3mgz7qk2x4c" });

const threadFields = {
  id: threadId,
  inbox: z.string().meta({ description: "Address of the mailbox." }),
  subject: z.string().meta({ description: "Of the message that began it." }),
  message_count: z.int().meta({ description: `Counted up to ${COUNTED_MESSAGES}.` }),
  unread_count: z.int().meta({ description: `Of the newest ${COUNTED_MESSAGES}.` }),
  last_message_id: z.string().meta({ description: "For the guard of a reply, `expected_last_message_id`." }),
  created_at: moment(),
};

export const listThreadsInput = z.object({ addr, ...pageInput });
export const listThreadsOutput = z.object({
  data: z.array(z.object({ ...threadFields, last_message: summary })),
  next_cursor: z.string().nullable(),
});

export const threadIdInput = z.object({ id: threadId });
export const getThreadInput = z.object({ id: threadId, ...pageInput });
export const thread = z.object({
  ...threadFields,
  messages: z.array(message).meta({ description: "Whole, oldest first." }),
  next_cursor: z
    .string()
    .nullable()
    .meta({ description: "There are older messages: pass it as `cursor`. Null: the first one is among these." }),
});
export const removeThreadOutput = z.object({ id: threadId, deleted: z.literal(true) });
