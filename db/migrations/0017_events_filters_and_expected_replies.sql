CREATE TABLE "expected_replies" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"reply_by" timestamp (3) with time zone NOT NULL,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "from_filter" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "subject_filter" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "label_filter" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "headers" "bytea";--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "header_names" text[];--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "include_message" boolean;--> statement-breakpoint
CREATE INDEX "expected_replies_due" ON "expected_replies" USING btree ("due_at") WHERE "expected_replies"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "expected_replies_inbox" ON "expected_replies" USING btree ("inbox_id") WHERE "expected_replies"."due_at" is not null;