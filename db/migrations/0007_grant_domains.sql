CREATE TABLE "domain_grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"domain" text NOT NULL,
	"organization_id" uuid NOT NULL,
	"enrollment_key_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "domain_grants" ADD CONSTRAINT "domain_grants_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domain_grants" ADD CONSTRAINT "domain_grants_enrollment_key_id_enrollment_keys_id_fk" FOREIGN KEY ("enrollment_key_id") REFERENCES "public"."enrollment_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "domain_grants_domain" ON "domain_grants" USING btree ("domain") WHERE "domain_grants"."enrollment_key_id" is null;--> statement-breakpoint
CREATE INDEX "domain_grants_organization" ON "domain_grants" USING btree ("organization_id");--> statement-breakpoint
-- Domains of keys that are neither revoked nor expired become grants of the keys' organizations, except where two organizations
-- have overlapping domains: the operator grants those to one of them (npm run -s admin -- domains grant).
WITH claims AS (
	SELECT DISTINCT k.id AS key_id, k.organization_id, regexp_replace(d.allowed, '^\*\.', '') AS domain
	FROM enrollment_keys k, unnest(k.allowed_domains) AS d(allowed)
	WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())
), domains AS (
	SELECT DISTINCT organization_id, domain FROM claims WHERE domain LIKE '%.%'
)
INSERT INTO domain_grants (id, domain, organization_id, enrollment_key_id, created_at)
SELECT gen_random_uuid(), c.domain, c.organization_id, c.key_id, now()
FROM claims c
WHERE c.domain LIKE '%.%' AND NOT EXISTS (
	SELECT FROM domains o
	WHERE o.organization_id <> c.organization_id
		AND (o.domain = c.domain OR o.domain LIKE '%.' || c.domain OR c.domain LIKE '%.' || o.domain)
);
