// The organization for its members: name, notification addresses, domains, and facts about the service.
import { and, desc, eq, sql } from "drizzle-orm";
import { asInIndex, isInForce } from "#db/conditions.ts";
import { enrollmentKeys, organizations } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import type { Ctx, Member } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { encodeId } from "../base/ids.ts";
import { grantedDomains, usableDomains } from "../grants/granted-domains.ts";
import { listAddresses } from "../system-mail/addresses.ts";

// Facts about the service that people need: SMTP address, domain, names.
const EVERY_ADDRESS = ["0.0.0.0", "::"];

/** `info.x-mailberth` of the OpenAPI document, and the dashboard's settings. It contains no secrets. */
export function serviceFacts(settings: Settings) {
  return {
    smtp_host: smtpHost(settings),
    smtp_port: settings.SMTP_PORT,
    submission: submissionOf(settings),
    default_domain: settings.DEFAULT_DOMAIN,
    service_name: settings.SERVICE_NAME,
    outbound: settings.OUTBOUND,
    webhook_targets: settings.WEBHOOK_TARGETS,
  };
}

function smtpHost({ HOST, SMTP_HOSTNAME }: Settings): string {
  return EVERY_ADDRESS.includes(HOST) ? SMTP_HOSTNAME : HOST;
}

/** Where mail programs send over SMTP. Null: nowhere, no port is set. */
export function submissionOf(settings: Settings) {
  const { SUBMISSION_PORT: starttls_port = null, SUBMISSIONS_PORT: tls_port = null } = settings;
  if (starttls_port === null && tls_port === null) return null;
  return { host: smtpHost(settings), starttls_port, tls_port };
}

/** The newest mailboxes, whose domains are listed. */
const MAILBOXES_LOOKED_AT = 1_000;

export async function getOrganization(ctx: Ctx<Member>) {
  const { actor, settings, db } = ctx;
  const [row] = await db.select().from(organizations).where(eq(organizations.id, actor.organizationId));
  if (!row) throw new Error(`the organization ${actor.organizationId} has gone`);
  return {
    id: encodeId("org", actor.organizationId),
    name: row.name,
    owner_emails: row.owner_emails,
    notice_addresses: (await listAddresses(db, actor.organizationId)).map(({ asked_at, ...each }) => ({
      ...each,
      asked_at: asked_at?.toISOString() ?? null,
    })),
    paid_provisioning: row.paid_provisioning,
    require_company_sign_in: row.require_company_sign_in,
    require_second_factor: row.require_second_factor,
    created_at: row.created_at.toISOString(),
    domains: await domainsOf(ctx),
    service: {
      ...serviceFacts(settings),
      public_url: settings.PUBLIC_URL,
      send_cap_ramp: settings.SEND_CAP_RAMP,
      payments: {
        enabled: settings.PAYMENTS_ENABLED,
        network: settings.PAYMENTS_NETWORK,
        price_per_mailbox: settings.PAYMENTS_PRICE_PER_MAILBOX,
      },
    },
  };
}

async function domainsOf(ctx: Ctx<Member>) {
  const { actor, db, settings, now } = ctx;
  const { organizationId } = actor;
  const newest = db
    .select({ domain: inboxes.domain })
    .from(inboxes)
    .where(and(eq(inboxes.organization_id, organizationId), asInIndex(eq(inboxes.status, "live"))))
    .orderBy(desc(inboxes.id))
    .limit(MAILBOXES_LOOKED_AT)
    .as("newest");
  const used = await db.selectDistinct({ domain: newest.domain }).from(newest).orderBy(newest.domain);
  const domain = sql<string>`unnest(${enrollmentKeys.allowed_domains})`.as("domain");
  const allowed = await db
    .selectDistinct({ domain })
    .from(enrollmentKeys)
    .where(and(eq(enrollmentKeys.organization_id, organizationId), isInForce(enrollmentKeys, now())))
    .orderBy(domain);
  const names = allowed.map((row) => row.domain);
  return {
    in_use: used.map((row) => row.domain),
    allowed: usableDomains(settings, names, await grantedDomains(ctx, organizationId)),
  };
}
