// What the verification endpoints take and return on the wire.
import { z } from "zod";
import { id, inboxAddress, line, moment, strictInt } from "../../base/fields.ts";
import { createInput } from "../../inboxes/schema.ts";
import { message } from "../message-schema.ts";
import { extraction, waitInput } from "../wait/schema.ts";

const DEFAULT_TTL_SECONDS = 900;
const MIN_TTL_SECONDS = 60;
const MAX_TTL_SECONDS = 86_400;
/** The longest that one request blocks, as for other waits. */
const MAX_WAIT_SECONDS = 120;
/** Of a URL that ends with the token. */
const TOKEN_CHARS = 2_000;

const { username, domain } = createInput.shape;
const { from } = waitInput.shape;

export const createVerificationInput = z.object({
  username,
  domain,
  from,
  ttl_seconds: strictInt(MIN_TTL_SECONDS, MAX_TTL_SECONDS)
    .default(DEFAULT_TTL_SECONDS)
    .meta({
      description: `How long the mailbox exists, ${MIN_TTL_SECONDS} to ${MAX_TTL_SECONDS}. Then it is deleted with its mail.`,
      example: DEFAULT_TTL_SECONDS,
    }),
});
export type CreateVerificationInput = z.infer<typeof createVerificationInput>;

export const createVerificationOutput = z
  .object({
    id: id("ver", "Id of the verification."),
    address: inboxAddress.meta({ description: "The address to sign up with." }),
    wait_url: z.string().meta({
      description:
        "GET it without a key: it blocks until the code arrives, and returns the same code until the lease ends. Everyone who has the URL can read the code: keep it secret. To take the code once, POST to the URL with `/take` behind it.",
      example: "https://mail.example.com/v1/verifications/01jd3m9v5sf0b8j3mgz7qk2x4c.k3v9w2m8q1r7t5x4",
    }),
    expires_at: moment("When the mailbox is deleted."),
  })
  .meta({ id: "Verification" });

export const waitVerificationInput = z.object({
  lease: line(TOKEN_CHARS)
    .transform((text) => text.slice(text.lastIndexOf("/") + 1))
    .meta({
      description: "The last part of `wait_url`, which is signed.",
      example: "01jd3m9v5sf0b8j3mgz7qk2x4c.k3v9w2m8q1r7t5x4",
    }),
  timeout_seconds: z
    .int()
    .min(0)
    .max(MAX_WAIT_SECONDS)
    .meta({ description: `How long to block, 0 to ${MAX_WAIT_SECONDS}. Repeat the request after \`timed_out: true\`.` })
    .default(MAX_WAIT_SECONDS),
});
export type WaitVerificationInput = z.infer<typeof waitVerificationInput>;

const { otp, link, confidence } = extraction.shape;

export const waitVerificationOutput = z
  .object({
    timed_out: z.boolean().meta({ description: "Whether the time ran out before a code or a link.", example: false }),
    otp,
    link,
    confidence,
    sender_verified: z.boolean().nullable().meta({
      description:
        "Whether SPF or DKIM proved the domain in From, or a mailbox of this service sent it. Null: the wait timed out, or not known yet. Do not use a code of an unverified sender for anything of value.",
      example: true,
    }),
    message: message.nullable().meta({ description: "The mail. Null: the wait timed out." }),
  })
  .meta({ id: "VerificationResult" });
export type WaitVerificationOutput = z.infer<typeof waitVerificationOutput>;
