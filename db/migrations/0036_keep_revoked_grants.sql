DROP INDEX "domain_grants_domain";--> statement-breakpoint
ALTER TABLE "domain_grants" ADD COLUMN "revoked_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE UNIQUE INDEX "domain_grants_domain" ON "domain_grants" USING btree ("domain") WHERE "domain_grants"."enrollment_key_id" is null and "domain_grants"."revoked_at" is null;