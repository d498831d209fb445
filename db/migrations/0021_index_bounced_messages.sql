DROP INDEX "messages_failed";--> statement-breakpoint
CREATE INDEX "messages_failed" ON "messages" USING btree ("organization_id","id") WHERE "messages"."status" in ('failed', 'bounced');