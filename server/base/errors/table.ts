// The table of errors: code, HTTP status and default fix.

/** tRPC's name of each HTTP status. */
export const TRPC_CODES = {
  400: "BAD_REQUEST",
  401: "UNAUTHORIZED",
  402: "PAYMENT_REQUIRED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_SUPPORTED",
  409: "CONFLICT",
  413: "PAYLOAD_TOO_LARGE",
  415: "UNSUPPORTED_MEDIA_TYPE",
  422: "UNPROCESSABLE_CONTENT",
  429: "TOO_MANY_REQUESTS",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE",
} as const;

export const ERRORS = {
  invalid_request: {
    status: 400,
    fix: "Correct the fields listed in `issues` and repeat the request.",
  },
  unknown_field: {
    status: 400,
    fix: "Rename, remove or correct the fields listed in `issues`.",
  },
  invalid_json: { status: 400, fix: "Send one JSON object as the body." },
  invalid_cursor: {
    status: 400,
    fix: "Repeat the filters of the previous page, or list again from the first page without `cursor`.",
  },
  invalid_webhook_url: {
    status: 400,
    fix: "Use an https URL with a host on the public internet. The operator can allow other hosts in WEBHOOK_ALLOWED_HOSTS.",
  },
  invalid_payment: {
    status: 400,
    fix: "Sign the network, asset, exact amount and pay_to of the 402 answer, valid for 10 seconds to 15 minutes.",
  },
  unauthorized: {
    status: 401,
    fix: "Send `Authorization: Bearer <agent key>`. POST /v1/enroll returns a new agent key for an enrollment key.",
  },
  metrics_protected: {
    status: 401,
    fix: "Set METRICS_TOKEN and send `Authorization: Bearer <METRICS_TOKEN>`, or set METRICS_PORT and read the metrics there, on 127.0.0.1.",
  },
  payment_required: {
    status: 402,
    fix: "Sign an EIP-3009 authorization for `payment` and repeat the request with it in PAYMENT-SIGNATURE or X-PAYMENT.",
  },
  insufficient_scope: { status: 403, fix: "Use an agent key that has the scope." },
  domain_not_allowed: {
    status: 403,
    fix: "Set `domain` to one of `allowed_domains` of GET /v1/auth/me.",
  },
  domain_not_verified: {
    status: 403,
    fix: "Add the domain with POST /v1/domains, add its DNS records, and call POST /v1/domains/{domain}/verify.",
  },
  insufficient_role: { status: 403, fix: "Ask an admin or owner of your organization." },
  sending_paused: {
    status: 403,
    fix: "If it is paused because of bounces (10% of the last 100 recipients, or 0.5% complaints), remove the addresses that bounced or complained from your list. Then ask a member of your organization to resume sending in the dashboard.",
  },
  not_a_member: {
    status: 403,
    fix: "Choose an organization that you belong to, or ask one of its owners to invite you.",
  },
  company_sign_in_required: {
    status: 403,
    fix: "Sign in with your company account. If that does not work, ask the operator to end the requirement.",
  },
  second_factor_required: {
    status: 403,
    fix: "Send the code of your authenticator app, or a recovery code, together with the password.",
  },
  second_factor_missing: {
    status: 403,
    fix: "Load the dashboard again: it asks you to set up a second factor. A sign-in with the company account counts too.",
  },
  wrong_code: {
    status: 403,
    fix: "Use the code that the app shows now; each code works once. Check the clock of the device, or use a recovery code.",
  },
  cross_origin: {
    status: 403,
    fix: "Use the service at PUBLIC_URL. Behind a proxy, the operator lists it in TRUST_PROXY, and the proxy passes on Host and sends X-Forwarded-Proto.",
  },
  send_budget_exceeded: {
    status: 403,
    fix: "Send to fewer recipients, or ask the holder of the key that issued this one for a key with a larger `send_budget`.",
  },
  recipient_blocked: {
    status: 403,
    fix: "Leave out the addresses listed in `addresses`. Agents with the scope list:manage change the entries of agents with /v1/lists/send/allow and /v1/lists/send/block. For entries of members, ask an admin of your organization.",
  },
  list_entry_not_found: {
    status: 404,
    fix: "GET the same path to list the entries. Pass `inbox` for the list of one mailbox.",
  },
  too_many_held: {
    status: 409,
    fix: "Ask a member of your organization to decide on the messages under Approvals in the dashboard, or delete some of them.",
  },
  already_decided: { status: 409, fix: "Open Approvals in the dashboard to see the decision." },
  review_changed: {
    status: 409,
    fix: "Read the newest revision under Approvals in the dashboard, then decide again.",
  },
  too_many_list_entries: {
    status: 409,
    fix: "Delete entries you do not need, or replace addresses with their domain.",
  },
  verification_not_found: {
    status: 404,
    fix: "Use the whole `wait_url`, before `expires_at`, or create another verification (POST /v1/verifications).",
  },
  too_many_suppressions: {
    status: 409,
    fix: "Delete suppressions you do not need, or add the domain to the block list for sending.",
  },
  suppression_not_found: { status: 404, fix: "GET /v1/suppressions lists all suppressions." },
  recipient_suppressed: {
    status: 422,
    fix: "Leave out the addresses listed in `addresses`, or remove an address with DELETE /v1/suppressions/{address} if you know that it works again.",
  },
  not_found: {
    status: 404,
    fix: "GET /llms.txt names the most used paths, and GET /v1/openapi.json all of them.",
  },
  inbox_not_found: { status: 404, fix: "GET /v1/inboxes lists the inboxes this key can see." },
  message_not_found: {
    status: 404,
    fix: "GET /v1/inboxes/{addr}/messages lists the messages this key can see.",
  },
  attachment_not_found: {
    status: 404,
    fix: "GET /v1/messages/{id} lists the attachments of a message with their ids.",
  },
  thread_not_found: {
    status: 404,
    fix: "GET /v1/inboxes/{addr}/threads lists the threads this key can see.",
  },
  webhook_not_found: {
    status: 404,
    fix: "GET /v1/webhooks lists the webhooks of your organization.",
  },
  notice_route_not_found: {
    status: 404,
    fix: "Settings → Notices in the dashboard shows where you get notices.",
  },
  notice_address_not_found: {
    status: 404,
    fix: "Settings → Organization in the dashboard lists the addresses for notices.",
  },
  delivery_not_found: {
    status: 404,
    fix: "GET /v1/webhooks/{id}/deliveries lists the deliveries of a webhook; they are kept for 30 days (RETENTION_DAYS_DELIVERIES).",
  },
  purchase_not_found: {
    status: 404,
    fix: "GET /v1/purchase lists the payments of your organization.",
  },
  enrollment_key_not_found: {
    status: 404,
    fix: "Check the id against the enrollment keys of your organization.",
  },
  agent_not_found: { status: 404, fix: "Check the id against the agents of your organization." },
  agent_key_not_found: {
    status: 404,
    fix: "Check the id against the agents of your enrollment keys.",
  },
  app_not_found: { status: 404, fix: "Check the id against the connected apps." },
  link_not_found: { status: 404, fix: "Ask the person who sent the link for a new one." },
  member_not_found: { status: 404, fix: "Check the id against the members of your organization." },
  domain_not_found: { status: 404, fix: "GET /v1/domains lists the domains of your organization." },
  method_not_allowed: { status: 405, fix: "Use a method listed in the `Allow` header." },
  enrollment_token_exhausted: {
    status: 409,
    fix: "If your organization pays for mailboxes, buy more with POST /v1/purchase. Otherwise ask the operator for an enrollment key with unused quota. Deleting a mailbox does not restore quota.",
  },
  too_many_agent_keys: {
    status: 409,
    fix: "Use an enrolled agent, or ask the operator to revoke agent keys or to issue another enrollment key.",
  },
  already_member: { status: 409, fix: "Change the role of the existing member." },
  last_owner: { status: 409, fix: "Make another member an owner first." },
  hosted_address: {
    status: 409,
    fix: "Use an address at a domain whose mail this service does not receive.",
  },
  address_taken: { status: 409, fix: "Choose another `username`, or omit it." },
  catch_all_taken: {
    status: 409,
    fix: 'PATCH /v1/inboxes/{addr} of that mailbox with `{"catch_all": false}` or delete it, then repeat.',
  },
  domain_taken: {
    status: 409,
    fix: "Use a domain of your organization. If you own this one, ask the operator who holds it.",
  },
  domain_in_use: {
    status: 409,
    fix: "Delete its mailboxes first (DELETE /v1/inboxes/{addr}), then repeat.",
  },
  domain_not_ready: {
    status: 409,
    fix: "GET /v1/domains/{domain} lists the DNS records to add. Then call POST /v1/domains/{domain}/verify.",
  },
  too_many_domains: {
    status: 409,
    fix: "Verify the domains that you added, or delete the ones you do not need (DELETE /v1/domains/{domain}).",
  },
  idempotency_conflict: { status: 409, fix: "Use a new idempotency key for a different request." },
  payments_not_enabled: {
    status: 409,
    fix: "Ask the operator to enable paid provisioning for your organization.",
  },
  payment_already_used: {
    status: 409,
    fix: "Sign a new authorization. An authorization pays once, for one request of one caller.",
  },
  draft_not_found: { status: 404, fix: "GET /v1/drafts lists the drafts this key can see." },
  draft_changed: {
    status: 409,
    fix: "Read the draft (GET /v1/drafts/{id}), then repeat with its `revision`.",
  },
  too_many_drafts: {
    status: 409,
    fix: "Delete drafts that you do not need (DELETE /v1/drafts/{id}).",
  },
  already_left: {
    status: 409,
    fix: "Messages that are `scheduled`, `held` or `queued` can be cancelled, and those with `send_at` that are `scheduled` or `held` can be moved. GET /v1/messages/{id} shows the status.",
  },
  upload_not_found: {
    status: 404,
    fix: "Upload the file again (POST /v1/uploads). An upload is kept for 24 hours, and only the agent that made it can attach it.",
  },
  too_many_uploads: {
    status: 409,
    fix: "Wait until some of them expire, 24 hours after they were made, or attach small files with `content_base64`.",
  },
  thread_moved_on: {
    status: 409,
    fix: "Read the newer messages (GET /v1/threads/{id}), then repeat with the id of the newest one, or change your reply.",
  },
  too_many_scheduled: {
    status: 409,
    fix: "Cancel scheduled messages (POST /v1/messages/{id}/cancel), or wait until some have left.",
  },
  too_many_webhooks: {
    status: 409,
    fix: "Delete webhooks you do not need, or register one without `address`, which receives the events of all mailboxes.",
  },
  too_many_notice_routes: {
    status: 409,
    fix: "Remove one of them, or change what it is about.",
  },
  webhook_inactive: {
    status: 409,
    fix: "Enable it first: PATCH /v1/webhooks/{id} with `active: true`.",
  },
  webhook_test_failed: {
    status: 409,
    fix: "Make the endpoint answer 2xx (POST /v1/webhooks/{id}/test shows its answer), then repeat.",
  },
  storage_quota_exceeded: {
    status: 409,
    fix: "GET /v1/inboxes/{addr}/storage shows the usage. Delete messages permanently (DELETE /v1/messages/{id}?permanent=true, with the scope mailbox:purge), or ask a member of your organization to empty the trash, or the operator for a larger quota.",
  },
  verification_answered: {
    status: 409,
    fix: "A taken code is not returned again. Create another verification (POST /v1/verifications).",
  },
  inbox_deleted: { status: 409, fix: "Use a new `client_id` to create another mailbox." },
  payload_too_large: { status: 413, fix: "Send a smaller body." },
  unsupported_media_type: {
    status: 415,
    fix: "Send the body as `Content-Type: application/json`.",
  },
  attachment_unreadable: {
    status: 422,
    fix: "Download the file (GET /v1/messages/{id}/attachments/{attachment_id}) and read it with another program.",
  },
  url_not_attached: {
    status: 422,
    fix: "Give a URL that answers with the file itself, without sign-in, on the public internet. Otherwise upload the file (POST /v1/uploads) and pass its id as `upload_id`.",
  },
  reply_refused: {
    status: 422,
    fix: "Do not reply to this message. To contact these people anyway, call POST /v1/inboxes/{addr}/send.",
  },
  daily_send_cap_exceeded: {
    status: 429,
    fix: "Wait `Retry-After` seconds. `cap` says which cap it is: of the mailbox, the domain or the organization. GET /v1/inboxes/{addr}/send-limit shows them and when they increase.",
  },
  rate_limited: { status: 429, fix: "Wait `Retry-After` seconds and repeat." },
  internal_error: {
    status: 500,
    fix: "Repeat the request; give the operator the `request_id` if it fails again.",
  },
  content_unreadable: {
    status: 500,
    fix: "Give the operator the `request_id`. The fields and the text of the message can still be read (GET /v1/messages/{id}).",
  },
  payment_pending: {
    status: 503,
    fix: "Wait `Retry-After` seconds and repeat with the same payload; do not sign another one.",
  },
  unavailable: { status: 503, fix: "Wait `Retry-After` seconds and repeat." },
} as const satisfies Record<string, { status: keyof typeof TRPC_CODES; fix: string }>;

export type ErrorCode = keyof typeof ERRORS;
