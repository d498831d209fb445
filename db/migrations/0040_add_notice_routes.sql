CREATE TABLE "notice_routes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"topics" text[] NOT NULL,
	"chat_url" "bytea",
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "route_id" uuid;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "channel" text DEFAULT 'mail' NOT NULL;--> statement-breakpoint
ALTER TABLE "notice_routes" ADD CONSTRAINT "notice_routes_member_fk" FOREIGN KEY ("organization_id","user_id") REFERENCES "public"."members"("organization_id","user_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notice_routes_member" ON "notice_routes" USING btree ("organization_id","user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "notice_routes_mail" ON "notice_routes" USING btree ("organization_id","user_id") WHERE "notice_routes"."chat_url" is null;