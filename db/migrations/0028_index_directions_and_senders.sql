DROP INDEX "messages_correspondent";--> statement-breakpoint
CREATE INDEX "messages_direction" ON "messages" USING btree ("inbox_id","direction","id");--> statement-breakpoint
CREATE INDEX "messages_sender" ON "messages" USING btree ("inbox_id",lower("from_address"),"id") WHERE "messages"."direction" = 'inbound';