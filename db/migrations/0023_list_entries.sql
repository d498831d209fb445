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
CREATE UNIQUE INDEX "list_entries_entry" ON "list_entries" USING btree ("organization_id","direction","entry","inbox_id","list");--> statement-breakpoint
CREATE INDEX "list_entries_list" ON "list_entries" USING btree ("inbox_id","organization_id","direction","list","id");