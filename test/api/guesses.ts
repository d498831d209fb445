// Names of parameters that models guess, from the names that other mail APIs use, and the names here that they mean.

/** `means`: the name of the hint. `accepted`: the guess is taken. `path`: the path of the request says it already. */
type Means = string | { accepted: true } | { path: true } | { says: RegExp };
/** `at`: a REST call, a tool, or a command. */
export type Guesses = {
  door: "body" | "query" | "mcp" | "command";
  at: string;
  names: [guess: string, means: Means][];
};

const same = (means: Means, ...guesses: string[]) => guesses.map((guess): [string, Means] => [guess, means]);
const accepted = { accepted: true } as const;
const path = { path: true } as const;

export const GUESSES: Guesses[] = [
  {
    door: "body",
    at: "POST /v1/inboxes",
    names: [
      ...same("display_name", "displayName", "name", "friendly_name", "sender_name", "from_name", "inbox_name"),
      ...same("username", "email", "email_address", "local_part", "localPart", "user", "alias", "prefix", "address"),
      ...same("domain", "domain_name", "email_domain"),
      ...same("client_id", "idempotency_key", "clientId", "external_id", "request_id", "clientToken"),
      ...same("inbound_webhook_url", "webhook", "webhook_url", "callback_url", "notify_url", "hook_url"),
      ...same("metadata", "meta", "tags", "labels", "custom_data"),
    ],
  },
  {
    door: "body",
    at: "POST /v1/inboxes/{addr}/send",
    names: [
      ...same("to", "recipient", "recipients", "to_email", "toAddress", "to_addresses", "email", "To"),
      ...same(
        "text",
        "body",
        "content",
        "message",
        "plain",
        "plain_text",
        "text_body",
        "textBody",
        "body_text",
        "TextBody",
      ),
      ...same("html", "html_body", "HtmlBody", "body_html", "htmlContent", "html_content"),
      ...same("subject", "title", "Subject", "subject_line"),
      ...same("cc", "ccs", "cc_addresses", "cc_recipients", "carbon_copy"),
      ...same("bcc", "bcc_addresses", "bcc_recipients"),
      ...same("reply_to", "replyTo", "reply_to_address", "reply_to_addresses", "reply_to_email"),
      ...same("attachments", "files", "file", "attachment", "attached_files"),
      ...same(
        "send_at",
        "scheduled_at",
        "schedule_at",
        "sendAt",
        "deliver_at",
        "when",
        "delivery_time",
        "scheduledTime",
      ),
      ...same("labels", "tags", "label", "categories", "tag"),
      ...same("idempotency_key", "idempotencyKey", "client_id", "request_id", "dedupe_key"),
      ...same("list_unsubscribe", "unsubscribe"),
      ...same("headers", "custom_headers", "customHeaders", "extra_headers"),
      ...same(path, "inbox", "inbox_id", "mailbox"),
      ...same({ says: /sender is the mailbox/ }, "from", "from_email", "sender"),
      ...same(accepted, "in_reply_to"),
      ...same({ says: /reply/ }, "thread_id"),
      ...same("headers", "internetMessageHeaders", "h:X-Campaign"),
      ...same("from_name", "senderName"),
      ...same({ says: /not tracked/ }, "trackOpens", "click_tracking"),
      ...same({ says: /no templates/ }, "templateId", "merge_vars", "personalizations"),
      ...same({ says: /`html` HTML/ }, "is_html", "bodyType"),
      ...same({ says: /POST \/v1\/drafts/ }, "requires_approval", "as_draft"),
      ...same({ says: /dry_run=true/ }, "dry_run", "testMode"),
      ...same({ says: /from its fields/ }, "raw", "mime"),
      ...same({ says: /headers of your own/ }, "importance"),
    ],
  },
  {
    door: "body",
    at: "POST /v1/messages/{id}/reply",
    names: [
      ...same("text", "body", "message", "content", "reply_text"),
      ...same("reply_all", "replyAll", "all", "reply_to_all"),
      ...same({ says: /`cc`/ }, "to", "recipients"),
      ...same(path, "message_id", "in_reply_to", "email_id"),
      ...same("expected_last_message_id", "last_message_id"),
      ...same(accepted, "cc", "bcc"),
    ],
  },
  {
    door: "body",
    at: "POST /v1/messages/{id}/forward",
    names: [...same("to", "recipients", "forward_to", "to_email"), ...same("text", "note", "comment", "body")],
  },
  {
    door: "body",
    at: "POST /v1/inboxes/{addr}/wait",
    names: [
      ...same("timeout_seconds", "timeout", "timeout_ms", "wait_seconds", "max_wait", "timeoutSeconds", "timeout_sec"),
      ...same("from", "sender", "from_address", "from_email"),
      ...same("after", "since", "received_after", "start_time"),
      ...same(accepted, "cursor"),
      ...same("match", "regex", "pattern", "contains", "body_contains"),
      ...same("subject", "subject_contains", "title"),
      ...same("thread_id", "thread", "conversation_id"),
      ...same({ says: /leave it out/ }, "pollInterval", "has_otp"),
    ],
  },
  {
    door: "body",
    at: "PATCH /v1/messages/{id}",
    names: [
      ...same("read", "is_read", "seen", "mark_read", "isRead"),
      ...same("labels", "tags", "label", "labelIds"),
      ...same("add_labels", "addLabelIds"),
      ...same("remove_labels", "removeLabelIds"),
      ...same({ says: /add_labels/ }, "is_starred", "parentFolderId"),
    ],
  },
  { door: "body", at: "PATCH /v1/messages", names: same("ids", "message_ids", "messages", "id_list") },
  {
    door: "body",
    at: "POST /v1/webhooks",
    names: [
      ...same("url", "endpoint", "callback_url", "target_url", "webhook_url", "uri"),
      ...same("events", "event", "event_types", "eventTypes", "types", "topics"),
      ...same("address", "inbox_id", "mailbox", "email"),
      ...same(accepted, "inbox"),
    ],
  },
  {
    door: "body",
    at: "POST /v1/drafts",
    names: [
      ...same("inbox", "inbox_id", "from", "address", "mailbox"),
      ...same("in_reply_to", "reply_to_message_id", "reply_to_id"),
      ...same("text", "body"),
    ],
  },
  {
    door: "body",
    at: "POST /v1/verifications",
    names: [...same("ttl_seconds", "ttl", "expires_in", "lifetime"), ...same("from", "sender")],
  },
  {
    door: "body",
    at: "POST /v1/keys",
    names: [
      ...same("scopes", "permissions", "scope"),
      ...same("inboxes", "inbox_ids", "mailboxes", "addresses"),
      ...same("expires_at", "expires", "expiry", "expiration"),
      ...same("send_budget", "budget", "max_sends"),
    ],
  },
  {
    door: "query",
    at: "GET /v1/inboxes",
    names: [
      ...same("limit", "page_size", "per_page", "max_results", "count", "size", "pageSize"),
      ...same("cursor", "page", "page_token", "offset", "starting_after", "next_cursor", "after", "nextToken"),
    ],
  },
  {
    door: "query",
    at: "GET /v1/messages",
    names: [
      ...same("q", "query", "search", "keyword", "text", "contains"),
      ...same("from", "sender", "from_email"),
      ...same("to", "recipient"),
      ...same("unread", "is_unread", "unread_only", "read", "seen"),
      ...same("has_attachments", "has_attachment", "attachments", "hasAttachments"),
      ...same("after", "since", "start_date", "date_from", "received_after"),
      ...same("before", "until", "end_date", "date_to"),
      ...same("label", "labels", "tag"),
      ...same("without_label", "exclude_label", "notLabel", "exclude_tags"),
      ...same("kind", "mail_type"),
      ...same("quarantined", "is_spam", "junk"),
      ...same("include_spam", "includeSpamTrash"),
      ...same({ says: /GET \/v1\/trash/ }, "deleted", "include_trash"),
      ...same({ says: /newest first/ }, "sort_by", "order"),
      ...same({ says: /`preview`/ }, "projection", "include_body"),
      ...same({ says: /`after` and `before`/ }, "days"),
      ...same("inbox", "inbox_id", "mailbox", "email", "address"),
      ...same("thread_id", "thread", "threadId"),
      ...same("limit", "max", "$top"),
    ],
  },
  {
    door: "query",
    at: "GET /v1/messages/{id}/attachments/{attachment_id}/text",
    names: same("offset", "start", "page", "cursor"),
  },
  {
    door: "mcp",
    at: "send_email",
    names: [
      ...same(accepted, "inbox", "addr"),
      ...same("inbox", "inbox_id", "from", "mailbox", "from_inbox", "inbox_address"),
      ...same("text", "body", "message"),
      ...same("attachments", "files"),
      ...same("send_at", "schedule_for", "scheduled_at"),
    ],
  },
  { door: "mcp", at: "get_message", names: same("id", "message_id", "messageId", "email_id", "msg_id", "uid") },
  { door: "mcp", at: "get_thread", names: same("id", "thread_id", "conversation_id", "threadId") },
  {
    door: "mcp",
    at: "reply_to_email",
    names: [...same("id", "message_id", "email_id", "in_reply_to"), ...same("text", "body"), ...same(accepted, "cc")],
  },
  {
    door: "mcp",
    at: "get_attachment",
    names: [...same("id", "message_id", "email_id"), ...same("attachment_id", "attachmentId", "file_id")],
  },
  {
    door: "mcp",
    at: "wait_for_email",
    names: [
      ...same(accepted, "inbox", "addr", "cursor"),
      ...same("inbox", "email", "address", "email_address", "inbox_id", "mailbox"),
      ...same("timeout_seconds", "timeout", "seconds"),
      ...same("from", "sender"),
    ],
  },
  {
    door: "mcp",
    at: "delete_inbox",
    names: [...same("inbox", "id", "address", "email", "inbox_id"), ...same(accepted, "addr")],
  },
  { door: "mcp", at: "search_messages", names: [...same("q", "query", "search_query"), ...same(accepted, "addr")] },
  { door: "mcp", at: "create_draft", names: [...same("inbox", "inbox_id", "from"), ...same(accepted, "addr")] },
  {
    door: "command",
    at: "send --to a@else.example",
    names: [
      ...same("--text", "--body", "--message", "--content"),
      ...same("--to", "--recipient", "--recipients"),
      ...same("--subject", "--title"),
      ...same("--inbox", "--from", "--mailbox"),
      ...same("--html", "--html-body"),
      ...same(accepted, "--inbox"),
    ],
  },
  {
    door: "command",
    at: "wait",
    names: [
      ...same("--timeout", "--timeout-seconds", "--seconds"),
      ...same("--after", "--since", "--cursor"),
      ...same("--match", "--regex", "--pattern"),
      ...same("--from", "--sender"),
    ],
  },
  {
    door: "command",
    at: "messages list",
    names: [...same("--limit", "--page-size", "--max-results", "--count"), ...same(accepted, "--inbox")],
  },
];
