// Formats messages for the API.
import { randomBytes } from "node:crypto";
import { type Authentication, provesSender, type Security } from "#db/message-parts.ts";
import { encodeId } from "../base/ids.ts";
import { fence } from "../extraction/html/visible-text.ts";
import { wholeCharacters } from "../extraction/whole-characters.ts";
import type { MessageRow, RecipientRow } from "./columns.ts";
import { isImported } from "./import/import.ts";
import type { Match } from "./matches.ts";
import { CANCELLED, CAPTURED, PREVIEW_CHARS, type STATUSES } from "./message-schema.ts";
import { previewOf, type SummaryRow } from "./summary.ts";

const MARKER_BYTES = 16;
const RANK_DIGITS = 4;

function commonView(
  row: Omit<
    SummaryRow,
    "attachments" | "attachment_count" | "beginning" | "beginning_html" | "spam_verdict" | "warning"
  >,
) {
  const at = row.created_at.toISOString();
  return {
    id: encodeId("msg", row.id),
    thread_id: encodeId("thr", row.thread_id),
    inbox: row.inbox,
    direction: row.direction,
    status: statusOf(row),
    from: row.from_address,
    from_name: row.from_name,
    to: row.to_addresses,
    cc: row.cc_addresses,
    ...(isImported(row) && { imported: true as const }),
    ...(row.direction === "inbound" && { delivered_to: row.envelope_to, kind: row.kind }),
    subject: row.subject,
    read: row.read,
    labels: row.labels,
    ...(row.direction === "inbound"
      ? { received_at: at }
      : {
          created_at: at,
          send_at: row.send_at?.toISOString() ?? null,
          recipients: recipientViews(row),
        }),
    size: Number(row.size),
  };
}

/** Rows of every version say `rejected` and `sent` of what was cancelled and captured. */
export function statusOf({ status, recipients }: Pick<SummaryRow, "status" | "recipients">): (typeof STATUSES)[number] {
  const all = (beginning: string) =>
    recipients !== null && recipients.length > 0 && recipients.every(({ reason }) => reason?.startsWith(beginning));
  if (status === "rejected" && all(CANCELLED)) return "cancelled";
  return status === "sent" && all(CAPTURED) ? "captured" : status;
}

function recipientViews({ recipients, recipient_names }: Pick<SummaryRow, "recipients" | "recipient_names">) {
  const names = new Map(recipient_names);
  return (recipients ?? []).map(({ at, ...recipient }) => {
    const name = names.get(recipient.address);
    const time = at === null ? null : new Date(at).toISOString();
    return { ...recipient, ...(name !== undefined && { name }), status: recipientStatus(recipient), at: time };
  });
}

/** Rows of every version say `sent` and `failed` of what was captured and cancelled. */
function recipientStatus({
  status,
  reason,
}: Pick<RecipientRow, "status" | "reason">): RecipientRow["status"] | "captured" | "cancelled" {
  if (status === "sent" && reason?.startsWith(CAPTURED)) return "captured";
  return status === "failed" && reason?.startsWith(CANCELLED) ? "cancelled" : status;
}

function attachmentViews({ attachments }: Pick<SummaryRow, "attachments">) {
  return attachments.map((file) => ({ ...file, id: encodeId("att", file.id) }));
}

const HELD_NEXT =
  "A member of your organization decides under Approvals in the dashboard. Wait for the event message.approved or message.rejected, or read GET /v1/messages/{id}: it is `held` until then.";

/** The answer of send, reply and forward. */
export function queuedView<Status extends string>(queued: { id: string; thread_id: string; status: Status }) {
  const { id, thread_id, status } = queued;
  const next = status === "held" ? { next: HELD_NEXT } : {};
  return { id: encodeId("msg", id), status, thread_id: encodeId("thr", thread_id), ...next };
}

export function summaryView({ match, ...row }: SummaryRow & { match?: Match }) {
  const found = match && { rank: Number(match.rank.toFixed(RANK_DIGITS)), highlights: match.highlights };
  return {
    ...commonView(row),
    preview: previewOf(row, PREVIEW_CHARS),
    attachment_count: row.attachment_count,
    attachments: attachmentViews(row),
    ...(row.direction === "inbound" && {
      spam_verdict: row.spam_verdict,
      quarantined: row.quarantine === "spam",
      warning: row.warning,
    }),
    ...found,
  };
}

/** The part of each body that a call asks for, in UTF-16 code units. */
export type Piece = { max_chars?: number | undefined; offset?: number | undefined };

export function messageView(row: MessageRow, piece: Piece = {}) {
  const { truncated, text, html, extracted_text, safe_text } = cutBodies(row, piece);
  return {
    ...commonView(row),
    // Its content is here; the verdict on its sender may come later.
    ...(row.status === "received" && row.reading && { status: "parsed" as const }),
    reply_to: row.reply_to,
    text,
    html,
    extracted_text,
    safe_text: safe_text === null ? null : safeTextView(safe_text),
    ...(truncated && { truncated }),
    attachments: attachmentViews(row),
    rfc_message_id: row.rfc_message_id,
    in_reply_to: row.in_reply_to,
    references: row.references,
    headers: (row.headers ?? []).map(([name, value]) => ({ name, value })),
    authentication: row.authentication,
    security: row.security && securityView(row.security, row.authentication),
    ...(row.direction === "inbound" && { spam: row.spam, quarantined: row.quarantine === "spam" }),
    reading: row.reading,
    ...(row.direction === "outbound" && {
      bcc: row.bcc_addresses,
      reply_by: row.reply_by?.toISOString() ?? null,
      sent_at: row.sent_at?.toISOString() ?? null,
      error: row.error,
    }),
  };
}

type Bodies = Pick<MessageRow, "text" | "html" | "extracted_text" | "safe_text">;
type Cut = { total_chars: number; next_offset: number | null };

/** The pieces of the bodies, and which of them are not whole. No character is cut in two. */
function cutBodies(row: Bodies, { max_chars, offset }: Piece) {
  const { text, html, extracted_text, safe_text } = row;
  const bodies: Bodies = { text, html, extracted_text, safe_text };
  if (max_chars === undefined && offset === undefined) return { ...bodies, truncated: undefined };
  const truncated: { [Name in keyof Bodies]?: Cut } = {};
  for (const name of ["text", "html", "extracted_text", "safe_text"] as const) {
    const body = row[name];
    if (body === null) continue;
    const from = wholeCharacters(body, Math.min(offset ?? 0, body.length));
    const end = Math.min(from + (max_chars ?? body.length), body.length);
    const whole = wholeCharacters(body, end);
    // A pair is never cut, so that reading on ends.
    const to = whole > from ? whole : Math.min(from + 2, body.length);
    bodies[name] = body.slice(from, to);
    if (from > 0 || to < body.length)
      truncated[name] = { total_chars: body.length, next_offset: to < body.length ? to : null };
  }
  return { ...bodies, truncated };
}

export function safeTextView(text: string) {
  const marker = randomBytes(MARKER_BYTES).toString("hex");
  return { marker, text: fence(text, marker) };
}

/**
 * Mail parsed by an earlier version lacks `misleading_from`, `hiding` and `instructions`; its `hidden_text` covered only
 * deceptive hiding.
 */
function securityView(stored: Security, authentication: Authentication | null) {
  const security = {
    ...stored,
    hiding: stored.hiding ?? (stored.hidden_text ? "deceptive" : "none"),
    instructions: stored.instructions ?? "none",
    misleading_from: stored.misleading_from ?? [],
  };
  return { ...security, risk: riskOf(security, authentication) };
}

/**
 * `high`: DMARC failed; or mail programs may show different senders; or an unauthenticated sender's links lead
 * elsewhere than they say; or instructions to an assistant are hidden, or come from an unauthenticated sender.
 * `medium`: the sender is not authenticated, From shows another sender, text is hidden deceptively, links mislead, or there
 * are instructions to an assistant. A newsletter's preview line raises nothing.
 */
function riskOf(security: Required<Security>, authentication: Authentication | null): "low" | "medium" | "high" {
  const { instructions, hiding } = security;
  const misleading = security.suspicious_links.length > 0;
  const unauthenticated = !provesSender(authentication);
  if (authentication?.dmarc === "fail" || security.multiple_from) return "high";
  if (misleading && security.first_contact) return "high";
  if (instructions === "hidden" || (instructions === "visible" && unauthenticated)) return "high";
  const misleads = misleading || security.misleading_from.length > 0;
  return unauthenticated || hiding === "deceptive" || misleads || instructions === "visible" ? "medium" : "low";
}
