-- The table as it was becomes the first partition: it has all ids until the day after tomorrow (UTC), and later days get partitions of
-- their own (db/partitions.ts). Nothing is copied; ATTACH reads the old rows once to check their ids.
ALTER TABLE "delivery_attempts" RENAME TO "delivery_attempts_before";--> statement-breakpoint
ALTER INDEX "delivery_attempts_pkey" RENAME TO "delivery_attempts_before_pkey";--> statement-breakpoint
ALTER INDEX "delivery_attempts_delivery" RENAME TO "delivery_attempts_before_delivery";--> statement-breakpoint
-- Processes of an older version prune by this index during a rolling upgrade. It goes with its partition.
ALTER INDEX "delivery_attempts_started" RENAME TO "delivery_attempts_before_started";--> statement-breakpoint
CREATE TABLE "delivery_attempts" (LIKE "delivery_attempts_before") PARTITION BY RANGE ("id");--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_pkey" PRIMARY KEY ("id");--> statement-breakpoint
CREATE INDEX "delivery_attempts_delivery" ON "delivery_attempts" USING btree ("delivery_id","id");--> statement-breakpoint
CREATE TABLE "delivery_attempts_default" PARTITION OF "delivery_attempts" DEFAULT;--> statement-breakpoint
-- Ids that a wrong clock made.
WITH "later" AS (
	DELETE FROM "delivery_attempts_before"
	WHERE "id" >= (lpad(to_hex(1000 * extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '48 hours')::bigint), 12, '0') || repeat('0', 20))::uuid
	RETURNING *
) INSERT INTO "delivery_attempts" SELECT * FROM "later";--> statement-breakpoint
ALTER TABLE "delivery_attempts" ATTACH PARTITION "delivery_attempts_before" FOR VALUES FROM (MINVALUE)
	TO ((lpad(to_hex(1000 * extract(epoch FROM date_trunc('day', now(), 'UTC') + interval '48 hours')::bigint), 12, '0') || repeat('0', 20))::uuid);
