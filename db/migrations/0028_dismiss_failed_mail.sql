CREATE TABLE "dismissed_failures" (
	"message_id" uuid PRIMARY KEY NOT NULL,
	"organization_id" uuid NOT NULL,
	"recipients" integer[] NOT NULL
);
