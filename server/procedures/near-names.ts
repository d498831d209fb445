// Finds what an unknown field was meant to be: another spelling, the name that other services use, or a slip of the keys.
import leven from "leven";

/** A longer name has no near name: the distance of two names costs time in proportion to both lengths. */
const NAME_CHARS = 40;
/** Edits between a name and its near name: one for short names. */
const MOST_EDITS = 2;
const SHORT_CHARS = 4;

/**
 * Our fields, and what other mail APIs and models call them. A name that stands at several fields means the first of them that
 * the call has. Case, `_` and `-` do not matter.
 */
const SYNONYMS: Record<string, string> = {
  from: "source sender from_address from_email from_addr sender_email sender_domain from_domain",
  inbox:
    "addr inbox_id inbox_address from_inbox inbox_email mailbox mailbox_id mailbox_address email email_address address account account_id user_id sender from from_address from_email id",
  address: "inbox inbox_id inbox_address mailbox mailbox_id email email_address recipient",
  to: "recipient recipients to_email to_emails to_address to_addresses to_recipients email email_address forward_to send_to sent_to destination receiver recipient_list",
  text: "body content message plain plain_text text_plain text_body body_text body_plain text_content message_text reply_text note comment",
  html: "html_body body_html html_content content_html html_message html_text rich_text",
  subject: "title subject_line subject_contains subject_filter headline",
  cc: "ccs cc_address cc_addresses cc_emails cc_recipients carbon_copy",
  bcc: "bcc_address bcc_addresses bcc_emails bcc_recipients blind_carbon_copy blind_copy",
  reply_to: "reply_to_address reply_to_addresses reply_to_email reply_address",
  attachments:
    "file files attachment attached_files attached documents inline_attachments inline_images inlines media images",
  send_at:
    "scheduled_at schedule_at scheduled_for schedule_for schedule scheduled_time schedule_time deliver_at delivery_time deliver_after delay_until delay delay_seconds delay_minutes when at time send_time",
  labels: "tag tags label label_ids categories category keywords folders set_labels",
  add_labels: "add_label add_label_ids add_tags",
  remove_labels: "remove_label remove_label_ids remove_tags",
  idempotency_key:
    "client_id request_id dedupe_key deduplication_id message_key idempotency_token client_token idempotency",
  headers:
    "custom_headers extra_headers additional_headers mail_headers email_headers message_headers internet_message_headers header",
  from_name: "sender_name from_display_name",
  list_unsubscribe: "unsubscribe unsubscribe_link one_click_unsubscribe",
  reply_all: "all reply_to_all include_all to_all",
  expected_last_message_id: "last_message_id if_last_message expect_last",
  in_reply_to: "reply_to_message_id reply_to_id replies_to parent_id parent_message_id message_id thread_id",
  filename: "name file_name title",
  content_type: "type mime mime_type media_type",
  content_id: "cid inline_id inline_content_id",
  content_base64: "content data base64 base64_content content_bytes body bytes text",
  attachment_id: "file_id att_id attachment file file_name filename",
  ids: "id id_list message_ids messages thread_ids threads email_ids items message_id",
  id: "message_id email_id msg_id mail_id uid message thread_id conversation_id thread draft_id draft key_id agent_key_id webhook_id purchase_id in_reply_to item_id",
  thread_id: "thread conversation conversation_id threads in_reply_to",
  revision: "version rev etag",
  entry: "address email domain value",
  q: "query search search_query search_query_native search_term term keyword keywords filter text body contains text_contains body_contains words subject_or_body",
  unread: "is_unread unread_only only_unread read is_read seen unseen new_only include_read",
  include_spam: "include_quarantined include_quarantine include_spam_trash with_spam",
  quarantined: "spam is_spam is_quarantined quarantine junk",
  read: "is_read seen mark_read mark_as_read unread is_unread flag flags",
  has_attachments: "attachments has_attachment with_attachments attachment",
  label: "labels tag tags folder category label_id label_ids",
  without_label:
    "not_label exclude_label exclude_labels excluded_label excluded_labels exclude_tag exclude_tags without_labels without_tag no_label label_not",
  status: "state delivery_status outcome",
  kind: "type mail_type message_type",
  direction: "dir folder type box sent incoming",
  after:
    "since cursor received_after received_since start_time start_date date_from from_date newer_than min_date after_date start last_id since_id min_id starting_after",
  since: "after start_time start_date from_date date_from",
  before: "until received_before end_date end_time date_to to_date older_than max_date before_date max_id end",
  until: "before end_date end_time to_date",
  limit: "page_size per_page items_per_page max max_results count size top take num results max_items last",
  cursor:
    "page page_token next_page next_page_token next_token next_cursor offset skip starting_after after continuation_token",
  offset: "start page cursor next_offset skip position from",
  match: "regex regexp pattern contains body_contains text_contains body text content q query",
  timeout_seconds:
    "timeout timeout_ms timeout_sec timeout_secs wait_seconds wait_time wait_timeout wait max_wait max_wait_seconds seconds duration",
  claim: "lock take exclusive consume",
  display_name: "name friendly_name full_name sender_name from_name inbox_name description title",
  username: "user user_name local_part local name alias prefix handle email email_address address mailbox inbox",
  metadata: "meta tags labels custom_data custom attributes properties",
  domain: "domain_name email_domain host hostname domain_id",
  client_id: "idempotency_key external_id request_id client_token reference",
  inbound_webhook_url: "webhook webhook_url callback callback_url notify_url notification_url hook_url url",
  name: "label title description",
  url: "file_url download_url source_url content_url link endpoint callback callback_url target target_url webhook_url webhook uri hook_url href",
  events: "event event_type event_types types topics kinds type",
  active: "enabled is_active is_enabled",
  scopes: "scope permissions permission roles capabilities",
  inboxes: "inbox inbox_id inbox_ids mailboxes mailbox_ids mailbox addresses inbox_access",
  expires_at: "ttl lifetime valid_for expires expiry expire_at expiration expiration_date valid_until expires_on",
  send_budget: "budget max_sends send_limit quota max_recipients",
  ttl_seconds: "ttl expires_in lifetime duration seconds ttl_sec valid_for",
  lease: "wait_url url verification verification_id id token",
  token: "api_key enrollment_key enroll_key key enrollment_token",
  agent_handle: "handle agent agent_id name username",
  agent_name: "name full_name display_name agent",
  include_raw: "raw include_html include_text include_body full include_headers",
  reason: "note comment message why",
};

const MEANT = Map.groupBy(
  Object.entries(SYNONYMS).flatMap(([ours, names]) =>
    names.split(" ").map((name) => ({ ours, plain: plainName(name) })),
  ),
  ({ plain }) => plain,
);

/** Words of paths, and what other mail APIs and models call them, as `plainName` has them. */
const PATH_WORDS: Record<string, string> = {
  inboxes: "mailboxes mailbox accounts",
  messages: "emails email mails mail",
  threads: "conversations conversation",
  keys: "apikeys",
  restore: "untrash undelete undo recover",
  send: "submit approve",
};
const SEND = "POST /v1/inboxes/{addr}/send";
const WAIT = "POST /v1/inboxes/{addr}/wait";
const UPLOAD = "POST /v1/uploads";
const ACCOUNT = "GET /v1/auth/me";
const ENROLL = "POST /v1/enroll";
/** Calls of other services that have another path or method here; `{}` is any name. The mailbox before them is left out. */
const CALLS: Record<string, string> = {
  "POST messages": SEND,
  "POST messages/send": SEND,
  "POST messages/batchmodify": "PATCH /v1/messages",
  "POST messages/batch": "PATCH /v1/messages",
  "POST messages/batchdelete": "DELETE /v1/messages/{id}",
  "DELETE messages": "DELETE /v1/messages/{id}",
  "POST messages/{}/replyall": "POST /v1/messages/{id}/reply with `reply_all`",
  "POST messages/{}/modify": "PATCH /v1/messages/{id}",
  "POST messages/{}/labels": "PATCH /v1/messages/{id}",
  "POST messages/{}/move": "PATCH /v1/messages/{id}",
  "POST messages/{}/archive": "PATCH /v1/messages/{id}",
  "POST messages/{}/read": "PATCH /v1/messages/{id}",
  "POST messages/{}/trash": "DELETE /v1/messages/{id}",
  "POST messages/{}/delete": "DELETE /v1/messages/{id}",
  "GET messages/{}/attachments": "GET /v1/messages/{id}",
  "POST sendmail": SEND,
  "POST messages/await": WAIT,
  "GET wait-for-email": WAIT,
  "GET latest": WAIT,
  "GET code": WAIT,
  "GET otp": WAIT,
  "POST otp": "POST /v1/verifications",
  "GET messages/{}/body": "GET /v1/messages/{id}",
  "GET messages/{}/text": "GET /v1/messages/{id}",
  "GET messages/{}/html": "GET /v1/messages/{id}",
  "GET messages/{}/headers": "GET /v1/messages/{id}",
  "GET messages/{}/links": "GET /v1/messages/{id}",
  "GET messages/{}/source": "GET /v1/messages/{id}/raw",
  "GET messages/{}/eml": "GET /v1/messages/{id}/raw",
  "GET messages/{}/mime": "GET /v1/messages/{id}/raw",
  "GET messages/{}/$value": "GET /v1/messages/{id}/raw",
  "GET messages/{}/thread": "GET /v1/threads/{id}",
  "GET threads/{}/messages": "GET /v1/threads/{id}",
  "PATCH threads/{}": "PATCH /v1/messages",
  "POST threads/{}/labels": "PATCH /v1/messages",
  "POST messages/{}/star": "PATCH /v1/messages/{id}",
  "POST messages/{}/mark-as-read": "PATCH /v1/messages/{id}",
  "POST messages/{}/reschedule": "PATCH /v1/messages/{id} with `send_at`",
  "POST messages/{}/unschedule": "POST /v1/messages/{id}/cancel",
  "DELETE scheduled/{}": "POST /v1/messages/{id}/cancel",
  "POST messages/search": "GET /v1/messages with `q`",
  "POST search": "GET /v1/messages with `q`",
  "GET search": "GET /v1/messages with `q`",
  "GET labels": "GET /v1/messages with `label`",
  "GET folders": "GET /v1/messages with `label`",
  "GET sent": "GET /v1/messages with `direction=outbound`",
  "GET outbox": "GET /v1/messages with `direction=outbound`",
  "GET scheduled": "GET /v1/messages with `status=scheduled`",
  "GET spam": "GET /v1/messages with `quarantined=true`",
  "GET quarantine": "GET /v1/messages with `quarantined=true`",
  "GET deleted": "GET /v1/trash",
  "POST drafts/send": "POST /v1/drafts/{id}/send",
  "POST attachments": UPLOAD,
  "POST files": UPLOAD,
  "PUT uploads": UPLOAD,
  "GET account": ACCOUNT,
  "GET user": ACCOUNT,
  "GET whoami": ACCOUNT,
  "GET quota": ACCOUNT,
  "GET usage": ACCOUNT,
  "POST register": ENROLL,
  "POST signup": ENROLL,
  "POST auth/token": ENROLL,
  "POST auth/login": ENROLL,
  "POST subscriptions": "POST /v1/webhooks",
  "GET attachments/{}": "GET /v1/messages/{id}/attachments/{attachment_id}",
};

const OUR_WORDS = new Map(
  Object.entries(PATH_WORDS).flatMap(([ours, words]) => words.split(" ").map((word) => [word, ours])),
);
const KNOWN_CALLS = Object.entries(CALLS).map(([call, ours]) => {
  const [method = "", path = ""] = call.split(" ");
  return { method, parts: path.split("/").map(plainName), ours };
});

/** The parts of a path below `/v1`, in our words. */
export function ourParts(parts: string[]): string[] {
  return parts.map((part) => OUR_WORDS.get(plainName(part)) ?? part);
}

/** What a call of another service is here. @param parts of its path, as `ourParts` has them */
export function nearCall(method: string, parts: string[]): string | undefined {
  const own = parts[0] === "inboxes" && parts.length > 2 ? parts.slice(2) : parts;
  const isLike = (theirs: string[]) =>
    theirs.length === own.length && theirs.every((part, at) => part === "{}" || part === plainName(own[at] ?? ""));
  return KNOWN_CALLS.find((each) => each.method === method && isLike(each.parts))?.ours;
}

/** Names that mean no field of the call, and what to do about it. `has`: a field of the calls that they stand for. */
type Explained = { names: string; has: string; says: string };
const EXPLAINED: Explained[] = [
  {
    names: "from from_email from_address from_name sender sender_email source",
    has: "to",
    says: "the sender is the mailbox in the path, with its `display_name`",
  },
  { names: "headers custom_headers", has: "subject", says: "the service writes the headers" },
  {
    names: "in_reply_to thread_id message_id reply_to_message_id references conversation_id",
    has: "to",
    says: "to answer a message, use POST /v1/messages/{id}/reply",
  },
  {
    names: "to recipient recipients to_email to_address to_addresses email",
    has: "reply_all",
    says: "a reply goes to the sender of the message; `cc`, `bcc` and `reply_all` add others, and POST /v1/messages/{id}/forward sends to others alone",
  },
  {
    names: "subject title subject_line",
    has: "reply_all",
    says: "the subject of a reply comes from the message",
  },
  { names: "id", has: "upload_id", says: "did you mean `upload_id`, or `attachment_id` with `message_id`?" },
  {
    names:
      "track tracking track_opens track_clicks track_links tracking_options tracking_settings open_tracking click_tracking",
    has: "bcc",
    says: "opens and clicks are not tracked",
  },
  {
    names:
      "template template_id template_alias template_model template_data template_variables dynamic_template_data variables merge_vars substitutions personalizations",
    has: "bcc",
    says: "there are no templates; write each mail with `to`, `text` and `html`",
  },
  {
    names: "content_type body_type body_format format is_html mime_type markdown text_html",
    has: "html",
    says: "`text` takes plain text and `html` HTML",
  },
  {
    names:
      "approve approval require_approval requires_approval needs_approval draft as_draft is_draft save_draft use_draft",
    has: "bcc",
    says: "POST /v1/drafts stores a mail for a person to read",
  },
  {
    names: "dry_run test test_mode sandbox sandbox_mode simulate validate_only",
    has: "bcc",
    says: "the query `?dry_run=true` shows what would be sent",
  },
  {
    names: "raw raw_message mime raw_mime eml message_data",
    has: "bcc",
    says: "the service writes the mail from its fields",
  },
  {
    names: "importance priority",
    has: "headers",
    says: "`headers` takes headers of your own",
  },
  {
    names: "path file_path local_path",
    has: "upload_id",
    says: "`url` takes a public address; a file of yours goes to POST /v1/uploads, and its id into `upload_id`",
  },
  {
    names: "disposition content_disposition inline is_inline",
    has: "upload_id",
    says: "a file with `content_id` is shown in the HTML",
  },
  {
    names: "encoding transfer_encoding size",
    has: "content_base64",
    says: "leave it out; `content_base64` is base64",
  },
  {
    names: "trash trashed in_trash include_trash only_trash deleted is_deleted include_deleted",
    has: "has_attachments",
    says: "GET /v1/trash lists deleted mail",
  },
  {
    names: "sort sort_by sort_order order order_by orderby ascending descending",
    has: "cursor",
    says: "lists have one order, the newest first",
  },
  {
    names: "select fields include include_body include_text include_html expand view format projection",
    has: "has_attachments",
    says: "lists have a `preview`; GET /v1/messages/{id} returns the text",
  },
  {
    names: "starred flagged star archived is_archived",
    has: "has_attachments",
    says: "use `label` and `without_label` with a label of your own",
  },
  {
    names: "starred flagged star is_starred",
    has: "add_labels",
    says: "add a label of your own with `add_labels`",
  },
  {
    names: "date on day days period newer_than older_than within",
    has: "before",
    says: "`after` and `before` take times",
  },
  {
    names: "poll_interval polling_interval interval",
    has: "timeout_seconds",
    says: "leave it out; the call returns when the mail arrives",
  },
  {
    names: "otp_only has_code has_otp code_only extract_code",
    has: "timeout_seconds",
    says: "leave it out; `extracted` has the code of each mail",
  },
  {
    names: "secret signing_secret webhook_secret",
    has: "events",
    says: "the service makes the secret and returns it once",
  },
  {
    names: "trash trashed is_trashed deleted is_deleted delete",
    has: "add_labels",
    says: "DELETE /v1/messages/{id} moves a message to the trash",
  },
  {
    names: "archived archive is_archived folder folder_id parent_folder_id",
    has: "add_labels",
    says: "to put mail aside, add a label of your own with `add_labels`; `without_label` leaves it out of lists",
  },
];
/** Mailgun writes `h:` before the names of headers, and Microsoft Graph `$` before those of options. */
const HEADER = /^h:/;
const IN_PATH = "the path of the request names it";

/**
 * What to say after "unknown field": a hint, or nothing.
 * @param known the fields of the call, but for those in its path
 */
export function hintFor(name: string, known: string[], inPath: string[] = []): string {
  if (name.length > NAME_CHARS) return "";
  if (known.includes(name)) return "; it is given twice";
  const plain = plainName(name);
  const near = known.find((each) => plainName(each) === plain) ?? meant(plain, known);
  if (near) return `; did you mean \`${near}\`?`;
  if (HEADER.test(name) && known.includes("headers")) return "; did you mean `headers`?";
  const explained = EXPLAINED.find(
    ({ names, has }) => known.includes(has) && names.split(" ").map(plainName).includes(plain),
  );
  if (explained) return `; ${explained.says}`;
  if (inPath.includes(name) || meant(plain, inPath)) return `; ${IN_PATH}`;
  const slip = nearest(name, known);
  return slip ? `; did you mean \`${slip}\`?` : "";
}

/** Values of fields, and what other mail APIs and models call them. */
const VALUES: Record<string, string> = {
  inbound: "incoming received in inbox",
  outbound: "outgoing sent out",
  person: "human personal people individual",
  automatic: "auto automated notification notifications transactional system",
  list: "newsletter newsletters mailing_list bulk marketing promotion promotions",
  bounce: "bounced ndr dsn undeliverable",
  calendar: "invite invitation event meeting",
  held: "pending_approval waiting_for_approval awaiting_approval needs_approval",
  queued: "pending waiting",
  cancelled: "canceled",
  failed: "error errored",
  organization: "all org everything",
  own: "self mine",
  "message.received": "message_created email_created inbound incoming",
};
const MEANT_VALUES = Map.groupBy(
  Object.entries(VALUES).flatMap(([ours, words]) =>
    words.split(" ").map((word) => ({ ours, plain: plainValue(word) })),
  ),
  ({ plain }) => plain,
);

/** The value that another one means: in other case or with other punctuation, by a name of other services, or by its last word. */
export function nearValue(given: string, values: string[]): string | undefined {
  if (given.length > NAME_CHARS) return;
  const plain = plainValue(given);
  const alike = values.filter((each) => lastWord(each) === lastWord(given));
  return (
    values.find((each) => plainValue(each) === plain) ??
    MEANT_VALUES.get(plain)?.find(({ ours }) => values.includes(ours))?.ours ??
    (alike.length === 1 ? alike[0] : undefined) ??
    nearest(given, values)
  );
}

function plainValue(value: string): string {
  return value.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function lastWord(value: string): string {
  return value.toLowerCase().replace(/^.*[^a-z0-9]/, "");
}

/** The known name that another one means, if there is one. */
export function nearName(name: string, known: string[]): string | undefined {
  const plain = plainName(name);
  return known.find((each) => plainName(each) === plain) ?? meant(plain, known) ?? nearest(name, known);
}

/** `displayName`, `display-name` and `DISPLAY_NAME` are all `displayname`. Mailgun writes `o:` and `h:` before names. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/^(?:[ho]:|\$)|[_-]/g, "");
}

function meant(plain: string, known: string[]): string | undefined {
  return MEANT.get(plain)?.find(({ ours }) => known.includes(ours))?.ours;
}

function nearest(name: string, known: string[]): string | undefined {
  const most = name.length <= SHORT_CHARS ? 1 : MOST_EDITS;
  const near = known
    .filter((each) => Math.abs(each.length - name.length) <= most && each.length > most)
    .map((each) => ({ each, edits: leven(name, each) }))
    .filter(({ edits }) => edits <= most);
  return near.sort((a, b) => a.edits - b.edits)[0]?.each;
}
