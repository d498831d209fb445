CREATE TABLE "blob_orphans" (
	"organization_id" uuid NOT NULL,
	"blob" text NOT NULL,
	"found_at" timestamp (3) with time zone NOT NULL,
	"removing_at" timestamp (3) with time zone,
	CONSTRAINT "blob_orphans_organization_id_blob_pk" PRIMARY KEY("organization_id","blob")
);
--> statement-breakpoint
ALTER TABLE "attachments" ALTER COLUMN "bytes" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "raw_messages" ALTER COLUMN "bytes" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "attachments" ADD COLUMN "blob" text;--> statement-breakpoint
ALTER TABLE "attachments" ADD COLUMN "sha256" text;--> statement-breakpoint
ALTER TABLE "raw_messages" ADD COLUMN "blob" text;--> statement-breakpoint
CREATE INDEX "blob_orphans_found" ON "blob_orphans" USING btree ("found_at");--> statement-breakpoint
CREATE INDEX "attachments_blob" ON "attachments" USING btree ("organization_id","blob") WHERE "attachments"."blob" is not null;--> statement-breakpoint
CREATE INDEX "raw_messages_blob" ON "raw_messages" USING btree ("organization_id","blob") WHERE "raw_messages"."blob" is not null;