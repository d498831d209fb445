CREATE TABLE "letter_passes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"recipient" text NOT NULL,
	"class" text NOT NULL,
	"topic" text,
	"passed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notice_addresses" (
	"organization_id" uuid NOT NULL,
	"address" text NOT NULL,
	"asked_at" timestamp (3) with time zone,
	"confirmed_at" timestamp (3) with time zone,
	"refused_at" timestamp (3) with time zone,
	CONSTRAINT "notice_addresses_organization_id_address_pk" PRIMARY KEY("organization_id","address")
);
--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "topic" text;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "things" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "passed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "merged_into" uuid;--> statement-breakpoint
CREATE INDEX "letter_passes_recipient" ON "letter_passes" USING btree ("recipient","passed_at");--> statement-breakpoint
CREATE INDEX "letter_passes_organization" ON "letter_passes" USING btree ("organization_id","passed_at");--> statement-breakpoint
CREATE INDEX "letter_passes_passed" ON "letter_passes" USING btree ("passed_at");--> statement-breakpoint
CREATE INDEX "notices_waiting" ON "notices" USING btree ("organization_id","to_address") WHERE "notices"."next_attempt_at" is not null and "notices"."passed_at" is null;--> statement-breakpoint
CREATE INDEX "notices_merged" ON "notices" USING btree ("merged_into") WHERE "notices"."merged_into" is not null;--> statement-breakpoint
-- by hand
-- Who decided on a message by the link of a letter has read the mail of the address. Other addresses that are no member's are asked by
-- the first notice.
INSERT INTO "notice_addresses" ("organization_id", "address", "confirmed_at")
SELECT DISTINCT r."organization_id", a."address", now() FROM "reviews" r
JOIN "organizations" o ON o."id" = r."organization_id"
CROSS JOIN LATERAL unnest(o."owner_emails") AS a("address")
WHERE r."decided_by" = a."address" || ' (by the link in the mail)'
ON CONFLICT DO NOTHING;
