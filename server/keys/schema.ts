// What enrollment takes and returns on the wire.
import { z } from "zod";
import { INBOX_ACCESS } from "#db/scopes.ts";
import { SCOPES } from "../base/context.ts";
import { id, line, moment } from "../base/fields.ts";

const quotaShape = z.object({
  max_mailboxes: z.int().meta({ description: "Mailboxes that the enrollment key may create.", example: 100 }),
  used_count: z.int().meta({
    description: "Mailboxes created with the enrollment key. Deleted mailboxes count too.",
    example: 3,
  }),
  remaining: z.int().meta({ description: "Mailboxes that can still be created.", example: 97 }),
});
const quota = quotaShape.meta({ id: "Quota" });
const quotaWithPrepaid = quotaShape
  .extend({
    prepaid: z.int().optional().meta({
      description: "Mailboxes that are paid for and not created yet. Present when the organization pays.",
    }),
  })
  .meta({ id: "QuotaWithPrepaid" });
const scopes = z.array(z.enum(SCOPES)).meta({ description: "What the key may do.", maxItems: SCOPES.length });
const domains = z.array(z.string().meta({ example: "mail.localhost" })).meta({
  description: "Domains that the agent may create mailboxes on. `*.example.com` allows every subdomain.",
});
const agentId = id("agt", "Id of the agent.");
const orgId = id("org", "Id of the organization.");

export const enrollInput = z.object({
  token: z.string().max(200).meta({
    description: "The enrollment key, `mb_enroll_…`.",
    example: "mb_enroll_01jd3m9v5sf0b8j3mgz7qk2x4c_…",
  }),
  agent_handle: line(64).min(1).meta({
    description: "Names the agent. The same handle is always the same agent.",
    example: "billing-bot",
  }),
  agent_name: line(100).optional().meta({ description: "Name of the agent for people.", example: "Billing bot" }),
});

export const enrollOutput = z
  .object({
    agent_id: agentId,
    agent_key: z.string().meta({
      description: "The agent key, `mb_agent_…`. Shown only in this answer: store it.",
      example: "mb_agent_01jd3m9v5sf0b8j3mgz7qk2x4c_…",
    }),
    scopes,
    org_id: orgId,
    quota: quota.meta({ description: "Mailbox quota of the enrollment key." }),
    allowed_domains: domains,
  })
  .meta({ id: "Enrollment" });

export const meOutput = z
  .object({
    agent_id: agentId,
    agent_handle: z.string().meta({ description: "Handle of the agent.", example: "billing-bot" }),
    agent_name: z.string().nullable().meta({ description: "Name of the agent for people.", example: "Billing bot" }),
    key_id: id("akey", "Id of the agent key of this request."),
    org_id: orgId,
    organization: z.string().meta({ description: "Name of the organization.", example: "Acme" }),
    scopes,
    inboxes: z.array(z.string()).nullable().meta({
      description: "Addresses that the key is restricted to. Null: all that `inbox_access` names.",
      example: null,
    }),
    inbox_access: z.enum(INBOX_ACCESS).meta({
      description: "The mailboxes that the key reaches: all of the organization, or only what its agent created.",
      example: "own",
    }),
    allowed_domains: domains,
    quota: quotaWithPrepaid.meta({ description: "Mailbox quota of the enrollment key." }),
    send_budget: z.int().nullable().meta({
      description: "Recipients that the key may send to in its lifetime. Null: it has no budget of its own.",
      example: null,
    }),
    sends_left: z.int().nullable().meta({
      description:
        "Recipients that the key can still send to within its budget and those of the keys that issued it. Null: there is no budget.",
      example: null,
    }),
    submission: z
      .object({
        host: z.string().meta({ description: "Name of the SMTP server." }),
        starttls_port: z.int().nullable().meta({ description: "Port with STARTTLS. Null: none." }),
        tls_port: z.int().nullable().meta({ description: "Port with TLS from the start. Null: none." }),
      })
      .nullable()
      .meta({
        description: "Where mail programs send over SMTP with this key. Null: the service takes no mail of programs.",
        example: { host: "mx.example.com", starttls_port: 587, tls_port: 465 },
      }),
    expires_at: moment().nullable().meta({
      description: "When the key expires. Null: it does not expire.",
      example: null,
    }),
  })
  .meta({ id: "Caller" });
