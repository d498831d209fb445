CREATE TABLE "send_totals" (
	"organization_id" uuid NOT NULL,
	"domain" text NOT NULL,
	"day" date NOT NULL,
	"counted" integer DEFAULT 0 NOT NULL,
	"since" date NOT NULL,
	CONSTRAINT "send_totals_organization_id_domain_day_pk" PRIMARY KEY("organization_id","domain","day")
);--> statement-breakpoint
-- by hand
-- Established senders keep the age of their mailboxes: a row for each domain, and one for the organization.
INSERT INTO "send_totals" ("organization_id", "domain", "day", "counted", "since")
SELECT "organization_id", "domain", DATE '1970-01-01', 0, min(("created_at" AT TIME ZONE 'UTC')::date) FROM "inboxes" GROUP BY 1, 2
UNION ALL
SELECT "organization_id", '', DATE '1970-01-01', 0, min(("created_at" AT TIME ZONE 'UTC')::date) FROM "inboxes" GROUP BY 1;
