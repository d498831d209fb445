-- What the schema cannot say. Hot rows leave room in their page, so that an update stays in it and touches no index.
ALTER TABLE "enrollment_keys" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "messages" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "deliveries" SET (fillfactor = 70);--> statement-breakpoint
-- Compressing mail and its attachments with pglz costs more than writing them.
ALTER TABLE "raw_messages" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "attachments" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
