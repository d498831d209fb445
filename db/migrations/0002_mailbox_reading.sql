CREATE TABLE "event_positions" (
	"organization_id" uuid PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL
);
--> statement-breakpoint
DROP INDEX "threads_inbox";--> statement-breakpoint
ALTER TABLE "events" ADD COLUMN "position" bigint;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "extracted_text" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "safe_text" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "extraction" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "authentication" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "security" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "search" "tsvector";--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "read" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "labels" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "claimed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "last_message_id" uuid;--> statement-breakpoint
-- Events that are there already are numbered in the order of their ids.
UPDATE "events" SET "position" = n.position FROM (
	SELECT id, row_number() OVER (PARTITION BY organization_id ORDER BY id) AS position FROM "events") n WHERE "events"."id" = n.id;--> statement-breakpoint
INSERT INTO "event_positions" SELECT organization_id, count(*) FROM "events" GROUP BY organization_id;--> statement-breakpoint
ALTER TABLE "events" ALTER COLUMN "position" SET NOT NULL;--> statement-breakpoint
UPDATE "threads" SET "last_message_id" = (SELECT id FROM "messages" WHERE thread_id = "threads"."id" ORDER BY id DESC LIMIT 1);--> statement-breakpoint
DELETE FROM "threads" WHERE "last_message_id" IS NULL;--> statement-breakpoint
ALTER TABLE "threads" ALTER COLUMN "last_message_id" SET NOT NULL;--> statement-breakpoint
-- Mail that came in before is read once more; what went out is made searchable here.
UPDATE "messages" SET "status" = 'received', "attempts" = 0, "next_attempt_at" = now() WHERE "direction" = 'inbound' AND "status" = 'parsed';--> statement-breakpoint
UPDATE "messages" SET "read" = true, "search" = array_to_tsvector(ARRAY['inbox ' || inbox_id])
	|| to_tsvector('simple', concat_ws(' ', left(subject, 998), array_to_string(to_addresses, ' '), left(text, 100000))) WHERE "direction" = 'outbound';--> statement-breakpoint
CREATE UNIQUE INDEX "events_position" ON "events" USING btree ("organization_id","position");--> statement-breakpoint
CREATE INDEX "events_inbox" ON "events" USING btree ("inbox_id","position");--> statement-breakpoint
CREATE INDEX "events_created" ON "events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_search" ON "messages" USING gin ("search");--> statement-breakpoint
CREATE INDEX "messages_labels" ON "messages" USING gin ("labels") WHERE "messages"."labels" <> '{}';--> statement-breakpoint
CREATE INDEX "messages_unread" ON "messages" USING btree ("inbox_id","id") WHERE not "messages"."read";--> statement-breakpoint
CREATE INDEX "threads_latest" ON "threads" USING btree ("inbox_id","last_message_id");--> statement-breakpoint
-- A counter for each organization, updated with every batch of mail.
ALTER TABLE "event_positions" SET (fillfactor = 50);