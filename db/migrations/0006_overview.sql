CREATE INDEX "events_no_mail" ON "events" USING btree ("organization_id","position") WHERE "events"."kind" <> 'message.received';--> statement-breakpoint
CREATE INDEX "inboxes_enrollment_key" ON "inboxes" USING btree ("enrollment_key_id","id","agent_id","status");--> statement-breakpoint
CREATE INDEX "messages_failed" ON "messages" USING btree ("organization_id","id") WHERE "messages"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "send_usage_day" ON "send_usage" USING btree ("organization_id","day");