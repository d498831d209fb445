-- PostgreSQL compresses small raw mail, which it then often keeps in the row, and leaves larger mail as it is. A column has one storage, so
-- small mail gets a partition of its own. The table as it was becomes the other partition, with all rows so far and those of processes of
-- an older version, which read both. Nothing is copied; ATTACH reads the rows once.
ALTER TABLE "raw_messages" RENAME TO "raw_messages_plain";--> statement-breakpoint
ALTER INDEX "raw_messages_pkey" RENAME TO "raw_messages_plain_pkey";--> statement-breakpoint
ALTER INDEX "raw_messages_blob" RENAME TO "raw_messages_plain_blob";--> statement-breakpoint
ALTER TABLE "raw_messages_plain" ADD COLUMN "compressed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE TABLE "raw_messages" (LIKE "raw_messages_plain" INCLUDING DEFAULTS) PARTITION BY LIST ("compressed");--> statement-breakpoint
CREATE INDEX "raw_messages_blob" ON "raw_messages" USING btree ("organization_id","blob") WHERE "raw_messages"."blob" is not null;--> statement-breakpoint
ALTER TABLE "raw_messages" ATTACH PARTITION "raw_messages_plain" FOR VALUES IN (false);--> statement-breakpoint
CREATE TABLE "raw_messages_compressed" PARTITION OF "raw_messages" (PRIMARY KEY ("message_id")) FOR VALUES IN (true);--> statement-breakpoint
ALTER TABLE "raw_messages_compressed" ALTER COLUMN "bytes" SET STORAGE EXTENDED;
--> statement-breakpoint
-- Words with their places hardly shrink: pglz takes its time and leaves most of them as they are.
ALTER TABLE "messages" ALTER COLUMN "search" SET STORAGE EXTERNAL;--> statement-breakpoint
-- Takes less time than pglz for the same size. Not every server is built with it, and the embedded one is not.
DO $$ BEGIN
	ALTER TABLE "raw_messages_compressed" ALTER COLUMN "bytes" SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL; END $$;
