ALTER TABLE "agent_keys" ADD COLUMN "inbox_access" text;--> statement-breakpoint
ALTER TABLE "enrollment_keys" ADD COLUMN "inbox_access" text DEFAULT 'organization' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "agent_id" uuid;--> statement-breakpoint
CREATE INDEX "inboxes_agent" ON "inboxes" USING btree ("agent_id","id");