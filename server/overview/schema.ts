// What the overview tells.
import { z } from "zod";
import { line, moment } from "../base/fields.ts";
import { keyUsage } from "../keys/members-schema.ts";

const problem = z.object({
  severity: z.enum(["critical", "warning"]),
  text: z.string(),
  fix: z.string(),
  since: moment().nullable(),
  where: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("key"), id: z.string() }),
    z.object({ kind: z.literal("webhook"), id: z.string() }),
    z.object({ kind: z.literal("message"), id: z.string(), inbox: z.string(), thread_id: z.string() }),
    /** `id`: the address of the mailbox; empty: the organization. */
    z.object({ kind: z.literal("storage"), id: z.string() }),
    z.object({ kind: z.literal("domain"), id: z.string() }),
    /** `id`: the address of the mailbox. */
    z.object({ kind: z.literal("inbox"), id: z.string() }),
  ]),
});

export const needsOutput = z.object({
  /** One of each kind, the worst first. Counts are exact up to 50. */
  data: z.array(
    z.object({
      kind: z.enum(["approval", "webhook", "domain", "pending_domain", "inbox", "storage", "key", "message"]),
      severity: z.enum(["critical", "warning"]),
      count: z.int(),
      /** Of approvals and pending domains: when the oldest was made, and when the first expires. */
      oldest_at: moment().nullable(),
      expires_at: moment().nullable(),
    }),
  ),
});

export const overviewOutput = z.object({
  needs: needsOutput.shape.data,
  /** The worst first, at most 10 of each kind. */
  problems: z.array(problem),
  /** The fullest 8 of the keys that are neither revoked nor expired. */
  keys: z.array(keyUsage),
  key_count: z.int(),
  /** The last 14 UTC days, today included, oldest first. */
  days: z.array(
    z.object({
      day: z.string(),
      received: z.int(),
      sent: z.int(),
      /** By the day of their event. Null: further back than the newest 50,000 deliveries. */
      deliveries: z
        .object({
          succeeded: z.int(),
          failed: z.int(),
          /** Pending, and each attempt so far failed. */
          retrying: z.int(),
          /** Pending, and not attempted yet. */
          waiting: z.int(),
          attempts: z.int(),
          failed_attempts: z.int(),
        })
        .nullable(),
    }),
  ),
  /** The inboxes that have sent most of what they may send today. */
  send_caps: z.object({
    resets_at: moment(),
    inboxes: z.array(z.object({ address: z.string(), sent: z.int(), cap: z.int() })),
  }),
  steps: z.object({ key: z.boolean(), inbox: z.boolean(), webhook: z.boolean() }),
});

/** A part of a name. */
const FIND_CHARS_MAX = 200;

export const findInput = z.object({ q: line(FIND_CHARS_MAX).trim().min(1) });

/** The newest five of each whose name contains the text. */
export const findOutput = z.object({
  keys: z.array(z.object({ id: z.string(), name: z.string() })),
  webhooks: z.array(z.object({ id: z.string(), url: z.string() })),
  domains: z.array(z.object({ id: z.string(), domain: z.string() })),
});
