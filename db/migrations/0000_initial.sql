-- The tables of the first version. Written by hand too: that delivery_attempts has partitions, and that foreign keys
-- come after the unique indexes that they refer to.
CREATE TABLE "attachments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	"bytes" "bytea",
	"blob" text,
	"sha256" text
);
--> statement-breakpoint
CREATE TABLE "blob_orphans" (
	"organization_id" uuid NOT NULL,
	"blob" text NOT NULL,
	"found_at" timestamp (3) with time zone NOT NULL,
	"removing_at" timestamp (3) with time zone,
	CONSTRAINT "blob_orphans_organization_id_blob_pk" PRIMARY KEY("organization_id","blob")
);
--> statement-breakpoint
CREATE TABLE "raw_messages" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"bytes" "bytea",
	"blob" text
);
--> statement-breakpoint
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
CREATE TABLE "postmaster_days" (
	"domain" text NOT NULL,
	"day" date NOT NULL,
	"forwarded" integer NOT NULL,
	CONSTRAINT "postmaster_days_domain_day_pk" PRIMARY KEY("domain","day")
);
--> statement-breakpoint
CREATE TABLE "provider_removals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"domain" text NOT NULL,
	"ref" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agent_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"secret_hash" "bytea" NOT NULL,
	"scopes" text[] NOT NULL,
	"inbox_ids" uuid[],
	"ancestor_ids" uuid[] DEFAULT '{}' NOT NULL,
	"send_budget" integer,
	"sent_count" integer DEFAULT 0 NOT NULL,
	"budget_key_ids" uuid[] DEFAULT '{}' NOT NULL,
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
CREATE TABLE "domain_grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"domain" text NOT NULL,
	"organization_id" uuid NOT NULL,
	"enrollment_key_id" uuid,
	"granted_by" text DEFAULT 'operator' NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
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
	"prepaid" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organizations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"owner_emails" text[] DEFAULT '{}' NOT NULL,
	"paid_provisioning" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "organizations_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"event_id" uuid NOT NULL,
	"event_kind" text DEFAULT 'message.received' NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"resend_at" timestamp (3) with time zone,
	"last_status" integer,
	"last_error" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"completed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"webhook_id" uuid NOT NULL,
	"delivery_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status" integer,
	"error" text,
	"request_headers" jsonb NOT NULL,
	"response_body" text,
	"next_attempt_at" timestamp (3) with time zone
) PARTITION BY RANGE ("id");
--> statement-breakpoint
CREATE TABLE "event_positions" (
	"organization_id" uuid PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"position" bigint NOT NULL,
	"inbox_id" uuid,
	"message_id" uuid,
	"kind" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"traceparent" text
);
--> statement-breakpoint
CREATE TABLE "notices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"kind" text DEFAULT 'notice' NOT NULL,
	"to_address" text NOT NULL,
	"route_id" uuid,
	"channel" text DEFAULT 'mail' NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"link" "bytea",
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"error" text,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "provider_events" (
	"id" text PRIMARY KEY NOT NULL,
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
	"previous_secret" "bytea",
	"previous_secret_expires_at" timestamp (3) with time zone,
	"active" boolean NOT NULL,
	"disabled_reason" text,
	"disabled_at" timestamp (3) with time zone,
	"failing_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "list_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"direction" text NOT NULL,
	"list" text NOT NULL,
	"entry" text NOT NULL,
	"reason" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "retention_policies" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"message_days" integer NOT NULL,
	CONSTRAINT "retention_policies_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id")
);
--> statement-breakpoint
CREATE TABLE "correspondents" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"address" text NOT NULL,
	"proof" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "correspondents_inbox_id_address_pk" PRIMARY KEY("inbox_id","address")
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
	"counted_at" timestamp (3) with time zone,
	CONSTRAINT "message_recipients_message_id_index_pk" PRIMARY KEY("message_id","index")
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
	"extracted_text" text,
	"safe_text" text,
	"extraction" jsonb,
	"authentication" jsonb,
	"security" jsonb,
	"search" "tsvector",
	"read" boolean DEFAULT false NOT NULL,
	"labels" text[] DEFAULT '{}' NOT NULL,
	"claimed_at" timestamp (3) with time zone,
	"attachments" jsonb NOT NULL,
	"size" bigint NOT NULL,
	"envelope_from" text,
	"envelope_to" text,
	"remote_ip" text,
	"helo" text,
	"duplicate_key" "bytea",
	"idempotency_key" text,
	"idempotency_hash" "bytea",
	"list_unsubscribe" boolean DEFAULT false NOT NULL,
	"provider_message_id" text,
	"error" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"parse_faults" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"sent_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"traceparent" text
);
--> statement-breakpoint
CREATE TABLE "send_usage" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"day" date NOT NULL,
	"counted" integer NOT NULL,
	"replies" integer NOT NULL,
	"bounced" integer DEFAULT 0 NOT NULL,
	"complained" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "send_usage_inbox_id_day_pk" PRIMARY KEY("inbox_id","day")
);
--> statement-breakpoint
CREATE TABLE "storage_usage" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"bytes" bigint NOT NULL,
	"quota" bigint,
	CONSTRAINT "storage_usage_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id"),
	CONSTRAINT "storage_usage_within_quota" CHECK ("storage_usage"."bytes" <= "storage_usage"."quota")
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
CREATE TABLE "threads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"last_message_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "app_connections" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"client_id" text NOT NULL,
	"agent_key_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_access_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"client_id" text NOT NULL,
	"session_id" uuid,
	"user_id" uuid,
	"reference_id" uuid,
	"authorization_code_id" text,
	"resources" text[],
	"requested_user_info_claims" text[],
	"refresh_id" uuid,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked" timestamp (3) with time zone,
	"confirmation" jsonb,
	"scopes" text[] NOT NULL,
	CONSTRAINT "oauth_access_tokens_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "oauth_client_assertions" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_client_resources" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"resource_id" text NOT NULL,
	"metadata" jsonb,
	"created_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "oauth_clients" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"client_secret" text,
	"client_discovery_id" text,
	"disabled" boolean,
	"skip_consent" boolean,
	"enable_end_session" boolean,
	"subject_type" text,
	"scopes" text[],
	"client_credentials_scopes" text[],
	"user_id" uuid,
	"created_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone,
	"name" text,
	"uri" text,
	"icon" text,
	"contacts" text[],
	"tos" text,
	"policy" text,
	"software_id" text,
	"software_version" text,
	"software_statement" text,
	"redirect_uris" text[] NOT NULL,
	"post_logout_redirect_uris" text[],
	"backchannel_logout_uri" text,
	"backchannel_logout_session_required" boolean,
	"token_endpoint_auth_method" text,
	"application_type" text,
	"jwks" text,
	"jwks_uri" text,
	"grant_types" text[],
	"response_types" text[],
	"require_pkce" boolean,
	"dpop_bound_access_tokens" boolean,
	"reference_id" text,
	"metadata" jsonb,
	CONSTRAINT "oauth_clients_client_id_unique" UNIQUE("client_id")
);
--> statement-breakpoint
CREATE TABLE "oauth_consents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"user_id" uuid,
	"reference_id" uuid,
	"resources" text[],
	"requested_user_info_claims" text[],
	"scopes" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "oauth_refresh_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"client_id" text NOT NULL,
	"session_id" uuid,
	"user_id" uuid NOT NULL,
	"reference_id" uuid,
	"authorization_code_id" text,
	"resources" text[],
	"requested_user_info_claims" text[],
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked" timestamp (3) with time zone,
	"rotated_at" timestamp (3) with time zone,
	"rotation_replay_response" text,
	"rotation_replay_expires_at" timestamp (3) with time zone,
	"auth_time" timestamp (3) with time zone,
	"confirmation" jsonb,
	"scopes" text[] NOT NULL,
	CONSTRAINT "oauth_refresh_tokens_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "oauth_resources" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"name" text NOT NULL,
	"access_token_ttl" integer,
	"refresh_token_ttl" integer,
	"signing_algorithm" text,
	"signing_key_id" text,
	"allowed_scopes" text[],
	"custom_claims" jsonb,
	"dpop_bound_access_tokens_required" boolean,
	"disabled" boolean,
	"created_at" timestamp (3) with time zone,
	"updated_at" timestamp (3) with time zone,
	"policy_version" integer,
	"metadata" jsonb,
	CONSTRAINT "oauth_resources_identifier_unique" UNIQUE("identifier")
);
--> statement-breakpoint
CREATE TABLE "drafts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"fields" jsonb NOT NULL,
	"attachments" jsonb NOT NULL,
	"size" bigint NOT NULL,
	"sent_message_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "scheduled_sends" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"send_at" timestamp (3) with time zone NOT NULL,
	"expected_last_message_id" uuid,
	"due_at" timestamp (3) with time zone,
	"released_at" timestamp (3) with time zone
);
--> statement-breakpoint
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
CREATE TABLE "approved_recipients" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"address" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "approved_recipients_inbox_id_address_pk" PRIMARY KEY("inbox_id","address")
);
--> statement-breakpoint
CREATE TABLE "review_policies" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"review" text NOT NULL,
	"ttl_seconds" integer,
	CONSTRAINT "review_policies_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id")
);
--> statement-breakpoint
CREATE TABLE "review_revisions" (
	"message_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"organization_id" uuid NOT NULL,
	"content" jsonb NOT NULL,
	"hash" "bytea" NOT NULL,
	"author" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "review_revisions_message_id_revision_pk" PRIMARY KEY("message_id","revision")
);
--> statement-breakpoint
CREATE TABLE "reviews" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"status" text NOT NULL,
	"revision" integer NOT NULL,
	"hash" "bytea" NOT NULL,
	"expected_last_message_id" uuid,
	"decided_by" text,
	"reason" text,
	"decided_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
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
CREATE TABLE "sign_in_attempts" (
	"bucket" text PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"blocked_until" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"access_token" text,
	"refresh_token" text,
	"id_token" text,
	"access_token_expires_at" timestamp (3) with time zone,
	"refresh_token_expires_at" timestamp (3) with time zone,
	"scope" text,
	"password" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "audit_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text,
	"outcome" text NOT NULL,
	"request_id" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"inviter_id" uuid NOT NULL,
	"email" text NOT NULL,
	"mailbox" text GENERATED ALWAYS AS (lower(regexp_replace("email", '^([^@+]+)[+][^@]*@', '\1@'))) STORED NOT NULL,
	"token_hash" "bytea",
	"role" text NOT NULL,
	"status" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "members" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"role" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notice_routes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"topics" text[] NOT NULL,
	"chat_url" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"token" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"mailbox" text GENERATED ALWAYS AS (lower(regexp_replace("email", '^([^@+]+)[+][^@]*@', '\1@'))) STORED NOT NULL,
	"email_verified" boolean NOT NULL,
	"image" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "verifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "mailbox_leases" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"agent_key_id" uuid NOT NULL,
	"sender" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"answered_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "attachments_message" ON "attachments" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "attachments_blob" ON "attachments" USING btree ("organization_id","blob") WHERE "attachments"."blob" is not null;--> statement-breakpoint
CREATE INDEX "blob_orphans_found" ON "blob_orphans" USING btree ("found_at");--> statement-breakpoint
CREATE INDEX "raw_messages_blob" ON "raw_messages" USING btree ("organization_id","blob") WHERE "raw_messages"."blob" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_selector" ON "dkim_keys" USING btree ("domain_id","selector");--> statement-breakpoint
CREATE UNIQUE INDEX "dkim_keys_default" ON "dkim_keys" USING btree ("domain","selector") WHERE "dkim_keys"."domain_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "domains_organization_domain" ON "domains" USING btree ("organization_id","domain");--> statement-breakpoint
CREATE INDEX "domains_organization" ON "domains" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "domains_domain" ON "domains" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "domains_due" ON "domains" USING btree ("next_check_at");--> statement-breakpoint
CREATE INDEX "provider_removals_domain" ON "provider_removals" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "provider_removals_due" ON "provider_removals" USING btree ("next_attempt_at");--> statement-breakpoint
CREATE INDEX "agent_keys_agent" ON "agent_keys" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "agent_keys_unrevoked" ON "agent_keys" USING btree ("agent_id") WHERE revoked_at is null;--> statement-breakpoint
CREATE UNIQUE INDEX "agents_handle" ON "agents" USING btree ("enrollment_key_id","handle");--> statement-breakpoint
CREATE INDEX "agents_enrollment_key" ON "agents" USING btree ("enrollment_key_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "domain_grants_domain" ON "domain_grants" USING btree ("domain") WHERE "domain_grants"."enrollment_key_id" is null and "domain_grants"."revoked_at" is null;--> statement-breakpoint
CREATE INDEX "domain_grants_organization" ON "domain_grants" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "enrollment_keys_organization" ON "enrollment_keys" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("next_attempt_at") WHERE "deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "deliveries_resend" ON "deliveries" USING btree ("resend_at") WHERE "deliveries"."status" = 'pending' and "deliveries"."resend_at" is not null;--> statement-breakpoint
CREATE INDEX "deliveries_webhook" ON "deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_failed" ON "deliveries" USING btree ("webhook_id","id") WHERE "deliveries"."status" = 'failed';--> statement-breakpoint
CREATE INDEX "deliveries_event" ON "deliveries" USING btree ("event_id");--> statement-breakpoint
CREATE INDEX "deliveries_created" ON "deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "delivery_attempts_delivery" ON "delivery_attempts" USING btree ("delivery_id","id");--> statement-breakpoint
CREATE INDEX "events_message" ON "events" USING btree ("message_id");--> statement-breakpoint
CREATE UNIQUE INDEX "events_position" ON "events" USING btree ("organization_id","position");--> statement-breakpoint
CREATE INDEX "events_inbox" ON "events" USING btree ("inbox_id","position");--> statement-breakpoint
CREATE INDEX "events_no_mail" ON "events" USING btree ("organization_id","position") WHERE "events"."kind" <> 'message.received';--> statement-breakpoint
CREATE INDEX "events_created" ON "events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "notices_due" ON "notices" USING btree ("next_attempt_at") WHERE "notices"."next_attempt_at" is not null;--> statement-breakpoint
CREATE INDEX "provider_events_created" ON "provider_events" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhooks_organization" ON "webhooks" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "webhooks_inbox" ON "webhooks" USING btree ("organization_id","inbox_id");--> statement-breakpoint
CREATE INDEX "webhooks_expiring" ON "webhooks" USING btree ("expires_at") WHERE "webhooks"."expires_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "list_entries_entry" ON "list_entries" USING btree ("organization_id","direction","entry","inbox_id","list");--> statement-breakpoint
CREATE INDEX "list_entries_list" ON "list_entries" USING btree ("inbox_id","organization_id","direction","list","id");--> statement-breakpoint
CREATE UNIQUE INDEX "inboxes_address" ON "inboxes" USING btree ("address");--> statement-breakpoint
CREATE UNIQUE INDEX "inboxes_client_id" ON "inboxes" USING btree ("organization_id","client_id") WHERE "inboxes"."client_id" is not null;--> statement-breakpoint
CREATE INDEX "inboxes_domain" ON "inboxes" USING btree ("domain");--> statement-breakpoint
CREATE INDEX "inboxes_live" ON "inboxes" USING btree ("organization_id","id") WHERE "inboxes"."status" = 'live';--> statement-breakpoint
CREATE INDEX "inboxes_identity_due" ON "inboxes" USING btree ("identity_next_attempt_at") WHERE "inboxes"."identity_status" in ('opening', 'closing');--> statement-breakpoint
CREATE INDEX "inboxes_enrollment_key" ON "inboxes" USING btree ("enrollment_key_id","id","agent_id","status");--> statement-breakpoint
CREATE INDEX "inboxes_to_erase" ON "inboxes" USING btree ("deleted_at") WHERE "inboxes"."status" = 'deleted' and "inboxes"."erased_at" is null;--> statement-breakpoint
CREATE INDEX "message_recipients_erased" ON "message_recipients" USING btree ("message_id") WHERE "message_recipients"."counted_at" is not null;--> statement-breakpoint
CREATE INDEX "messages_inbox" ON "messages" USING btree ("inbox_id","id");--> statement-breakpoint
CREATE INDEX "messages_organization" ON "messages" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "messages_thread" ON "messages" USING btree ("thread_id","id");--> statement-breakpoint
CREATE INDEX "messages_rfc_message_id" ON "messages" USING btree ("rfc_message_id","inbox_id") WHERE "messages"."rfc_message_id" is not null;--> statement-breakpoint
CREATE INDEX "messages_direction" ON "messages" USING btree ("inbox_id","direction","id");--> statement-breakpoint
CREATE INDEX "messages_sender" ON "messages" USING btree ("inbox_id",lower("from_address"),"id") WHERE "messages"."direction" = 'inbound';--> statement-breakpoint
CREATE INDEX "messages_provider" ON "messages" USING btree ("provider_message_id") WHERE "messages"."provider_message_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "messages_duplicate" ON "messages" USING btree ("duplicate_key","inbox_id") WHERE "messages"."duplicate_key" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "messages_idempotency" ON "messages" USING btree ("organization_id","idempotency_key") WHERE "messages"."idempotency_key" is not null;--> statement-breakpoint
CREATE INDEX "messages_due" ON "messages" USING btree ("next_attempt_at") WHERE "messages"."status" in ('queued', 'sending');--> statement-breakpoint
CREATE INDEX "messages_search" ON "messages" USING gin ("search");--> statement-breakpoint
CREATE INDEX "messages_labels" ON "messages" USING gin ("labels") WHERE "messages"."labels" <> '{}';--> statement-breakpoint
CREATE INDEX "messages_unread" ON "messages" USING btree ("inbox_id","id") WHERE not "messages"."read";--> statement-breakpoint
CREATE INDEX "messages_failed" ON "messages" USING btree ("organization_id","id") WHERE "messages"."status" in ('failed', 'bounced');--> statement-breakpoint
CREATE INDEX "messages_received" ON "messages" USING btree ("organization_id","next_attempt_at") WHERE "messages"."status" = 'received';--> statement-breakpoint
CREATE INDEX "messages_unparsed" ON "messages" USING btree ("id") WHERE "messages"."status" = 'unparsed';--> statement-breakpoint
CREATE INDEX "send_usage_day" ON "send_usage" USING btree ("organization_id","day");--> statement-breakpoint
CREATE INDEX "send_usage_troubled" ON "send_usage" USING btree ("inbox_id","day") WHERE "send_usage"."bounced" > 0 or "send_usage"."complained" > 0;--> statement-breakpoint
CREATE UNIQUE INDEX "suppressions_address" ON "suppressions" USING btree ("organization_id","address","inbox_id");--> statement-breakpoint
CREATE INDEX "suppressions_organization" ON "suppressions" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "threads_latest" ON "threads" USING btree ("inbox_id","last_message_id");--> statement-breakpoint
CREATE INDEX "threads_organization" ON "threads" USING btree ("organization_id","last_message_id");--> statement-breakpoint
CREATE INDEX "app_connections_organization" ON "app_connections" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "app_connections_user" ON "app_connections" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "app_connections_client" ON "app_connections" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "oauth_access_tokens_connection" ON "oauth_access_tokens" USING btree ("reference_id");--> statement-breakpoint
CREATE INDEX "oauth_access_tokens_client" ON "oauth_access_tokens" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "oauth_access_tokens_user" ON "oauth_access_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "oauth_access_tokens_session" ON "oauth_access_tokens" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "oauth_access_tokens_refresh" ON "oauth_access_tokens" USING btree ("refresh_id");--> statement-breakpoint
CREATE INDEX "oauth_access_tokens_code" ON "oauth_access_tokens" USING btree ("authorization_code_id");--> statement-breakpoint
CREATE INDEX "oauth_access_tokens_expiry" ON "oauth_access_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "oauth_client_resources_pair" ON "oauth_client_resources" USING btree ("client_id","resource_id");--> statement-breakpoint
CREATE INDEX "oauth_clients_created" ON "oauth_clients" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "oauth_consents_client" ON "oauth_consents" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "oauth_consents_user" ON "oauth_consents" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "oauth_consents_connection" ON "oauth_consents" USING btree ("reference_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_tokens_connection" ON "oauth_refresh_tokens" USING btree ("reference_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_tokens_client" ON "oauth_refresh_tokens" USING btree ("client_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_tokens_user" ON "oauth_refresh_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_tokens_session" ON "oauth_refresh_tokens" USING btree ("session_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_tokens_code" ON "oauth_refresh_tokens" USING btree ("authorization_code_id");--> statement-breakpoint
CREATE INDEX "oauth_refresh_tokens_expiry" ON "oauth_refresh_tokens" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "drafts_inbox" ON "drafts" USING btree ("inbox_id","id");--> statement-breakpoint
CREATE INDEX "drafts_unsent" ON "drafts" USING btree ("organization_id","id") WHERE "drafts"."sent_message_id" is null;--> statement-breakpoint
CREATE INDEX "scheduled_sends_due" ON "scheduled_sends" USING btree ("due_at") WHERE "scheduled_sends"."due_at" is not null;--> statement-breakpoint
CREATE INDEX "scheduled_sends_inbox" ON "scheduled_sends" USING btree ("inbox_id") WHERE "scheduled_sends"."due_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "payments_authorization" ON "payments" USING btree ("network","asset","payer","nonce");--> statement-breakpoint
CREATE UNIQUE INDEX "payments_client_id" ON "payments" USING btree ("organization_id","client_id") WHERE "payments"."client_id" is not null and "payments"."status" in ('verified', 'settling', 'settled', 'fulfilled');--> statement-breakpoint
CREATE UNIQUE INDEX "payments_inbox" ON "payments" USING btree ("inbox_id") WHERE "payments"."inbox_id" is not null;--> statement-breakpoint
CREATE INDEX "payments_organization" ON "payments" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "payments_due" ON "payments" USING btree ("next_look_at") WHERE "payments"."next_look_at" is not null;--> statement-breakpoint
CREATE INDEX "reviews_organization" ON "reviews" USING btree ("organization_id","message_id");--> statement-breakpoint
CREATE INDEX "reviews_pending" ON "reviews" USING btree ("organization_id","message_id") WHERE "reviews"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "reviews_inbox" ON "reviews" USING btree ("inbox_id") WHERE "reviews"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "reviews_due" ON "reviews" USING btree ("expires_at") WHERE "reviews"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "sending_states_paused" ON "sending_states" USING btree ("organization_id","paused_at") WHERE "sending_states"."paused_at" is not null;--> statement-breakpoint
CREATE INDEX "accounts_user" ON "accounts" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "audit_entries_organization" ON "audit_entries" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "invitations_organization" ON "invitations" USING btree ("organization_id");--> statement-breakpoint
CREATE INDEX "invitations_mailbox" ON "invitations" USING btree ("mailbox");--> statement-breakpoint
CREATE UNIQUE INDEX "members_organization_user" ON "members" USING btree ("organization_id","user_id");--> statement-breakpoint
CREATE INDEX "members_user" ON "members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "notice_routes_member" ON "notice_routes" USING btree ("organization_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "notice_routes_mail" ON "notice_routes" USING btree ("organization_id","user_id") WHERE "notice_routes"."chat_url" is null;--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "users_mailbox" ON "users" USING btree ("mailbox");--> statement-breakpoint
CREATE INDEX "verifications_identifier" ON "verifications" USING btree ("identifier");--> statement-breakpoint
CREATE INDEX "mailbox_leases_expiry" ON "mailbox_leases" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "dkim_keys" ADD CONSTRAINT "dkim_keys_domain_id_domains_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."domains"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domains" ADD CONSTRAINT "domains_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_keys" ADD CONSTRAINT "agent_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_enrollment_key_id_enrollment_keys_id_fk" FOREIGN KEY ("enrollment_key_id") REFERENCES "public"."enrollment_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domain_grants" ADD CONSTRAINT "domain_grants_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domain_grants" ADD CONSTRAINT "domain_grants_enrollment_key_id_enrollment_keys_id_fk" FOREIGN KEY ("enrollment_key_id") REFERENCES "public"."enrollment_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "enrollment_keys" ADD CONSTRAINT "enrollment_keys_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "app_connections" ADD CONSTRAINT "app_connections_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "app_connections" ADD CONSTRAINT "app_connections_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "app_connections" ADD CONSTRAINT "app_connections_client_id_oauth_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_clients"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "app_connections" ADD CONSTRAINT "app_connections_agent_key_id_agent_keys_id_fk" FOREIGN KEY ("agent_key_id") REFERENCES "public"."agent_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_client_id_oauth_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_clients"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_reference_id_app_connections_id_fk" FOREIGN KEY ("reference_id") REFERENCES "public"."app_connections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_access_tokens" ADD CONSTRAINT "oauth_access_tokens_refresh_id_oauth_refresh_tokens_id_fk" FOREIGN KEY ("refresh_id") REFERENCES "public"."oauth_refresh_tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_client_resources" ADD CONSTRAINT "oauth_client_resources_client_id_oauth_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_clients"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_client_resources" ADD CONSTRAINT "oauth_client_resources_resource_id_oauth_resources_identifier_fk" FOREIGN KEY ("resource_id") REFERENCES "public"."oauth_resources"("identifier") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_clients" ADD CONSTRAINT "oauth_clients_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD CONSTRAINT "oauth_consents_client_id_oauth_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_clients"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD CONSTRAINT "oauth_consents_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_consents" ADD CONSTRAINT "oauth_consents_reference_id_app_connections_id_fk" FOREIGN KEY ("reference_id") REFERENCES "public"."app_connections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_refresh_tokens" ADD CONSTRAINT "oauth_refresh_tokens_client_id_oauth_clients_client_id_fk" FOREIGN KEY ("client_id") REFERENCES "public"."oauth_clients"("client_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_refresh_tokens" ADD CONSTRAINT "oauth_refresh_tokens_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_refresh_tokens" ADD CONSTRAINT "oauth_refresh_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "oauth_refresh_tokens" ADD CONSTRAINT "oauth_refresh_tokens_reference_id_app_connections_id_fk" FOREIGN KEY ("reference_id") REFERENCES "public"."app_connections"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_inviter_id_users_id_fk" FOREIGN KEY ("inviter_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_organization_id_organizations_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organizations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "members" ADD CONSTRAINT "members_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notice_routes" ADD CONSTRAINT "notice_routes_member_fk" FOREIGN KEY ("organization_id","user_id") REFERENCES "public"."members"("organization_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailbox_leases" ADD CONSTRAINT "mailbox_leases_agent_key_id_agent_keys_id_fk" FOREIGN KEY ("agent_key_id") REFERENCES "public"."agent_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
-- by hand
-- What the schema cannot say. Hot rows leave room in their page, so that an update stays in it and touches no index.
ALTER TABLE "enrollment_keys" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "messages" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "deliveries" SET (fillfactor = 70);--> statement-breakpoint
-- A counter for each organization, updated with every batch of mail.
ALTER TABLE "event_positions" SET (fillfactor = 50);--> statement-breakpoint
-- Compressing mail and its attachments with pglz costs more than writing them.
ALTER TABLE "raw_messages" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "attachments" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;--> statement-breakpoint
-- Words with their places hardly shrink: pglz takes its time and leaves most of them as they are.
ALTER TABLE "messages" ALTER COLUMN "search" SET STORAGE EXTERNAL;--> statement-breakpoint
-- The first partition has all ids until the day after tomorrow (UTC); later days get partitions of their own (db/partitions.ts).
CREATE TABLE "delivery_attempts_default" PARTITION OF "delivery_attempts" DEFAULT;--> statement-breakpoint
CREATE TABLE "delivery_attempts_before" PARTITION OF "delivery_attempts" FOR VALUES FROM (MINVALUE)
	TO ((lpad(to_hex(1000 * extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '48 hours')::bigint), 12, '0') || repeat('0', 20))::uuid);
