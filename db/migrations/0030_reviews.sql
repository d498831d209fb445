CREATE TABLE "approved_recipients" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "approved_recipients_inbox_id_address_pk" PRIMARY KEY("inbox_id","address")
);
--> statement-breakpoint
CREATE TABLE "review_policies" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"review" text NOT NULL,
	"ttl_seconds" integer,
	CONSTRAINT "review_policies_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id")
);
--> statement-breakpoint
CREATE TABLE "review_revisions" (
	"message_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"content" jsonb NOT NULL,
	"hash" "bytea" NOT NULL,
	"author" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "review_revisions_message_id_revision_pk" PRIMARY KEY("message_id","revision")
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"status" text NOT NULL,
	"revision" integer NOT NULL,
	"hash" "bytea" NOT NULL,
	"decided_by" text,
	"reason" text,
	"decided_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "reviews_organization" ON "reviews" USING btree ("organization_id","message_id");--> statement-breakpoint
CREATE INDEX "reviews_pending" ON "reviews" USING btree ("organization_id","message_id") WHERE "reviews"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "reviews_inbox" ON "reviews" USING btree ("inbox_id") WHERE "reviews"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "reviews_due" ON "reviews" USING btree ("expires_at") WHERE "reviews"."status" = 'pending';