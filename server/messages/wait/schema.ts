// What a wait takes and gives on the wire.
import { z } from "zod";
import { addr, line, strictBoolean, strictInt } from "../../base/fields.ts";
import { message } from "../schema.ts";

const DEFAULT_SECONDS = 30;
const MAX_SECONDS = 120;
const PATTERN_CHARS = 500;
const FILTER_CHARS = 320;
/** Of a mail's text, what a pattern is applied to. */
export const MATCHED_CHARS = 200_000;

export const waitInput = z.object({
  addr,
  from: line(FILTER_CHARS)
    .min(1)
    .optional()
    .meta({ description: "Only mail from this address, or from this domain and those below it (`example.com`)." }),
  subject: line(FILTER_CHARS)
    .min(1)
    .optional()
    .meta({ description: "Only mail whose subject holds this, in any case." }),
  match: line(PATTERN_CHARS)
    .min(1)
    .optional()
    .meta({
      description: `Only mail whose subject or text matches this regular expression (RE2 syntax; \`(?i)\` for any case). It is applied to the subject, a line break and the first ${MATCHED_CHARS.toLocaleString("en-US")} characters of \`safe_text\`. A pattern that compiles to more than 2,000 instructions, or that takes more than 250 ms of CPU time on one mail, is answered with 400. After 1,000 mails or 2 s of CPU time the call ends with \`timed_out: true\`; the next call continues from its \`cursor\`.`,
    }),
  after: z.string().max(100).optional().meta({
    description:
      "Only mail that arrived after this: the `cursor` of an earlier wait, the id of a message, or a time (ISO 8601 with `Z` or an offset). Now when omitted: to wait for a mail that you are about to cause, pass the time from before.",
  }),
  timeout_seconds: strictInt(0, MAX_SECONDS)
    .default(DEFAULT_SECONDS)
    .meta({
      description: `How long to block, 0 to ${MAX_SECONDS}; 0 looks once. Of a long past, a call looks through as much as it can in this time, or in 10 s if that is longer.`,
    }),
  claim: strictBoolean().default(false).meta({ description: "Take the message: no other wait with `claim` gets it." }),
});

const extraction = z.object({
  otp: z.string().nullable().meta({ description: "The one-time code, as it is to be typed in." }),
  link: z.string().nullable().meta({ description: "The verification or sign-in link." }),
  confidence: z.number().min(0).max(1).meta({ description: "How sure that is; 0 when nothing was found." }),
  link_host_matches_sender: z
    .boolean()
    .nullable()
    .meta({ description: "Whether the link leads to the sender's own domain; null without a link." }),
});

export const waitOutput = z.object({
  timed_out: z.boolean(),
  message: message.nullable(),
  extracted: extraction,
  cursor: z.string().meta({ description: "Pass it as `after`: the next wait goes on from here and misses nothing." }),
});
export type WaitOutput = z.infer<typeof waitOutput>;
