// What members take and give of enrollment keys, their agents and their ledger.
import { z } from "zod";
import { INBOX_ACCESS } from "#db/scopes.ts";
import { SCOPES } from "../base/context.ts";
import { givenTime, line, moment, outgoingDelay, pageInput, strictInt } from "../base/fields.ts";
import { readAllowedDomain } from "../grants/allowed-domains.ts";
import { MAILBOXES_MAX } from "./issue-enrollment-key.ts";
import { enrollInput } from "./schema.ts";

const ID_CHARS = 100;
const NAME_CHARS = 100;
const DOMAIN_CHARS = 300;
const DOMAINS_MAX = 50;
const ADDRESS_CHARS = 320;
const INBOXES_MAX = 100;

const next_cursor = z.string().nullable();
const status = z.enum(["active", "expired", "revoked", "exhausted"]);

const domain = z
  .string()
  .trim()
  .max(DOMAIN_CHARS)
  .refine((text) => readAllowedDomain(text) !== undefined, "not a domain name; example.com, or *.example.com");

const expiresAt = givenTime();

export const issueKeyInput = z.object({
  name: line(NAME_CHARS).trim().min(1),
  max_mailboxes: strictInt(1, MAILBOXES_MAX),
  /** Absent: the shared domain of the service. */
  allowed_domains: z.array(domain).min(1).max(DOMAINS_MAX).optional(),
  /** Absent: those of work in mailboxes. */
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).optional(),
  /** The mailboxes that each of its agents reaches. Absent: all of the organization. */
  inbox_access: z.enum(INBOX_ACCESS).optional(),
  /** ISO 8601 with `Z` or an offset, in the future. Absent: it does not expire. */
  expires_at: expiresAt.optional(),
});

/** Omitted fields stay. */
export const updateKeyInput = z.object({
  id: z.string().max(ID_CHARS),
  name: line(NAME_CHARS).trim().min(1).optional(),
  max_mailboxes: strictInt(1, MAILBOXES_MAX).optional(),
  /** As of `issue`. Null: it does not expire. */
  expires_at: expiresAt.nullable().optional(),
});

export const keyIdInput = z.object({ id: z.string().max(ID_CHARS) });
export const keyPageInput = keyIdInput.extend(pageInput);
export const listKeysInput = z.object(pageInput);

/** What a bar shows of a key. */
export const keyUsage = z.object({
  id: z.string(),
  name: z.string(),
  status,
  max_mailboxes: z.int(),
  /** Mailboxes created with it, deleted ones included. */
  used_count: z.int(),
  /** The mean of the last 14 days, or of as many as it is there. */
  used_per_day: z.number(),
  /** At this pace; 0: it is full; null: mailboxes were created on fewer than 3 of the days. */
  days_until_full: z.int().nullable(),
  expires_at: moment().nullable(),
  created_at: moment(),
});

const key = keyUsage.extend({
  prepaid: z.int(),
  allowed_domains: z.array(z.string()),
  inbox_access: z.enum(INBOX_ACCESS),
  scopes: z.array(z.enum(SCOPES)),
  revoked_at: moment().nullable(),
  /** The last call or enrollment of its agents, with keys that are not revoked; some minutes late. Null: none is known. */
  last_used_at: moment().nullable(),
  /** Up to 10,000. */
  agents: z.int(),
  /** Of these agents, that open something at this moment. */
  active_agent_keys: z.int(),
  /** Of the newest COUNTED_INBOXES of the key. */
  live_inboxes: z.int(),
});
export const listKeysOutput = z.object({ data: z.array(key), next_cursor });
export const getKeyOutput = key.extend({
  /** What ends when the key is revoked. */
  stops: z.object({
    agents: z.int(),
    agent_keys: z.int(),
    /** Of the newest COUNTED_INBOXES of the key. */
    live_inboxes: z.int(),
    /** Live inboxes of these that only members can read after the revocation: no agent of another key may. */
    orphaned_inboxes: z.int(),
  }),
});

/** `key`, the secret `mb_enroll_…`, is shown only here. */
export const issueKeyOutput = getKeyOutput.extend({ key: z.string() });

export const keyDefaultsOutput = z.object({
  /** The shared domain of the service first, then the domains that the organization's keys allow. */
  domains: z.array(z.string()),
  max_mailboxes_max: z.int(),
});

export const memberIssueInput = z.object({
  /** The key that the agent enrolls with. */
  enrollment_key_id: z.string().max(ID_CHARS),
  agent_handle: enrollInput.shape.agent_handle,
  agent_name: enrollInput.shape.agent_name,
  /** Within those of the enrollment key. */
  scopes: z.array(z.enum(SCOPES)).min(1).max(SCOPES.length),
  /** Addresses that the key is restricted to. Absent: what the enrollment key reaches. */
  inboxes: z.array(line(ADDRESS_CHARS).min(1)).min(1).max(INBOXES_MAX).optional(),
  /** ISO 8601 with `Z` or an offset, in the future. Absent: it does not expire. */
  expires_at: givenTime().optional(),
  outgoing_delay_seconds: outgoingDelay.optional(),
});
export type MemberIssueInput = z.infer<typeof memberIssueInput>;
/** `key`, the secret `mb_agent_…`, is shown only here. */
export const memberIssueOutput = z.object({
  id: z.string(),
  agent_id: z.string(),
  key: z.string(),
  scopes: z.array(z.enum(SCOPES)),
});

export const agentKey = z.object({
  id: z.string(),
  /** The key that issued it. Null: it was issued for the enrollment key. */
  parent_id: z.string().nullable(),
  send_budget: z.int().nullable(),
  sent_count: z.int(),
  outgoing_delay_seconds: z.int(),
  scopes: z.array(z.enum(SCOPES)),
  /** Only the mailboxes that its agent created. */
  own_inboxes: z.boolean(),
  /** Null: every inbox of these. `addresses`: the live ones of them, at most 50. */
  inboxes: z.object({ count: z.int(), addresses: z.array(z.string()) }).nullable(),
  active: z.boolean(),
  expires_at: moment().nullable(),
  revoked_at: moment().nullable(),
  /** Some minutes late. Null: none is known. */
  last_used_at: moment().nullable(),
  created_at: moment(),
});
export const listAgentsOutput = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      handle: z.string(),
      name: z.string().nullable(),
      created_at: moment(),
      /** That it made, of the newest COUNTED_INBOXES of the key; deleted ones included. */
      inboxes: z.int(),
      key_count: z.int(),
      /** At most 20: active keys first, then the newest. */
      keys: z.array(agentKey),
    }),
  ),
  next_cursor,
});
export const revokedAgentKeyOutput = z.object({ id: z.string(), revoked_at: moment() });

export const ledgerOutput = z.object({
  /** issued + bought = max_mailboxes, created = used_count. */
  quota: z.object({
    issued: z.int(),
    bought: z.int(),
    max_mailboxes: z.int(),
    created: z.int(),
    used_count: z.int(),
  }),
  data: z.array(
    z.object({
      kind: z.enum(["mailbox", "prepaid"]),
      /** `inb_…` or `pay_…`. */
      id: z.string(),
      at: moment(),
      /** A mailbox uses one; a prepaid entry adds as many as were bought. */
      mailboxes: z.int(),
      agent: z.object({ id: z.string(), handle: z.string() }).nullable(),
      /** Null for a prepaid entry, and for a deleted mailbox whose address is in use again. */
      address: z.string().nullable(),
      status: z.enum(["reserved", "live", "deleted"]).nullable(),
      deleted_at: moment().nullable(),
    }),
  ),
  next_cursor,
});
