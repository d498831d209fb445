ALTER TABLE "organizations" DROP CONSTRAINT "organizations_name_unique";--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD COLUMN "approved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD COLUMN "networks" text[];--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD COLUMN "asked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD COLUMN "asked_from" text;--> statement-breakpoint
CREATE INDEX "oauth_clients_unused" ON "oauth_clients" USING btree ("created_at") WHERE "oauth_clients"."approved_at" is null;--> statement-breakpoint
-- by hand
-- Clients that members have connected are used.
UPDATE "oauth_clients" c SET "approved_at" = coalesce(c."created_at", now())
WHERE EXISTS (SELECT FROM "app_connections" a WHERE a."client_id" = c."client_id");--> statement-breakpoint
-- Connections of earlier memberships end: those of removed members, also of members who joined again.
UPDATE "agent_keys" SET "revoked_at" = now() WHERE "revoked_at" IS NULL AND "id" IN (
  SELECT a."agent_key_id" FROM "app_connections" a
  WHERE NOT EXISTS (
    SELECT FROM "members" m
    WHERE m."organization_id" = a."organization_id" AND m."user_id" = a."user_id" AND m."created_at" <= a."created_at"));
