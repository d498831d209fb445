ALTER TABLE "messages" ADD COLUMN "recipient_names" jsonb;--> statement-breakpoint
ALTER TABLE "trashed_messages" ADD COLUMN "recipient_names" jsonb;