DROP INDEX "inboxes_client_id";--> statement-breakpoint
DROP INDEX "messages_idempotency";--> statement-breakpoint
DROP INDEX "payments_client_id";--> statement-breakpoint
ALTER TABLE "list_entries" ADD COLUMN "set_by" text DEFAULT 'member' NOT NULL;--> statement-breakpoint
ALTER TABLE "list_entries" ADD COLUMN "set_by_key" uuid;--> statement-breakpoint
ALTER TABLE "suppressions" ADD COLUMN "set_by" text DEFAULT 'member' NOT NULL;--> statement-breakpoint
ALTER TABLE "suppressions" ADD COLUMN "set_by_key" uuid;--> statement-breakpoint
CREATE INDEX "list_entries_allow" ON "list_entries" USING btree ("inbox_id","organization_id","direction") WHERE "list_entries"."list" = 'allow' and "list_entries"."set_by" = 'member';--> statement-breakpoint
CREATE UNIQUE INDEX "inboxes_client_id" ON "inboxes" USING btree ("agent_id","client_id") WHERE "inboxes"."client_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "messages_idempotency" ON "messages" USING btree ("inbox_id","idempotency_key") WHERE "messages"."idempotency_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payments_client_id" ON "payments" USING btree ("agent_id","client_id") WHERE "payments"."client_id" is not null and "payments"."status" in ('verified', 'settling', 'settled', 'fulfilled');--> statement-breakpoint
-- by hand
-- Outcomes have a message, and links unsubscribe. All other rows of earlier versions count as a member's.
UPDATE "suppressions" SET "set_by" = 'service' WHERE "message_id" IS NOT NULL OR "reason" = 'unsubscribed';
