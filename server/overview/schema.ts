// What the overview tells, and the tables of mailboxes and agents.
import { z } from "zod";
import { INBOX_ACCESS } from "#db/scopes.ts";
import { SCOPES } from "../base/context.ts";
import { addr, line, moment, pageInput } from "../base/fields.ts";
import { inboxFields, QUERY_CHARS } from "../inboxes/schema.ts";
import { STORAGE_STATES } from "../inboxes/storage/state.ts";
import { agentKey, keyUsage } from "../keys/members-schema.ts";
import { STATUSES } from "../messages/message-schema.ts";

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
  /** `name`: also has the handle. */
  agents: z.array(z.object({ id: z.string(), name: z.string() })),
  webhooks: z.array(z.object({ id: z.string(), url: z.string() })),
  domains: z.array(z.object({ id: z.string(), domain: z.string() })),
});

const next_cursor = z.string().nullable();
const ID_CHARS = 100;

/** Unread mail of one mailbox is counted this far. */
export const COUNTED_UNREAD = 100;
/** Of so many of the newest quarantined messages of an organization, those of each mailbox are counted. */
export const COUNTED_QUARANTINED = 1_000;
/** Mailboxes of an organization are counted this far. */
export const COUNTED_INBOXES = 10_000;

/** `q`: a part of the address or of the display name; `addr`: one mailbox alone; `agent`: those that one agent created. */
export const summariesInput = z.object({
  ...pageInput,
  q: line(QUERY_CHARS).trim().optional(),
  addr: addr.optional(),
  agent: z.string().max(ID_CHARS).optional(),
  /** `sent`: by what they sent today, the most first. */
  sort: z.enum(["newest", "address", "sent"]).default("newest"),
});
export type SummariesInput = z.infer<typeof summariesInput>;
export const summariesOutput = z.object({
  data: z.array(
    z.object({
      id: inboxFields.id,
      address: inboxFields.address,
      display_name: z.string(),
      catch_all: z.boolean(),
      outgoing_delay_seconds: z.int(),
      created_at: moment(),
      /** Up to COUNTED_UNREAD. */
      unread: z.int(),
      /** The newest in either direction. */
      last_message: z
        .object({
          id: z.string(),
          direction: z.enum(["inbound", "outbound"]),
          status: z.enum(STATUSES),
          from: z.string(),
          from_name: z.string().nullable(),
          subject: z.string(),
          at: moment(),
        })
        .nullable(),
      /** Who created it. Null: a member. */
      agent: z.object({ id: z.string(), handle: z.string() }).nullable(),
      enrollment_key: z.object({ id: z.string(), name: z.string() }),
      /** Recipients of today that count against the cap, and the cap. */
      sent_today: z.int(),
      cap: z.int(),
      /** Its sending is paused: by people, or after bounces. */
      paused: z.boolean(),
      /** It, or its organization, has no room for new mail, or little. Null: there is room. */
      storage: z.enum(STORAGE_STATES).nullable(),
      /** Messages in quarantine, up to COUNTED_QUARANTINED. */
      quarantined: z.int(),
      /** Which messages of agents wait for a member. */
      review: z.enum(["none", "first_contact", "all"]),
      /** Which of its allow lists have entries. */
      allow_lists: z.array(z.enum(["send", "receive"])),
    }),
  ),
  next_cursor,
  /** Of all mailboxes of the organization or the agent, up to COUNTED_INBOXES; only with the first page, and without `q` and `addr`. */
  total: z.int().nullable(),
});

/** `q`: a part of the handle or of the name. */
export const agentsInput = z.object({ ...pageInput, q: line(QUERY_CHARS).trim().optional() });
export type AgentsInput = z.infer<typeof agentsInput>;
export const agentInput = z.object({ id: z.string().max(ID_CHARS) });

const agent = z.object({
  id: z.string(),
  handle: z.string(),
  name: z.string().nullable(),
  created_at: moment(),
  enrollment_key: z.object({ id: z.string(), name: z.string(), revoked: z.boolean() }),
  working_keys: z.int(),
  /** Live ones, of the newest 1,000 that it created. */
  inboxes: z.int(),
  /** Recipients of today, of the mailboxes that it created. */
  sent_today: z.int(),
  webhooks: z.int(),
  /** When one of its keys was issued or changed something. Reading is not recorded. */
  last_active_at: moment().nullable(),
});
export const agentsOutput = z.object({ data: z.array(agent), next_cursor });
export const agentOutput = agent.extend({
  /** Of its enrollment key. */
  limits: z.object({
    max_mailboxes: z.int(),
    used_count: z.int(),
    remaining: z.int(),
    scopes: z.array(z.enum(SCOPES)),
    inbox_access: z.enum(INBOX_ACCESS),
    allowed_domains: z.array(z.string()),
  }),
  key_count: z.int(),
  /** At most 20: active keys first, then the newest. */
  keys: z.array(agentKey),
  /** The key that made the newest recorded change, which `keys` may lack. Null: there is none. */
  last_changed_key: z.object({ id: z.string(), active: z.boolean() }).nullable(),
});
export const agentDaysOutput = z.object({
  /** The last 14 UTC days, today included, oldest first. */
  data: z.array(
    z.object({
      day: z.string(),
      sent: z.int(),
      bounced: z.int(),
      /** Null: more than 50,000 in the days. */
      received: z.int().nullable(),
    }),
  ),
});
