CREATE TABLE "payments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"enrollment_key_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"mailboxes" integer NOT NULL,
	"client_id" text,
	"request_hash" "bytea" NOT NULL,
	"authorization_hash" "bytea" NOT NULL,
	"status" text NOT NULL,
	"network" text NOT NULL,
	"asset" text NOT NULL,
	"payer" text NOT NULL,
	"nonce" text NOT NULL,
	"pay_to" text NOT NULL,
	"amount" text NOT NULL,
	"valid_before" bigint NOT NULL,
	"x402_version" integer NOT NULL,
	"payload" "bytea",
	"from_block" bigint NOT NULL,
	"inbox_id" uuid,
	"superseded_inbox_id" uuid,
	"webhook" jsonb,
	"transaction" text,
	"error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"leased_until" timestamp (3) with time zone,
	"looks" integer DEFAULT 0 NOT NULL,
	"next_look_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"settled_at" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "enrollment_keys" ADD COLUMN "prepaid" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "organizations" ADD COLUMN "paid_provisioning" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "payments_authorization" ON "payments" USING btree ("network","asset","payer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_client_id" ON "payments" USING btree ("organization_id","client_id") WHERE "payments"."client_id" is not null and "payments"."status" in ('verified', 'settling', 'settled', 'fulfilled');--> statement-breakpoint
CREATE UNIQUE INDEX "payments_inbox" ON "payments" USING btree ("inbox_id") WHERE "payments"."inbox_id" is not null;--> statement-breakpoint
CREATE INDEX "payments_organization" ON "payments" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "payments_due" ON "payments" USING btree ("next_look_at") WHERE "payments"."next_look_at" is not null;