DROP INDEX "messages_rfc_message_id";--> statement-breakpoint
CREATE INDEX "scheduled_sends_turns" ON "scheduled_sends" USING btree ("organization_id","due_at") WHERE "scheduled_sends"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "messages_rfc_message_id" ON "messages" USING btree ("rfc_message_id","inbox_id","id") WHERE "messages"."rfc_message_id" is not null;