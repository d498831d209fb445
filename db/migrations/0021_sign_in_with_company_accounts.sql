ALTER TABLE "organizations" ADD COLUMN "require_company_sign_in" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "company_email" text;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_company" ON "accounts" USING btree ("provider_id","account_id") WHERE "accounts"."provider_id" like 'oidc:%';--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_company_user" ON "accounts" USING btree ("provider_id","user_id") WHERE "accounts"."provider_id" like 'oidc:%';