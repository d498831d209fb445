CREATE TABLE "api_calls" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"key_id" uuid NOT NULL,
	"door" text NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"path" text NOT NULL,
	"status" integer NOT NULL,
	"error" text,
	"ms" integer NOT NULL,
	"request_id" text NOT NULL,
	"remote" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "api_calls_organization" ON "api_calls" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "api_calls_key" ON "api_calls" USING btree ("key_id","id");--> statement-breakpoint
CREATE INDEX "api_calls_request" ON "api_calls" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "messages_risky" ON "messages" USING btree ("organization_id","id") WHERE (case when "messages"."security"->>'instructions' = 'hidden' then 'hidden_instructions'
    when "messages"."authentication"->>'dmarc' = 'fail' then 'dmarc_failed'
    when "messages"."security"->'suspicious_links' <> '[]' then 'suspicious_links'
    when "messages"."security"->>'multiple_from' = 'true' or "messages"."security"->'misleading_from' <> '[]' then 'misleading_sender'
    when "messages"."security"->>'instructions' = 'visible' then 'instructions'
    when coalesce("messages"."security"->>'hiding', "messages"."security"->>'hidden_text') in ('deceptive', 'true') then 'hidden_text' end) is not null;