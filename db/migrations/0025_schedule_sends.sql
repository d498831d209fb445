CREATE TABLE "scheduled_sends" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"send_at" timestamp (3) with time zone NOT NULL,
	"expected_last_message_id" uuid,
	"due_at" timestamp (3) with time zone,
	"released_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "scheduled_sends_due" ON "scheduled_sends" USING btree ("due_at") WHERE "scheduled_sends"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "scheduled_sends_inbox" ON "scheduled_sends" USING btree ("inbox_id") WHERE "scheduled_sends"."due_at" is not null;