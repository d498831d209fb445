// What the procedures of reviews take and return. Members only: no agent key approves.
import { z } from "zod";
import { addr, givenId, headerField, line, pageInput, prose } from "../../base/fields.ts";
import { RECIPIENTS_MAX } from "../../messages/schema.ts";

const SUBJECT_CHARS = 998;
const BODY_CHARS = 1_048_576;
const REASON_CHARS = 500;
export const TTL_MIN_SECONDS = 60;
export const TTL_MAX_SECONDS = 30 * 86_400;

const review = z.enum(["none", "first_contact", "all"]);
const status = z.enum(["pending", "approved", "rejected", "expired"]);

const common = {
  id: z.string(),
  thread_id: z.string(),
  inbox: z.string(),
  status,
  /** Why it was held. */
  cause: z.enum(["policy", "key_revoked"]),
  /** The handle of the agent that wrote it, and its enrollment key. Null: an earlier version did not note them. */
  agent: z.string().nullable(),
  enrollment_key: z.string().nullable(),
  enrollment_key_id: z.string().nullable(),
  revision: z.int(),
  decided_by: z.string().nullable(),
  reason: z.string().nullable(),
  decided_at: z.string().nullable(),
  expires_at: z.string(),
  created_at: z.string(),
};

export const listReviewsInput = z.object({ decided: z.boolean().default(false), ...pageInput });
export const listReviewsOutput = z.object({
  data: z.array(z.object({ ...common, subject: z.string(), recipients: z.array(z.string()) })),
  next_cursor: z.string().nullable(),
});

const content = {
  to: z.array(z.string()),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  subject: z.string(),
  text: z.string().nullable(),
  html: z.string().nullable(),
};

export const getReviewInput = z.object({ id: givenId("msg", "Id of the message.") });
export const getReviewOutput = z.object({
  ...common,
  from_name: z.string().nullable(),
  reply_to: z.array(z.string()),
  /** What the author added. */
  headers: z.array(headerField),
  attachments: z.array(
    z.object({ id: z.string(), filename: z.string().nullable(), content_type: z.string(), size: z.int() }),
  ),
  /** Of the message: it may have failed after its approval. */
  message_status: z.string(),
  error: z.string().nullable(),
  sha256: z.string(),
  /** Oldest first. The last one is what a decision is about. */
  revisions: z.array(
    z.object({ revision: z.int(), author: z.string(), created_at: z.string(), sha256: z.string(), ...content }),
  ),
});

const seen = {
  ...getReviewInput.shape,
  /** `sha256` of the review that was read. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
};

export const decideInput = z.object(seen);
export const rejectInput = z.object({ ...seen, reason: line(REASON_CHARS).trim().optional() });
export const decideOutput = z.object({ id: z.string(), status });

const recipients = z.array(line(1_000)).max(RECIPIENTS_MAX);

export const editInput = z.object({
  ...seen,
  to: recipients.min(1),
  cc: recipients,
  bcc: recipients,
  subject: line(SUBJECT_CHARS),
  text: prose(BODY_CHARS).nullable(),
  html: prose(BODY_CHARS).nullable(),
});
export const editOutput = z.object({ id: z.string(), sha256: z.string() });

export const policyInput = z.object({ inbox: addr.optional() });
export const setPolicyInput = z
  .object({
    inbox: addr.optional(),
    /** Null, for a mailbox: what applies to the organization. */
    review: review.nullable().optional(),
    ttl_seconds: z.int().min(TTL_MIN_SECONDS).max(TTL_MAX_SECONDS).optional(),
  })
  .refine(
    ({ inbox, review, ttl_seconds }) =>
      inbox === undefined
        ? review !== null && (review ?? ttl_seconds) !== undefined
        : review !== undefined && ttl_seconds === undefined,
    {
      message: "an inbox takes `review`; the organization takes `review`, `ttl_seconds` or both",
    },
  );
export const policyOutput = z.object({
  own: review.nullable(),
  organization: review,
  ttl_seconds: z.int(),
});
