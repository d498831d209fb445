DROP INDEX "invitations_email";--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "kind" text DEFAULT 'notice' NOT NULL;--> statement-breakpoint
ALTER TABLE "notices" ADD COLUMN "link" "bytea";--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "mailbox" text GENERATED ALWAYS AS (lower(regexp_replace("email", '^([^@+]+)[+][^@]*@', '\1@'))) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "invitations" ADD COLUMN "token_hash" "bytea";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "mailbox" text GENERATED ALWAYS AS (lower(regexp_replace("email", '^([^@+]+)[+][^@]*@', '\1@'))) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "invitations_mailbox" ON "invitations" USING btree ("mailbox");--> statement-breakpoint
CREATE INDEX "users_mailbox" ON "users" USING btree ("mailbox");--> statement-breakpoint
ALTER TABLE "sessions" DROP COLUMN "active_organization_id";--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_token_hash_unique" UNIQUE("token_hash");--> statement-breakpoint
-- Open invitations and reset links end: their tokens were stored readably, also in letters. Invite again, ask for a new link.
UPDATE "invitations" SET "status" = 'canceled' WHERE "status" = 'pending';--> statement-breakpoint
DELETE FROM "verifications" WHERE "identifier" LIKE 'reset-password:%';--> statement-breakpoint
DELETE FROM "notices" WHERE "text" LIKE '%/join#%' OR "text" LIKE '%/reset-password?token=%';
