// What the organization's own page reads and changes.
import { z } from "zod";

const OWNER_EMAIL_CHARS = 254;
const OWNER_EMAILS_MAX = 20;
/** Its rule is organizations.ts's, as with an operator's command. */
const NAME_UNITS_MAX = 200;

export const organizationOutput = z.object({
  id: z.string(),
  name: z.string(),
  /** Addresses that are listed for notices by mail. */
  owner_emails: z.array(z.string()),
  /** The same addresses, each with whether it gets notices: those of members and confirmed ones do. */
  notice_addresses: z.array(
    z.object({
      address: z.string(),
      state: z.enum(["member", "confirmed", "pending", "refused"]),
      /** When the email that asks for confirmation was written last. */
      asked_at: z.string().nullable(),
    }),
  ),
  paid_provisioning: z.boolean(),
  require_company_sign_in: z.boolean(),
  require_second_factor: z.boolean(),
  created_at: z.string(),
  domains: z.object({
    /** Of its newest 1,000 mailboxes. */
    in_use: z.array(z.string()),
    /** By its enrollment keys that are good; `*.` and a domain stands for every one below it. */
    allowed: z.array(z.string()),
  }),
  service: z.object({
    service_name: z.string(),
    default_domain: z.string(),
    public_url: z.string(),
    smtp_host: z.string(),
    smtp_port: z.int(),
    /** Where mail programs send with an agent key. Null: nowhere. */
    submission: z
      .object({ host: z.string(), starttls_port: z.int().nullable(), tls_port: z.int().nullable() })
      .nullable(),
    outbound: z.enum(["local", "smtp", "resend"]),
    webhook_targets: z.enum(["public", "any"]),
    /** Sends a day, by a mailbox's age in days; the last one stays. */
    send_cap_ramp: z.array(z.int()),
    payments: z.object({
      /** Whether the service takes payments at all; whether the organization pays is `paid_provisioning`. */
      enabled: z.boolean(),
      /** CAIP-2 identifier. */
      network: z.string(),
      /** Integer in the asset's smallest unit. */
      price_per_mailbox: z.string(),
    }),
  }),
});

export const updateOrganizationInput = z
  .object({
    name: z.string().trim().max(NAME_UNITS_MAX).optional(),
    owner_emails: z.array(z.string().trim().max(OWNER_EMAIL_CHARS)).max(OWNER_EMAILS_MAX).optional(),
    require_company_sign_in: z.boolean().optional(),
    require_second_factor: z.boolean().optional(),
  })
  .refine(
    (change) => Object.keys(change).length > 0,
    "name, owner_emails, require_company_sign_in or require_second_factor is needed",
  );

export const sendConfirmationInput = z.object({ address: z.string().trim().max(OWNER_EMAIL_CHARS) });

export const updateOrganizationOutput = organizationOutput.pick({
  id: true,
  name: true,
  owner_emails: true,
  paid_provisioning: true,
  require_company_sign_in: true,
  require_second_factor: true,
});
