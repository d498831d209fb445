// What the procedures of notice routes take and return.
import { z } from "zod";
import { NOTICE_TOPICS } from "#db/notice-topics.ts";

const URL_MAX_CHARS = 2_048;
const ID_MAX_CHARS = 64;

const topics = z.array(z.enum(NOTICE_TOPICS)).min(1).max(NOTICE_TOPICS.length);

export const routeInput = z.object({ id: z.string().max(ID_MAX_CHARS) });
/** Without `chat_url`: to the mail address of the account. */
export const addRouteInput = z.object({ topics, chat_url: z.string().trim().max(URL_MAX_CHARS).optional() });
export const changeTopicsInput = routeInput.extend({ topics });

export const route = z.object({
  id: z.string(),
  channel: z.enum(["mail", "chat"]),
  /** The mail address, or the origin of the chat: the rest of its URL is a secret. */
  to: z.string(),
  topics: z.array(z.enum(NOTICE_TOPICS)),
});
export const routesOutput = z.object({
  data: z.array(route),
  /** False with OUTBOUND=local: no notices are sent by mail. */
  sends_mail: z.boolean(),
  /** The topics about which the organization gets notices. */
  reached_topics: z.array(z.enum(NOTICE_TOPICS)),
});
export const removedOutput = z.object({ id: z.string(), deleted: z.literal(true) });
export const testRouteOutput = z.object({
  /** `queued`: a mail that will be sent. */
  state: z.enum(["sent", "queued", "failed"]),
  error: z.string().nullable(),
});
