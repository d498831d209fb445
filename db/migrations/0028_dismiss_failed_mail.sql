CREATE TABLE "dismissed_failures" (
	"organization_id" uuid NOT NULL,
	"inbox_id" uuid NOT NULL,
	"message_id" uuid NOT NULL,
	CONSTRAINT "dismissed_failures_organization_id_inbox_id_pk" PRIMARY KEY("organization_id","inbox_id")
);
