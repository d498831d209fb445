DROP INDEX "messages_unread_bodies";--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "parse_faults" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_received" ON "messages" USING btree ("organization_id","next_attempt_at") WHERE "messages"."status" = 'received';--> statement-breakpoint
CREATE INDEX "messages_unparsed" ON "messages" USING btree ("id") WHERE "messages"."status" = 'unparsed';