CREATE TABLE "dkim_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"domain_id" uuid,
	"domain" text NOT NULL,
	"selector" text NOT NULL,
	"public_key" text NOT NULL,
	"private_key" "bytea" NOT NULL,
	"state" text NOT NULL,
	"retired_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "domains" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"domain" text NOT NULL,
	"token" text NOT NULL,
	"status" text NOT NULL,
	"records" jsonb NOT NULL,
	"provider" jsonb,
	"ownership_missing_since" timestamp (3) with time zone,
	"verified_at" timestamp (3) with time zone,
	"last_checked_at" timestamp (3) with time zone,
	"next_check_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "domain_grants" ADD COLUMN "granted_by" text DEFAULT 'operator' NOT NULL;--> statement-breakpoint
ALTER TABLE "dkim_keys" ADD CONSTRAINT "dkim_keys_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domains" ADD CONSTRAINT "domains_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_selector" ON "dkim_keys" USING btree ("domain_id","selector");--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_default" ON "dkim_keys" USING btree ("domain","selector") WHERE "dkim_keys"."domain_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "domains_organization_domain" ON "domains" USING btree ("organization_id","domain");--> statement-breakpoint
CREATE INDEX "domains_organization" ON "domains" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "domains_domain" ON "domains" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "domains_due" ON "domains" USING btree ("next_check_at");