ALTER TABLE "messages" ADD COLUMN "local_sender" text;--> statement-breakpoint
ALTER TABLE "trashed_messages" ADD COLUMN "local_sender" text;