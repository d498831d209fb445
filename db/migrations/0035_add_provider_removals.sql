CREATE TABLE "provider_removals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"domain" text NOT NULL,
	"ref" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "provider_removals_domain" ON "provider_removals" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "provider_removals_due" ON "provider_removals" USING btree ("next_attempt_at");