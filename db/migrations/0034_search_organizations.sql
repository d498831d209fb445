-- The words of the mailbox and the organization, and the first characters of longer words, as server/extraction/search.ts and
-- server/messages/inbound/search-index.ts write them for new mail. The word of the mailbox gets another form: no text may begin it.
UPDATE "messages" SET "search" = ts_delete("search", 'inbox ' || "inbox_id") || array_to_tsvector(
	ARRAY['@inbox ' || "inbox_id", '@org ' || "organization_id"] || ARRAY(
		SELECT DISTINCT '^' || left(lexeme, 4) FROM unnest("search") WHERE length(lexeme) > 4 AND strpos(lexeme, ' ') = 0))
WHERE "search" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_organization" ON "messages" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "threads_organization" ON "threads" USING btree ("organization_id","last_message_id");