CREATE TABLE "drafts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"fields" jsonb NOT NULL,
	"attachments" jsonb NOT NULL,
	"size" bigint NOT NULL,
	"sent_message_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "drafts_inbox" ON "drafts" USING btree ("inbox_id","id");--> statement-breakpoint
CREATE INDEX "drafts_unsent" ON "drafts" USING btree ("organization_id","id") WHERE "drafts"."sent_message_id" is null;