ALTER TABLE "agent_keys" ADD COLUMN "outgoing_delay_seconds" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "inboxes" ADD COLUMN "outgoing_delay_seconds" integer DEFAULT 0 NOT NULL;