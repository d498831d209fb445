ALTER TABLE "agent_keys" ADD COLUMN "last_used_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "name" text;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "object_id" text;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "object_name" text;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "changes" jsonb;--> statement-breakpoint
CREATE INDEX "activity_organization" ON "activity" USING btree ("organization_id","id");