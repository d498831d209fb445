CREATE TABLE "retention_policies" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"message_days" integer NOT NULL,
	CONSTRAINT "retention_policies_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id")
);
