CREATE TABLE "postmaster_days" (
	"domain" text NOT NULL,
	"day" date NOT NULL,
	"forwarded" integer NOT NULL,
	CONSTRAINT "postmaster_days_domain_day_pk" PRIMARY KEY("domain","day")
);
