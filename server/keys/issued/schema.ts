// What agents take and give of the keys that they issue.
import { z } from "zod";
import { INBOX_ACCESS } from "#db/scopes.ts";
import { SCOPES } from "../../base/context.ts";
import {
  EXAMPLE_ADDRESS,
  givenId,
  givenTime,
  id,
  line,
  moment,
  outgoingDelay,
  page,
  pageInput,
  strictInt,
} from "../../base/fields.ts";

const INBOXES_MAX = 100;
const ADDRESS_CHARS = 320;
const NAME_CHARS = 100;
const BUDGET_MAX = 1_000_000_000;

const scopes = z
  .array(z.enum(SCOPES))
  .min(1)
  .max(SCOPES.length)
  .meta({ description: "What the key may do.", example: ["mailbox:read"] });
const address = line(ADDRESS_CHARS).min(1).meta({ example: EXAMPLE_ADDRESS });

export const issueAgentKeyInput = z.object({
  name: line(NAME_CHARS).trim().min(1).optional().meta({ description: "Name of the key.", example: "worker" }),
  scopes: scopes.meta({ description: "What the key may do: some of the scopes of this key." }),
  inboxes: z.array(address).min(1).max(INBOXES_MAX).optional().meta({
    description: "Addresses that the key is restricted to. Default: the restriction of this key.",
  }),
  inbox_access: z.enum(INBOX_ACCESS).optional().meta({
    description: "`own`: only mailboxes that this agent created. Default: as this key.",
    example: "own",
  }),
  expires_at: givenTime().optional().meta({
    description: "When the key expires, not later than this key. Default: when this key expires.",
    example: "2027-01-31T12:00:00Z",
  }),
  send_budget: strictInt(0, BUDGET_MAX).optional().meta({
    description:
      "How many recipients the key, with the keys that it issues, may send to in its lifetime. They also count against the budgets of the keys above it. Default: no separate budget.",
    example: 50,
  }),
  outgoing_delay_seconds: outgoingDelay.optional().meta({
    description:
      "What the key, and the keys that it issues, send stays `queued` so long, and can be cancelled. The largest delay of the keys and the mailbox counts.",
    example: 30,
  }),
});
export type IssueAgentKeyInput = z.infer<typeof issueAgentKeyInput>;

export const issuedKey = z
  .object({
    id: id("akey", "Id of the key."),
    name: z.string().nullable().meta({ description: "Name of the key. Null: none.", example: null }),
    parent_id: id("akey", "Id of the key that issued it."),
    scopes: scopes.meta({ description: "What the key may do." }),
    inboxes: z.array(z.string()).nullable().meta({
      description: "Addresses that the key is restricted to. Null: all mailboxes.",
      example: null,
    }),
    inbox_access: z.enum(INBOX_ACCESS).meta({
      description: "The mailboxes that it reaches: all of the organization, or only what its agent created.",
      example: "own",
    }),
    send_budget: z
      .int()
      .nullable()
      .meta({ description: "Recipients that it may send to. Null: no budget.", example: 50 }),
    sent_count: z.int().meta({ description: "Recipients that count against `send_budget`.", example: 3 }),
    outgoing_delay_seconds: z.int().meta({ description: "How long its sends stay `queued` at least.", example: 0 }),
    active: z.boolean().meta({ description: "Whether the key works.", example: true }),
    expires_at: moment().nullable().meta({ description: "When the key expires. Null: it does not.", example: null }),
    revoked_at: moment().nullable().meta({ description: "When the key was revoked, or one above it.", example: null }),
    created_at: moment("When the key was issued."),
    last_used_at: moment()
      .nullable()
      .meta({ description: "When the key was last used, noted every five minutes. Null: never.", example: null }),
  })
  .meta({ id: "IssuedKey" });

export const issueAgentKeyOutput = issuedKey
  .extend({
    key: z.string().meta({
      description: "The agent key, `mb_agent_…`. Shown only in this answer: store it.",
      example: "mb_agent_01jd3m9v5sf0b8j3mgz7qk2x4c_…",
    }),
  })
  .meta({ id: "IssuedKeyWithSecret" });

export const agentKeyIdInput = z.object({ id: givenId("akey", "Id of the key.") });
export const issuedPageInput = z.object(pageInput);
export const issuedPageOutput = page("IssuedKeyPage", issuedKey);
