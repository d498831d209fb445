CREATE TABLE "idempotency_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"caller_id" uuid NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"input_hash" "bytea" NOT NULL,
	"attempt" uuid NOT NULL,
	"leased_until" timestamp (3) with time zone NOT NULL,
	"carried_out" boolean DEFAULT false NOT NULL,
	"answer" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "idempotency_keys_key" ON "idempotency_keys" USING btree ("organization_id","caller_id","key_hash");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");