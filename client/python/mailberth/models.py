# Generated from the OpenAPI document by generate.ts. Do not edit.
"""The answers and the structured inputs of the API. The reference describes each field."""
from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

class AttachmentInput(TypedDict):
    filename: NotRequired[str]
    content_type: NotRequired[str]
    content_base64: NotRequired[str]
    upload_id: NotRequired[str]
    url: NotRequired[str]
    message_id: NotRequired[str]
    attachment_id: NotRequired[str]
    content_id: NotRequired[str]

WebhookFilter = TypedDict(
    "WebhookFilter",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
        "subject": NotRequired[str],
        "kind": NotRequired[Literal["person", "automatic", "list", "bounce", "calendar"]],
        "label": NotRequired[str],
    },
)

class Enrollment(TypedDict):
    agent_id: str
    agent_key: str
    scopes: List[Literal["mailbox:create", "mailbox:read", "mailbox:draft", "mailbox:send", "mailbox:delete", "mailbox:purge", "mailbox:import", "webhook:write", "payment:write", "domain:manage", "list:manage", "key:issue"]]
    org_id: str
    quota: Quota
    allowed_domains: List[str]

class Quota(TypedDict):
    max_mailboxes: int
    used_count: int
    remaining: int

class CallerSubmission(TypedDict):
    host: str
    starttls_port: Optional[int]
    tls_port: Optional[int]

class Caller(TypedDict):
    agent_id: str
    agent_handle: str
    agent_name: Optional[str]
    key_id: str
    org_id: str
    organization: str
    scopes: List[Literal["mailbox:create", "mailbox:read", "mailbox:draft", "mailbox:send", "mailbox:delete", "mailbox:purge", "mailbox:import", "webhook:write", "payment:write", "domain:manage", "list:manage", "key:issue"]]
    inboxes: Optional[List[str]]
    inbox_access: Literal["organization", "own"]
    allowed_domains: List[str]
    quota: QuotaWithPrepaid
    send_budget: Optional[int]
    sends_left: Optional[int]
    submission: Optional[CallerSubmission]
    expires_at: Optional[str]

class QuotaWithPrepaid(TypedDict):
    max_mailboxes: int
    used_count: int
    remaining: int
    prepaid: NotRequired[int]

class CreatedInbox(TypedDict):
    id: str
    address: str
    display_name: str
    domain: str
    status: Literal["live"]
    created_at: str
    metadata: Dict[str, Union[str, float, bool]]
    webhook: NotRequired[RegisteredWebhook]

class RegisteredWebhook(TypedDict):
    id: str
    url: str
    events: List[Literal["message.received", "message.sent", "message.delivered", "message.bounced", "message.complained", "message.failed", "message.held", "message.approved", "message.rejected", "message.restored", "message.unanswered", "suppression.added", "suppression.removed", "inbox.created", "inbox.deleted", "domain.verified", "domain.lost", "sending.paused", "sending.resumed"]]
    secret: str

class InboxPage(TypedDict):
    data: List[InboxSummary]
    next_cursor: Optional[str]

class InboxSummary(TypedDict):
    id: str
    address: str
    status: Literal["live"]

class Inbox(TypedDict):
    id: str
    address: str
    display_name: str
    domain: str
    status: Literal["live"]
    created_at: str
    metadata: Dict[str, Union[str, float, bool]]

class Deleted(TypedDict):
    id: str
    deleted: Literal[True]

class Storage(TypedDict):
    used_bytes: int
    limit_bytes: Optional[int]

class SendingPause(TypedDict):
    scope: Literal["organization", "inbox", "agent_key"]
    id: str
    since: str
    paused_by: str
    by_operator: bool
    reason: Optional[str]
    in_flight: int
    queued: int
    scheduled: int

class SendLimitDomain(TypedDict):
    """The cap of all mailboxes of the organization at this domain and below it, together."""
    name: str
    limit: int
    used: int
    remaining: int
    step: int
    next_step_at: Optional[str]

class SendLimitOrganization(TypedDict):
    """The cap of all mailboxes of the organization, together."""
    limit: int
    used: int
    remaining: int
    step: int
    next_step_at: Optional[str]

class SendLimitPaused(TypedDict):
    since: str
    bounce_rate: float
    complaint_rate: float
    cause: Literal["bounces", "organization", "operator"]
    scope: Literal["organization", "inbox", "agent_key"]
    paused_by: Optional[str]
    reason: str

class SendLimit(TypedDict):
    limit: int
    used: int
    remaining: int
    replies_used: int
    replies_limit: int
    resets_at: str
    step: int
    next_step_at: Optional[str]
    next_step_needs: Optional[str]
    held: bool
    domain: SendLimitDomain
    organization: SendLimitOrganization
    paused: Optional[SendLimitPaused]

class QueuedMessage(TypedDict):
    id: str
    status: Literal["queued", "scheduled", "held"]
    thread_id: str
    next: NotRequired[str]

class MessageTruncated(TypedDict):
    """The bodies that are not whole here. Characters are UTF-16 code units. Only with `max_chars` or `offset`."""
    text: NotRequired[CutBody]
    html: NotRequired[CutBody]
    extracted_text: NotRequired[CutBody]
    safe_text: NotRequired[CutBody]

Message = TypedDict(
    "Message",
    {
        "id": str,
        "thread_id": str,
        "inbox": str,
        "direction": Literal["inbound", "outbound"],
        "status": Literal["received", "parsed", "unparsed", "held", "rejected", "scheduled", "queued", "sending", "cancelled", "captured", "sent", "delivered", "bounced", "complained", "suppressed", "failed"],
        "from": str,
        "from_name": Optional[str],
        "to": List[str],
        "cc": List[str],
        "delivered_to": NotRequired[Optional[str]],
        "imported": NotRequired[Literal[True]],
        "kind": NotRequired[Optional[Literal["person", "automatic", "list", "bounce", "calendar"]]],
        "subject": str,
        "read": bool,
        "labels": List[str],
        "received_at": NotRequired[str],
        "created_at": NotRequired[str],
        "send_at": NotRequired[Optional[str]],
        "recipients": NotRequired[List["Recipient"]],
        "size": int,
        "bcc": NotRequired[List[str]],
        "reply_by": NotRequired[Optional[str]],
        "reply_to": List[str],
        "text": Optional[str],
        "html": Optional[str],
        "extracted_text": Optional[str],
        "safe_text": Optional["SafeText"],
        "truncated": NotRequired["MessageTruncated"],
        "attachments": List["Attachment"],
        "rfc_message_id": Optional[str],
        "in_reply_to": Optional[str],
        "references": List[str],
        "headers": List["HeaderField"],
        "authentication": Optional["Authentication"],
        "security": Optional["Security"],
        "spam": NotRequired[Optional["Spam"]],
        "quarantined": NotRequired[bool],
        "reading": Optional["Reading"],
        "sent_at": NotRequired[Optional[str]],
        "error": NotRequired[Optional[str]],
    },
)

class Recipient(TypedDict):
    address: str
    name: NotRequired[str]
    status: Literal["queued", "captured", "cancelled", "sent", "delivered", "bounced", "complained", "suppressed", "failed"]
    smtp_code: Optional[int]
    enhanced_code: Optional[str]
    reason: Optional[str]
    at: Optional[str]

class SafeText(TypedDict):
    marker: str
    text: str

class CutBody(TypedDict):
    total_chars: int
    next_offset: Optional[int]

class Attachment(TypedDict):
    id: str
    filename: Optional[str]
    content_type: str
    size: int
    inline: bool
    content_id: NotRequired[str]

class HeaderField(TypedDict):
    name: str
    value: str

class Authentication(TypedDict):
    spf: AuthenticationResult
    dkim: AuthenticationResult
    dmarc: AuthenticationResult
    arc: AuthenticationResult
    aligned_from: bool
    local_sender: NotRequired[str]

AuthenticationResult = Literal["pass", "fail", "softfail", "neutral", "none", "temperror", "permerror"]

class Security(TypedDict):
    first_contact: bool
    multiple_from: bool
    misleading_from: List[str]
    hidden_text: bool
    hiding: Literal["none", "usual", "deceptive"]
    instructions: Literal["none", "visible", "hidden"]
    suspicious_links: List[str]
    risk: Literal["low", "medium", "high"]

class Spam(TypedDict):
    score: float
    verdict: Literal["ham", "suspect", "spam"]
    reasons: List[str]

class Reading(TypedDict):
    complete: bool
    notes: List[Literal["structure_repaired", "charset_guessed", "encoding_ignored", "part_unreadable"]]

class CancelledMessage(TypedDict):
    id: str
    status: Literal["cancelled"]

class DryRunRefusals(TypedDict):
    code: str
    status: int
    message: str
    fix: str
    retry_after_seconds: Optional[int]

class DryRun(TypedDict):
    would_send: bool
    refusals: List[DryRunRefusals]

class MessagePage(TypedDict):
    data: List[MessageSummary]
    next_cursor: Optional[str]

MessageSummary = TypedDict(
    "MessageSummary",
    {
        "id": str,
        "thread_id": str,
        "inbox": str,
        "direction": Literal["inbound", "outbound"],
        "status": Literal["received", "parsed", "unparsed", "held", "rejected", "scheduled", "queued", "sending", "cancelled", "captured", "sent", "delivered", "bounced", "complained", "suppressed", "failed"],
        "from": str,
        "from_name": Optional[str],
        "to": List[str],
        "cc": List[str],
        "delivered_to": NotRequired[Optional[str]],
        "imported": NotRequired[Literal[True]],
        "kind": NotRequired[Optional[Literal["person", "automatic", "list", "bounce", "calendar"]]],
        "subject": str,
        "read": bool,
        "labels": List[str],
        "received_at": NotRequired[str],
        "created_at": NotRequired[str],
        "send_at": NotRequired[Optional[str]],
        "recipients": NotRequired[List["Recipient"]],
        "size": int,
        "spam_verdict": NotRequired[Optional[Literal["ham", "suspect", "spam"]]],
        "quarantined": NotRequired[bool],
        "warning": NotRequired[Optional[Literal["hidden_instructions", "dmarc_failed", "suspicious_links", "misleading_sender", "instructions", "hidden_text"]]],
        "preview": str,
        "attachment_count": int,
        "attachments": List["Attachment"],
        "rank": NotRequired[float],
        "highlights": NotRequired[List["Highlight"]],
    },
)

class HighlightParts(TypedDict):
    text: str
    match: bool

class Highlight(TypedDict):
    field: Literal["subject", "from", "from_name", "to", "text"]
    parts: List[HighlightParts]

class UpdatedMessages(TypedDict):
    updated: List[str]
    missing: List[str]

class ImportedMessage(TypedDict):
    id: str
    thread_id: str
    received_at: str
    repeated: bool

class AttachmentLink(TypedDict):
    url: str
    expires_at: str

class AttachmentText(TypedDict):
    attachment_id: str
    filename: Optional[str]
    kind: Literal["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "rtf", "html", "csv", "ics", "eml", "text"]
    safe_text: SafeText
    next_offset: Optional[int]
    truncated: bool
    note: Optional[Literal["no_text_layer", "charset_guessed", "parts_unread"]]

class WaitResultEarlier(TypedDict):
    count: int
    newest_id: str
    received_at: str

class WaitResult(TypedDict):
    timed_out: bool
    message: Optional[Message]
    event_id: Optional[str]
    extracted: Extraction
    cursor: str
    earlier: Optional[WaitResultEarlier]

class Extraction(TypedDict):
    otp: Optional[str]
    link: Optional[str]
    confidence: float
    link_host_matches_sender: Optional[bool]

class ThreadPage(TypedDict):
    data: List[ThreadSummary]
    next_cursor: Optional[str]

ThreadSummaryLastSender = TypedDict(
    "ThreadSummaryLastSender",
    {
        "from": str,
        "from_name": Optional[str],
    },
)

class ThreadSummary(TypedDict):
    id: str
    inbox: str
    subject: str
    message_count: int
    unread_count: int
    last_message_id: str
    created_at: str
    last_message: MessageSummary
    last_sender: Optional[ThreadSummaryLastSender]

class Thread(TypedDict):
    id: str
    inbox: str
    subject: str
    message_count: int
    unread_count: int
    last_message_id: str
    created_at: str
    messages: List[Message]
    next_cursor: Optional[str]

class ThreadDigest(TypedDict):
    id: str
    inbox: str
    subject: str
    message_count: int
    last_message_id: str
    digest: SafeText

class TrashPage(TypedDict):
    data: List[TrashedMessage]
    next_cursor: Optional[str]

TrashedMessage = TypedDict(
    "TrashedMessage",
    {
        "id": str,
        "thread_id": str,
        "inbox": str,
        "direction": Literal["inbound", "outbound"],
        "from": str,
        "from_name": Optional[str],
        "to": List[str],
        "subject": str,
        "preview": str,
        "attachment_count": int,
        "size": int,
        "created_at": str,
        "deleted_at": str,
        "expires_at": str,
    },
)

class Verification(TypedDict):
    id: str
    address: str
    wait_url: str
    expires_at: str

class VerificationResult(TypedDict):
    timed_out: bool
    otp: Optional[str]
    link: Optional[str]
    confidence: float
    sender_verified: Optional[bool]
    message: Optional[Message]

class Draft(TypedDict):
    id: str
    revision: int
    inbox: str
    to: List[str]
    recipients: List[str]
    subject: Optional[str]
    in_reply_to: Optional[str]
    labels: List[str]
    created_at: str
    updated_at: str
    cc: List[str]
    bcc: List[str]
    text: Optional[str]
    html: Optional[str]
    reply_to: Optional[str]
    list_unsubscribe: bool
    reply_all: bool
    expected_last_message_id: Optional[str]
    attachments: List[DraftAttachment]

class DraftAttachment(TypedDict):
    id: str
    filename: Optional[str]
    content_type: str
    size: int

class DraftPage(TypedDict):
    data: List[DraftSummary]
    next_cursor: Optional[str]

class DraftSummary(TypedDict):
    id: str
    revision: int
    inbox: str
    to: List[str]
    recipients: List[str]
    subject: Optional[str]
    in_reply_to: Optional[str]
    labels: List[str]
    created_at: str
    updated_at: str
    attachment_count: int

class Upload(TypedDict):
    id: str
    filename: str
    content_type: str
    size: int
    sha256: str
    expires_at: str

class SuppressionPage(TypedDict):
    data: List[Suppression]
    next_cursor: Optional[str]

class Suppression(TypedDict):
    address: str
    reason: str
    inbox: Optional[str]
    message_id: Optional[str]
    set_by: Literal["member", "agent", "service"]
    set_by_key: Optional[str]
    created_at: str

class DeletedSuppression(TypedDict):
    address: str
    deleted: Literal[True]

class ListEntryPage(TypedDict):
    data: List[ListEntry]
    next_cursor: Optional[str]

class ListEntry(TypedDict):
    entry: str
    reason: Optional[str]
    set_by: Literal["member", "agent"]
    set_by_key: Optional[str]
    created_at: str

class DeletedListEntry(TypedDict):
    entry: str
    deleted: Literal[True]

class DomainOwnership(TypedDict):
    """Whether the organization owns the domain."""
    status: Literal["pending", "ready", "failing"]
    reason: Optional[str]

class DomainSending(TypedDict):
    """Whether mail can be sent from the domain: SPF, DKIM and return path. From a granted domain, mail can be sent before."""
    status: Literal["pending", "ready", "failing"]
    reason: Optional[str]

class DomainReceiving(TypedDict):
    """Whether mail to the domain arrives here: MX."""
    status: Literal["pending", "ready", "failing"]
    reason: Optional[str]

class DomainOutcomes(TypedDict):
    """How bounces, complaints and deliveries become known."""
    by: List[Literal["local", "return_path", "resend", "ses", "postmark", "mailgun", "sendgrid"]]
    reason: Optional[str]

class Domain(TypedDict):
    id: str
    domain: str
    status: Literal["pending", "verified", "lost"]
    granted: bool
    ownership: DomainOwnership
    sending: DomainSending
    receiving: DomainReceiving
    outcomes: DomainOutcomes
    catch_all: Optional[str]
    records: List[DomainRecord]
    created_at: str
    verified_at: Optional[str]
    last_checked_at: Optional[str]
    next_check_at: str

class DomainRecord(TypedDict):
    purpose: Literal["ownership", "mx", "spf", "dkim", "dmarc", "mta_sts", "mta_sts_policy", "tls_rpt", "return_path_mx", "return_path_spf"]
    type: Literal["TXT", "MX", "CNAME"]
    name: str
    value: str
    priority: Optional[int]
    status: Literal["missing", "mismatch", "found"]
    observed: List[str]
    fix: Optional[str]

class DomainPage(TypedDict):
    data: List[Domain]
    next_cursor: Optional[str]

class EventPage(TypedDict):
    data: List[Event]
    next_cursor: Optional[str]

Event = Union["MessageReceivedEvent", "MessageOutcomeEvent", "ReviewDecidedEvent", "DomainChangedEvent", "SendingChangedEvent", "MessageChangedEvent", "SuppressionChangedEvent", "InboxChangedEvent", "WebhookDisabledEvent"]

class MessageReceivedEvent(TypedDict):
    event: Literal["message.received"]
    inbox: str
    message: ReceivedMessage
    id: str
    created_at: str

ReceivedMessage = TypedDict(
    "ReceivedMessage",
    {
        "id": str,
        "thread_id": str,
        "from": str,
        "subject": str,
        "received_at": str,
    },
)

class MessageOutcomeEvent(TypedDict):
    event: Literal["message.delivered", "message.bounced", "message.complained", "message.failed"]
    inbox: str
    message: MessageOutcomeDetails
    id: str
    created_at: str

class MessageOutcomeDetails(TypedDict):
    id: str
    thread_id: str
    subject: NotRequired[str]
    recipient: Optional[str]
    status: Literal["delivered", "bounced", "complained", "failed"]
    smtp_code: Optional[int]
    enhanced_code: Optional[str]
    reason: Optional[str]

class ReviewDecidedEvent(TypedDict):
    event: Literal["message.approved", "message.rejected"]
    inbox: str
    message: DecidedMessage
    id: str
    created_at: str

class DecidedMessage(TypedDict):
    id: str
    thread_id: str
    revision: int
    sha256: str
    reason: Optional[str]

class DomainChangedEvent(TypedDict):
    event: Literal["domain.verified", "domain.lost"]
    inbox: None
    domain: ChangedDomain
    id: str
    created_at: str

class ChangedDomain(TypedDict):
    id: str
    domain: str
    status: Literal["verified", "lost"]
    reason: Optional[str]

class SendingChangedEvent(TypedDict):
    event: Literal["sending.paused", "sending.resumed"]
    inbox: Optional[str]
    pause: ChangedPause
    id: str
    created_at: str

class ChangedPause(TypedDict):
    scope: Literal["organization", "inbox", "agent_key"]
    id: str
    by: str
    reason: Optional[str]

class MessageChangedEvent(TypedDict):
    event: Literal["message.sent", "message.held", "message.restored", "message.unanswered"]
    inbox: str
    message: ChangedMessage
    id: str
    created_at: str

class ChangedMessage(TypedDict):
    id: str
    thread_id: str
    subject: NotRequired[str]
    recipients: NotRequired[List[str]]
    reply_by: NotRequired[str]

class SuppressionChangedEvent(TypedDict):
    event: Literal["suppression.added", "suppression.removed"]
    inbox: Optional[str]
    suppression: ChangedSuppression
    id: str
    created_at: str

class ChangedSuppression(TypedDict):
    address: str
    reason: str

class InboxChangedEvent(TypedDict):
    event: Literal["inbox.created", "inbox.deleted"]
    inbox: str
    mailbox: ChangedMailbox
    id: str
    created_at: str

class ChangedMailbox(TypedDict):
    id: str

class WebhookDisabledEvent(TypedDict):
    event: Literal["webhook.disabled"]
    inbox: Optional[str]
    webhook: DisabledWebhook
    id: str
    created_at: str

class DisabledWebhook(TypedDict):
    id: str
    url: str
    reason: str

class WebhookPage(TypedDict):
    data: List[Webhook]
    next_cursor: Optional[str]

class Webhook(TypedDict):
    id: str
    url: str
    name: Optional[str]
    events: List[Literal["message.received", "message.sent", "message.delivered", "message.bounced", "message.complained", "message.failed", "message.held", "message.approved", "message.rejected", "message.restored", "message.unanswered", "suppression.added", "suppression.removed", "inbox.created", "inbox.deleted", "domain.verified", "domain.lost", "sending.paused", "sending.resumed"]]
    format: Optional[Literal["agentmail", "resend"]]
    agent_id: Optional[str]
    address: Optional[str]
    filter: Optional[WebhookFilterOutput]
    headers: List[str]
    include: List[Literal["message"]]
    active: bool
    disabled_reason: Optional[str]
    disabled_at: Optional[str]
    failing_since: Optional[str]
    previous_secret_expires_at: Optional[str]
    created_at: str

class RotatedSecret(TypedDict):
    id: str
    secret: str
    previous_secret_expires_at: str

class WebhookTest(TypedDict):
    delivered: bool
    status: Optional[int]
    duration_ms: int
    error: Optional[str]
    response_body: Optional[str]

class DeliveryPage(TypedDict):
    data: List[Delivery]
    next_cursor: Optional[str]

class Delivery(TypedDict):
    id: str
    webhook_id: str
    event_id: str
    event: Literal["message.received", "message.sent", "message.delivered", "message.bounced", "message.complained", "message.failed", "message.held", "message.approved", "message.rejected", "message.restored", "message.unanswered", "suppression.added", "suppression.removed", "inbox.created", "inbox.deleted", "domain.verified", "domain.lost", "sending.paused", "sending.resumed"]
    message_id: Optional[str]
    status: Literal["pending", "succeeded", "failed"]
    attempt_count: int
    next_attempt_at: Optional[str]
    last_status: Optional[int]
    last_error: Optional[str]
    created_at: str
    completed_at: Optional[str]

class DeliveryWithAttempts(TypedDict):
    id: str
    webhook_id: str
    event_id: str
    event: Literal["message.received", "message.sent", "message.delivered", "message.bounced", "message.complained", "message.failed", "message.held", "message.approved", "message.rejected", "message.restored", "message.unanswered", "suppression.added", "suppression.removed", "inbox.created", "inbox.deleted", "domain.verified", "domain.lost", "sending.paused", "sending.resumed"]
    message_id: Optional[str]
    status: Literal["pending", "succeeded", "failed"]
    attempt_count: int
    next_attempt_at: Optional[str]
    last_status: Optional[int]
    last_error: Optional[str]
    created_at: str
    completed_at: Optional[str]
    body: Optional[str]
    attempts: List[Attempt]

class Attempt(TypedDict):
    number: int
    started_at: str
    duration_ms: int
    status: Optional[int]
    error: Optional[str]
    request_headers: List[HeaderField]
    response_body: Optional[str]
    next_attempt_at: Optional[str]

class Retry(TypedDict):
    retried: int
    next_cursor: Optional[str]

class Replay(TypedDict):
    replayed: int
    until: str
    next_cursor: Optional[str]

class Purchase(TypedDict):
    id: str
    resource: str
    amount: str
    network: str
    asset: str
    transaction: Optional[str]
    status: Literal["verified", "settling", "settled", "fulfilled", "failed", "expired"]
    max_mailboxes: int
    used_count: int

class PaymentPage(TypedDict):
    data: List[Payment]
    next_cursor: Optional[str]

class Payment(TypedDict):
    id: str
    resource: str
    amount: str
    network: str
    asset: str
    transaction: Optional[str]
    status: Literal["verified", "settling", "settled", "fulfilled", "failed", "expired"]
    payer: str
    pay_to: str
    inbox_id: Optional[str]
    error: Optional[str]
    created_at: str

class KeyActivityPage(TypedDict):
    data: List[KeyActivity]
    next_cursor: Optional[str]

class KeyActivityChanges(TypedDict):
    kind: Literal["message", "send", "draft", "upload", "inbox", "list_entry", "suppression", "webhook", "key", "domain", "pause", "payment"]
    id: Optional[str]
    name: Optional[str]
    thread_id: Optional[str]
    before: Optional[Dict[str, Any]]
    after: Optional[Dict[str, Any]]
    final: Optional[str]

class KeyActivityNotUndone(TypedDict):
    kind: Literal["message", "send", "draft", "upload", "inbox", "list_entry", "suppression", "webhook", "key", "domain", "pause", "payment"]
    id: Optional[str]
    reason: str

class KeyActivity(TypedDict):
    id: str
    verb: str
    request_id: str
    inbox: Optional[str]
    changes: List[KeyActivityChanges]
    change_count: int
    created_at: str
    undone_at: Optional[str]
    not_undone: List[KeyActivityNotUndone]

class KeyUndoOperations(TypedDict):
    verb: str
    count: int

class KeyUndoNotUndone(TypedDict):
    activity_id: str
    verb: str
    kind: Literal["message", "send", "draft", "upload", "inbox", "list_entry", "suppression", "webhook", "key", "domain", "pause", "payment"]
    id: Optional[str]
    reason: str
    created_at: str

class KeyUndo(TypedDict):
    id: str
    dry_run: bool
    revoked: bool
    operations: List[KeyUndoOperations]
    not_undone: List[KeyUndoNotUndone]
    not_undone_count: int
    more: bool

class IssuedKeyWithSecret(TypedDict):
    id: str
    name: Optional[str]
    parent_id: str
    scopes: List[Literal["mailbox:create", "mailbox:read", "mailbox:draft", "mailbox:send", "mailbox:delete", "mailbox:purge", "mailbox:import", "webhook:write", "payment:write", "domain:manage", "list:manage", "key:issue"]]
    inboxes: Optional[List[str]]
    inbox_access: Literal["organization", "own"]
    send_budget: Optional[int]
    sent_count: int
    outgoing_delay_seconds: int
    active: bool
    expires_at: Optional[str]
    revoked_at: Optional[str]
    created_at: str
    last_used_at: Optional[str]
    key: str

class IssuedKeyPage(TypedDict):
    data: List[IssuedKey]
    next_cursor: Optional[str]

class IssuedKey(TypedDict):
    id: str
    name: Optional[str]
    parent_id: str
    scopes: List[Literal["mailbox:create", "mailbox:read", "mailbox:draft", "mailbox:send", "mailbox:delete", "mailbox:purge", "mailbox:import", "webhook:write", "payment:write", "domain:manage", "list:manage", "key:issue"]]
    inboxes: Optional[List[str]]
    inbox_access: Literal["organization", "own"]
    send_budget: Optional[int]
    sent_count: int
    outgoing_delay_seconds: int
    active: bool
    expires_at: Optional[str]
    revoked_at: Optional[str]
    created_at: str
    last_used_at: Optional[str]

WebhookFilterOutput = TypedDict(
    "WebhookFilterOutput",
    {
        "from": NotRequired[str],
        "to": NotRequired[str],
        "subject": NotRequired[str],
        "kind": NotRequired[Literal["person", "automatic", "list", "bounce", "calendar"]],
        "label": NotRequired[str],
    },
)

class ErrorErrorIssues(TypedDict):
    """One problem with one field."""
    path: str
    message: str

class ErrorError(TypedDict):
    """What happened, and what to do."""
    code: str
    message: str
    fix: NotRequired[str]
    issues: NotRequired[List[ErrorErrorIssues]]
    request_id: NotRequired[str]

class Error(TypedDict):
    """The body of every error."""
    error: ErrorError

class PaymentTermsPaymentEip712(TypedDict):
    """EIP-712 domain of the asset."""
    name: str
    version: str

class PaymentTermsPayment(TypedDict):
    """What to pay, and how."""
    network: str
    asset: str
    amount: str
    pay_to: str
    resource: str
    facilitator: str
    eip712: PaymentTermsPaymentEip712

class PaymentTermsAccepts(TypedDict):
    """Payment requirements as x402 defines them."""

class PaymentTerms(TypedDict):
    """The payment terms in a 402 answer."""
    payment: PaymentTermsPayment
    x402Version: Literal[1]
    accepts: List[PaymentTermsAccepts]

class SuppressedRecipientsAddresses(TypedDict):
    """One suppressed recipient."""
    address: str
    reason: str
    since: str

class SuppressedRecipients(TypedDict):
    """The suppressed recipients in a 422 answer."""
    addresses: NotRequired[List[SuppressedRecipientsAddresses]]

class BlockedRecipientsAddresses(TypedDict):
    """One blocked recipient."""
    address: str
    list: Literal["allow", "block"]
    scope: Literal["organization", "inbox"]
    entry: Optional[str]
    reason: Optional[str]

class BlockedRecipients(TypedDict):
    """The blocked recipients in a 403 answer."""
    addresses: NotRequired[List[BlockedRecipientsAddresses]]

class ReachedCap(TypedDict):
    """The cap that a 429 answer is about."""
    cap: NotRequired[Literal["mailbox", "domain", "organization"]]

class MessageReceivedData(TypedDict):
    """Only for webhooks with `include`."""
    message: Union[Message, OmittedMessage]

class MessageReceived(TypedDict):
    event: Literal["message.received"]
    inbox: str
    message: ReceivedMessage
    data: NotRequired[MessageReceivedData]

class OmittedMessage(TypedDict):
    id: str
    omitted: Literal["too_large", "not_ready", "deleted"]

class MessageChanged(TypedDict):
    event: Literal["message.sent", "message.held", "message.restored", "message.unanswered"]
    inbox: str
    message: ChangedMessage

class MessageOutcome(TypedDict):
    event: Literal["message.delivered", "message.bounced", "message.complained", "message.failed"]
    inbox: str
    message: MessageOutcomeDetails

class ReviewDecided(TypedDict):
    event: Literal["message.approved", "message.rejected"]
    inbox: str
    message: DecidedMessage

class SuppressionChanged(TypedDict):
    event: Literal["suppression.added", "suppression.removed"]
    inbox: Optional[str]
    suppression: ChangedSuppression

class InboxChanged(TypedDict):
    event: Literal["inbox.created", "inbox.deleted"]
    inbox: str
    mailbox: ChangedMailbox

class DomainChanged(TypedDict):
    event: Literal["domain.verified", "domain.lost"]
    inbox: None
    domain: ChangedDomain

class SendingChanged(TypedDict):
    event: Literal["sending.paused", "sending.resumed"]
    inbox: Optional[str]
    pause: ChangedPause
