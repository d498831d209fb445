CREATE TABLE "provider_events" (
	"id" text PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "provider_events_created" ON "provider_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "messages_provider" ON "messages" USING btree ("provider_message_id") WHERE "messages"."provider_message_id" is not null;