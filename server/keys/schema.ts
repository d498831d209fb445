// What enrollment takes and gives on the wire.
import { z } from "zod";
import { SCOPES } from "../base/context.ts";
import { line, moment } from "../base/fields.ts";

const quota = z.object({
  max_mailboxes: z.int(),
  used_count: z.int().meta({ description: "Mailboxes created with the enrollment key, deleted ones included." }),
  remaining: z.int(),
});
const scopes = z.array(z.enum(SCOPES));
const domains = z.array(z.string());

export const enrollInput = z.object({
  token: z.string().max(200).meta({ description: "The enrollment key, `mb_enroll_…`." }),
  agent_handle: line(64)
    .min(1)
    .meta({ description: "Names the agent; the same handle is the same agent.", example: "billing-bot" }),
  agent_name: line(100).optional(),
});

export const enrollOutput = z.object({
  agent_id: z.string(),
  agent_key: z.string().meta({ description: "The agent key, `mb_agent_…`. Shown only here." }),
  scopes,
  org_id: z.string(),
  quota,
  allowed_domains: domains,
});

export const meOutput = z.object({
  agent_id: z.string(),
  agent_handle: z.string(),
  agent_name: z.string().nullable(),
  key_id: z.string(),
  org_id: z.string(),
  organization: z.string(),
  scopes,
  inboxes: z.array(z.string()).nullable().meta({ description: "Addresses the key is restricted to; null: all." }),
  allowed_domains: domains,
  quota: quota.extend({
    prepaid: z.int().optional().meta({
      description: "Bought and not created yet; there when the organization pays for mailboxes.",
    }),
  }),
  expires_at: moment().nullable(),
});
