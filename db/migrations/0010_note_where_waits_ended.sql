CREATE TABLE "wait_ends" (
	"agent_key_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "wait_ends_agent_key_id_inbox_id_pk" PRIMARY KEY("agent_key_id","inbox_id")
);
--> statement-breakpoint
ALTER TABLE "wait_ends" ADD CONSTRAINT "wait_ends_agent_key_id_agent_keys_id_fk" FOREIGN KEY ("agent_key_id") REFERENCES "public"."agent_keys"("id") ON DELETE cascade ON UPDATE no action;