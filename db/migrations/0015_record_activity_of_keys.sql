CREATE TABLE "activity" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"inbox_id" uuid,
	"verb" text NOT NULL,
	"request_id" text NOT NULL,
	"changes" jsonb NOT NULL,
	"secret" "bytea",
	"undone_at" timestamp (3) with time zone,
	"not_undone" jsonb,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "draft_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"draft_id" uuid NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"fields" jsonb NOT NULL,
	"attachments" jsonb NOT NULL,
	"size" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "activity_key" ON "activity" USING btree ("key_id","id");--> statement-breakpoint
CREATE INDEX "activity_inbox" ON "activity" USING btree ("inbox_id") WHERE "activity"."inbox_id" is not null;--> statement-breakpoint
CREATE INDEX "draft_versions_inbox" ON "draft_versions" USING btree ("inbox_id");