// What a wait takes and returns on the wire.
import { z } from "zod";
import { MAIL_KINDS } from "#db/message-parts.ts";
import { addr, exampleId, id, line, moment, strictBoolean, strictInt } from "../../base/fields.ts";
import { decodeId } from "../../base/ids.ts";
import { message, pieceInput } from "../message-schema.ts";

const DEFAULT_SECONDS = 30;
export const MAX_SECONDS = 120;
const PATTERN_CHARS = 500;
const FILTER_CHARS = 320;
/** Of a mail's text, what a pattern is applied to. */
export const MATCHED_CHARS = 200_000;

export const waitInput = z.object({
  addr,
  from: line(FILTER_CHARS).min(1).optional().meta({
    description:
      "Matches mail from this address, from this domain and its subdomains (`example.com`), or from addresses that contain this text.",
    example: "shop.example",
  }),
  to: line(FILTER_CHARS).min(1).optional().meta({
    description:
      "Matches mail to this recipient (to, cc or `delivered_to`): a whole address, or a part of it (`desk+shop@`).",
  }),
  kind: z.enum(MAIL_KINDS).optional().meta({ description: "Matches mail of this kind." }),
  subject: line(FILTER_CHARS).min(1).optional().meta({
    description: "Matches mail whose subject contains this text, ignoring case.",
  }),
  thread_id: z
    .string()
    .max(100)
    .refine((text) => decodeId("thr", text) !== undefined, "not a thread id")
    .optional()
    .meta({
      description:
        "Matches mail of this thread: the answers to a message, with the `thread_id` that its send returned.",
      example: exampleId("thr"),
    }),
  match: line(PATTERN_CHARS)
    .min(1)
    .optional()
    .meta({
      description: `Matches mail whose subject or text matches this regular expression (RE2 syntax, \`(?i)\` ignores case). It is applied to the subject, a line break and the first ${MATCHED_CHARS.toLocaleString("en-US")} characters of \`safe_text\`. A pattern that is too large, or takes more than 250 ms of CPU time on one message, gets 400. After 1,000 messages or 2 s of CPU time the call returns \`timed_out: true\`; the next call continues from its \`cursor\`.`,
    }),
  after: z.string().max(100).optional().meta({
    description:
      "Matches mail that arrived after this point: the `cursor` of an earlier wait, a message id, or a time (ISO 8601 with `Z` or an offset, `2026-11-20T09:29:00Z`). Default: 120 s before the call, or the newest message that a wait of this key returned from the mailbox, whichever is later. To wait for a message that you trigger yourself, pass the time before you trigger it.",
  }),
  timeout_seconds: strictInt(0, MAX_SECONDS)
    .default(DEFAULT_SECONDS)
    .meta({
      description: `How long to block, 0 to ${MAX_SECONDS}. 0 looks once. With an old \`after\`, one call reads stored mail for this time, or for 10 s if that is longer.`,
      example: 60,
    }),
  claim: strictBoolean().default(false).meta({
    description: "Claims the message: no other wait with `claim` returns it.",
  }),
  max_chars: pieceInput.max_chars,
});

export const extraction = z
  .object({
    otp: z
      .string()
      .nullable()
      .meta({ description: "The one-time code, as a person would type it.", example: "482915" }),
    link: z.string().nullable().meta({
      description: "The verification or sign-in link.",
      example: "https://shop.example/verify?t=8sK2",
    }),
    confidence: z.number().min(0).max(1).meta({
      description: "Confidence in `otp` and `link`, 0 to 1. 0: nothing was found.",
      example: 0.97,
    }),
    link_host_matches_sender: z.boolean().nullable().meta({
      description: "Whether the link leads to the sender's own domain. Null: there is no link.",
      example: true,
    }),
  })
  .meta({ id: "Extraction" });

export const waitOutput = z
  .object({
    timed_out: z.boolean().meta({ description: "Whether the time ran out before a match.", example: false }),
    message: message.nullable().meta({ description: "The message. Null: the wait timed out." }),
    event_id: z
      .string()
      .nullable()
      .meta({
        description: "Id of the message's event, as in GET /v1/events and in webhooks. Null: the wait timed out.",
        example: exampleId("evt"),
      }),
    extracted: extraction.meta({ description: "What the service found in the message." }),
    cursor: z.string().meta({
      description: "Pass it as `after`: the next wait continues here and misses nothing.",
      example: "cur_…",
    }),
    earlier: z
      .object({
        count: z.int().min(1).max(100).meta({ description: "How many, at most 100.", example: 1 }),
        newest_id: id("msg", "Id of the newest of them: GET /v1/messages/{id} returns it."),
        received_at: moment("When it arrived."),
      })
      .nullable()
      .meta({
        description:
          "After a time-out: mail among the newest 100 that arrived before the wait started and has its `from`, `to`, `kind`, `subject` and `thread_id`. Null: none, or the wait returned a message.",
      }),
  })
  .meta({ id: "WaitResult" });
export type WaitOutput = z.infer<typeof waitOutput>;
