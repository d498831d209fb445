CREATE TABLE "spam_policies" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"policy" text NOT NULL,
	CONSTRAINT "spam_policies_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "spam" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "quarantine" text;--> statement-breakpoint
ALTER TABLE "trashed_messages" ADD COLUMN "spam" jsonb;--> statement-breakpoint
ALTER TABLE "trashed_messages" ADD COLUMN "quarantine" text;--> statement-breakpoint
CREATE INDEX "messages_pending" ON "messages" USING btree ("id") WHERE "messages"."quarantine" = 'pending';--> statement-breakpoint
CREATE INDEX "messages_quarantine" ON "messages" USING btree ("organization_id","id") WHERE "messages"."quarantine" is not null;