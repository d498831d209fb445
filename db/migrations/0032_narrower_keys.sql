ALTER TABLE "agent_keys" ADD COLUMN "ancestor_ids" uuid[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_keys" ADD COLUMN "send_budget" integer;--> statement-breakpoint
ALTER TABLE "agent_keys" ADD COLUMN "sent_count" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_keys" ADD COLUMN "budget_key_ids" uuid[] DEFAULT '{}' NOT NULL;