CREATE TABLE "agent_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"scopes" text[] NOT NULL,
	"inbox_ids" uuid[],
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"enrollment_key_id" uuid NOT NULL,
	"handle" text NOT NULL,
	"name" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "attachments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"bytes" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"last_status" integer,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "enrollment_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"name" text NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"allowed_domains" text[] NOT NULL,
	"scopes" text[] NOT NULL,
	"max_mailboxes" integer NOT NULL,
	"used_count" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inboxes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"enrollment_key_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"address" text NOT NULL,
	"domain" text NOT NULL,
	"display_name" text NOT NULL,
	"metadata" jsonb NOT NULL,
	"client_id" text,
	"status" text NOT NULL,
	"identity_status" text NOT NULL,
	"identity_ref" text,
	"identity_attempts" integer DEFAULT 0 NOT NULL,
	"identity_error" text,
	"identity_next_attempt_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone,
	"erased_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"status" text NOT NULL,
	"from_address" text NOT NULL,
	"from_name" text,
	"to_addresses" text[] NOT NULL,
	"cc_addresses" text[] NOT NULL,
	"bcc_addresses" text[] NOT NULL,
	"reply_to" text[] NOT NULL,
	"subject" text NOT NULL,
	"rfc_message_id" text,
	"in_reply_to" text,
	"references_ids" text[] NOT NULL,
	"headers" jsonb,
	"text" text,
	"html" text,
	"attachments" jsonb NOT NULL,
	"size" bigint NOT NULL,
	"envelope_from" text,
	"envelope_to" text,
	"remote_ip" text,
	"helo" text,
	"duplicate_key" "bytea",
	"idempotency_key" text,
	"idempotency_hash" "bytea",
	"recipient_results" jsonb,
	"provider_message_id" text,
	"error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "organizations_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "raw_messages" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"bytes" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "send_usage" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"day" date NOT NULL,
	"counted" integer NOT NULL,
	"replies" integer NOT NULL,
	CONSTRAINT "send_usage_inbox_id_day_pk" PRIMARY KEY("inbox_id","day")
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"secret" "bytea" NOT NULL,
	"active" boolean NOT NULL,
	"disabled_reason" text,
	"failing_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_keys" ADD CONSTRAINT "agent_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_enrollment_key_id_enrollment_keys_id_fk" FOREIGN KEY ("enrollment_key_id") REFERENCES "public"."enrollment_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollment_keys" ADD CONSTRAINT "enrollment_keys_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agent_keys_agent" ON "agent_keys" USING btree ("agent_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_handle" ON "agents" USING btree ("enrollment_key_id","handle");--> statement-breakpoint
CREATE INDEX "attachments_message" ON "attachments" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("next_attempt_at") WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_webhook" ON "deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "enrollment_keys_organization" ON "enrollment_keys" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "events_message" ON "events" USING btree ("message_id");--> statement-breakpoint
CREATE UNIQUE INDEX "inboxes_address" ON "inboxes" USING btree ("address");--> statement-breakpoint
CREATE UNIQUE INDEX "inboxes_client_id" ON "inboxes" USING btree ("organization_id","client_id") WHERE "inboxes"."client_id" is not null;--> statement-breakpoint
CREATE INDEX "inboxes_domain" ON "inboxes" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "inboxes_live" ON "inboxes" USING btree ("organization_id","id") WHERE "inboxes"."status" = 'live';--> statement-breakpoint
CREATE INDEX "inboxes_identity_due" ON "inboxes" USING btree ("identity_next_attempt_at") WHERE "inboxes"."identity_status" in ('opening', 'closing');--> statement-breakpoint
CREATE INDEX "inboxes_to_erase" ON "inboxes" USING btree ("deleted_at") WHERE "inboxes"."status" = 'deleted' and "inboxes"."erased_at" is null;--> statement-breakpoint
CREATE INDEX "messages_inbox" ON "messages" USING btree ("inbox_id","id");--> statement-breakpoint
CREATE INDEX "messages_thread" ON "messages" USING btree ("thread_id","id");--> statement-breakpoint
CREATE INDEX "messages_rfc_message_id" ON "messages" USING btree ("rfc_message_id","inbox_id") WHERE "messages"."rfc_message_id" is not null;--> statement-breakpoint
CREATE INDEX "messages_correspondent" ON "messages" USING btree ("inbox_id",lower("from_address")) WHERE "messages"."direction" = 'inbound';--> statement-breakpoint
CREATE UNIQUE INDEX "messages_duplicate" ON "messages" USING btree ("duplicate_key","inbox_id") WHERE "messages"."duplicate_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "messages_idempotency" ON "messages" USING btree ("organization_id","idempotency_key") WHERE "messages"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX "messages_due" ON "messages" USING btree ("next_attempt_at") WHERE "messages"."status" in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "messages_unread_bodies" ON "messages" USING btree ("next_attempt_at") WHERE "messages"."status" = 'received';--> statement-breakpoint
CREATE INDEX "threads_inbox" ON "threads" USING btree ("inbox_id","id");--> statement-breakpoint
CREATE INDEX "webhooks_organization" ON "webhooks" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "webhooks_inbox" ON "webhooks" USING btree ("organization_id","inbox_id");