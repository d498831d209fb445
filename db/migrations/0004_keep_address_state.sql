ALTER TABLE "inboxes" ADD COLUMN "address_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "inboxes" ADD COLUMN "superseded_by" uuid;--> statement-breakpoint
CREATE INDEX "inboxes_superseded" ON "inboxes" USING btree ("superseded_by") WHERE "inboxes"."superseded_by" is not null;