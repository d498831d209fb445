CREATE TABLE "sending_pauses" (
	"target_id" uuid NOT NULL,
	"cause" text NOT NULL,
	"scope" text NOT NULL,
	"organization_id" uuid NOT NULL,
	"reason" text,
	"paused_by" text NOT NULL,
	"held_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sending_pauses_target_id_cause_pk" PRIMARY KEY("target_id","cause")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "sent_by" uuid[];--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "cause" text DEFAULT 'policy' NOT NULL;--> statement-breakpoint
ALTER TABLE "reviews" ADD COLUMN "counted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "sending_pauses_organization" ON "sending_pauses" USING btree ("organization_id") WHERE "sending_pauses"."cause" <> 'revocation';--> statement-breakpoint
CREATE INDEX "sending_pauses_to_hold" ON "sending_pauses" USING btree ("created_at") WHERE "sending_pauses"."cause" = 'revocation' and "sending_pauses"."held_at" is null;