CREATE TABLE "storage_usage" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"bytes" bigint NOT NULL,
	"quota" bigint,
	CONSTRAINT "storage_usage_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id"),
	CONSTRAINT "storage_usage_within_quota" CHECK ("storage_usage"."bytes" <= "storage_usage"."quota")
);
--> statement-breakpoint
-- A message counts as its size, and as 4,096 bytes at least (server/inboxes/storage.ts). The row with an all-zero inbox is the organization.
INSERT INTO "storage_usage" ("organization_id", "inbox_id", "bytes")
SELECT "organization_id", coalesce("inbox_id", '00000000-0000-0000-0000-000000000000'), sum(greatest("size", 4096))
FROM "messages" GROUP BY GROUPING SETS (("organization_id", "inbox_id"), ("organization_id"));
