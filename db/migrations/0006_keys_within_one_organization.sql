CREATE UNIQUE INDEX "agents_organization_id" ON "agents" USING btree ("organization_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "enrollment_keys_organization_id" ON "enrollment_keys" USING btree ("organization_id","id");--> statement-breakpoint
ALTER TABLE "agent_keys" DROP CONSTRAINT "agent_keys_agent_id_agents_id_fk";--> statement-breakpoint
ALTER TABLE "agents" DROP CONSTRAINT "agents_enrollment_key_id_enrollment_keys_id_fk";--> statement-breakpoint
ALTER TABLE "domain_grants" DROP CONSTRAINT "domain_grants_enrollment_key_id_enrollment_keys_id_fk";--> statement-breakpoint
DROP INDEX "enrollment_keys_organization";--> statement-breakpoint
ALTER TABLE "agent_keys" ADD CONSTRAINT "agent_keys_agent_fk" FOREIGN KEY ("organization_id","agent_id") REFERENCES "public"."agents"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agents" ADD CONSTRAINT "agents_enrollment_key_fk" FOREIGN KEY ("organization_id","enrollment_key_id") REFERENCES "public"."enrollment_keys"("organization_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "domain_grants" ADD CONSTRAINT "domain_grants_enrollment_key_fk" FOREIGN KEY ("organization_id","enrollment_key_id") REFERENCES "public"."enrollment_keys"("organization_id","id") ON DELETE no action ON UPDATE no action;