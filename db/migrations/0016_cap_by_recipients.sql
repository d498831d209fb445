CREATE TABLE "correspondents" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"address" text NOT NULL,
	"proof" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "correspondents_inbox_id_address_pk" PRIMARY KEY("inbox_id","address")
);
--> statement-breakpoint
CREATE TABLE "sending_states" (
	"inbox_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"recent" uuid[] NOT NULL,
	"bounced" uuid[] DEFAULT '{}' NOT NULL,
	"complained" uuid[] DEFAULT '{}' NOT NULL,
	"paused_at" timestamp (3) with time zone,
	"paused_recipients" integer DEFAULT 0 NOT NULL,
	"paused_bounced" integer DEFAULT 0 NOT NULL,
	"paused_complained" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "send_usage" ADD COLUMN "bounced" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "send_usage" ADD COLUMN "complained" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "send_usage_troubled" ON "send_usage" USING btree ("inbox_id","day") WHERE "send_usage"."bounced" > 0 or "send_usage"."complained" > 0;--> statement-breakpoint
-- What stored mail proves: its From was aligned, or it came from a mailbox of this service, which is mail without a remote address.
INSERT INTO "correspondents" ("organization_id", "inbox_id", "address", "proof", "created_at")
SELECT m."organization_id", m."inbox_id", lower(m."from_address"),
  CASE WHEN bool_or((m."authentication"->>'aligned_from')::boolean) THEN 'aligned' ELSE 'local' END, min(m."created_at")
FROM "messages" m JOIN "inboxes" i ON i."id" = m."inbox_id" AND i."status" = 'live'
WHERE m."direction" = 'inbound' AND m."from_address" <> '' AND m."status" <> 'received' AND ((m."authentication"->>'aligned_from')::boolean
  OR (m."remote_ip" IS NULL AND EXISTS (SELECT FROM "inboxes" s WHERE s."address" = lower(m."from_address"))))
GROUP BY m."organization_id", m."inbox_id", lower(m."from_address");
