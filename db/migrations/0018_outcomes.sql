CREATE TABLE "message_recipients" (
	"message_id" uuid NOT NULL,
	"index" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"address" text NOT NULL,
	"status" text NOT NULL,
	"smtp_code" integer,
	"enhanced_code" text,
	"reason" text,
	"at" timestamp (3) with time zone,
	CONSTRAINT "message_recipients_message_id_index_pk" PRIMARY KEY("message_id","index")
);
--> statement-breakpoint
CREATE TABLE "suppressions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"address" text NOT NULL,
	"reason" text NOT NULL,
	"message_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_address" ON "suppressions" USING btree ("organization_id","address","inbox_id");--> statement-breakpoint
CREATE INDEX "suppressions_organization" ON "suppressions" USING btree ("organization_id","id");--> statement-breakpoint
-- Recipients in the order in which they were sent to, each address once, with the results that were known.
INSERT INTO "message_recipients" ("message_id", "index", "organization_id", "inbox_id", "address", "status", "smtp_code", "enhanced_code", "reason", "at")
SELECT m."id", row_number() OVER (PARTITION BY m."id" ORDER BY a."place") - 1, m."organization_id", m."inbox_id", a."address",
  CASE
    WHEN m."status" IN ('queued', 'sending') THEN 'queued'
    WHEN m."status" = 'failed' THEN 'failed'
    WHEN r."result"->>'outcome' = 'delivered' THEN 'delivered'
    WHEN r."result"->>'outcome' = 'refused' THEN 'bounced'
    ELSE 'sent'
  END,
  substring(r."result"->>'detail' FROM '^([245][0-9][0-9])[ -]')::integer,
  substring(r."result"->>'detail' FROM '\m([245]\.[0-9]{1,3}\.[0-9]{1,3})\M'),
  r."result"->>'detail', coalesce(m."sent_at", CASE WHEN m."status" = 'failed' THEN m."created_at" END)
FROM "messages" m
CROSS JOIN LATERAL (
  SELECT t."address", min(t."place") AS "place"
  FROM unnest(m."to_addresses" || m."cc_addresses" || m."bcc_addresses") WITH ORDINALITY AS t("address", "place")
  GROUP BY t."address") a
LEFT JOIN LATERAL (
  SELECT e."result" FROM jsonb_array_elements(coalesce(m."recipient_results", '[]'::jsonb)) AS e("result")
  WHERE e."result"->>'address' = a."address" LIMIT 1) r ON true
WHERE m."direction" = 'outbound';--> statement-breakpoint
UPDATE "messages" m SET "status" = w."status"
FROM (
  SELECT "message_id", CASE WHEN bool_or("status" = 'bounced') THEN 'bounced' ELSE 'delivered' END AS "status"
  FROM "message_recipients" GROUP BY 1 HAVING bool_or("status" = 'bounced') OR bool_and("status" = 'delivered')) w
WHERE m."id" = w."message_id" AND m."status" = 'sent';--> statement-breakpoint
ALTER TABLE "messages" DROP COLUMN "recipient_results";