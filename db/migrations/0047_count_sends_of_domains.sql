CREATE TABLE "send_totals" (
	"organization_id" uuid NOT NULL,
	"domain" text NOT NULL,
	"day" date NOT NULL,
	"counted" integer DEFAULT 0 NOT NULL,
	"since" date NOT NULL,
	CONSTRAINT "send_totals_organization_id_domain_day_pk" PRIMARY KEY("organization_id","domain","day")
);
