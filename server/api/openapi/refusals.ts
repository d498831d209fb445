// The error answers: for each status of an operation the codes that it can have and what to do about each.
import { errorSchema } from "../../base/errors/body.ts";
import { ERRORS, type ErrorCode } from "../../base/errors/table.ts";
import { paymentTerms, RECEIPT_HEADERS } from "../../payments/schema.ts";
import type { RestMeta } from "../../procedures/meta.ts";
import { reachedCap } from "../../recipients/limits/send-cap.ts";
import { blockedRecipients } from "../../recipients/lists/check.ts";
import { suppressedRecipients } from "../../recipients/suppressions/check.ts";
import { ALWAYS, headerRef, RATE, RATE_IF_COUNTED } from "./headers.ts";
import type { Answer, Document } from "./parts.ts";
import { isRef } from "./parts.ts";
import { type NamedSchema, schemaRef } from "./schemas.ts";

const EVERY_CALL: ErrorCode[] = ["internal_error", "unavailable"];
const EVERY_KEYED_CALL: ErrorCode[] = ["unauthorized", "rate_limited"];
const EVERY_BODY: ErrorCode[] = ["invalid_request", "invalid_json", "payload_too_large", "unsupported_media_type"];
/** Every path refuses parameters that it does not have, also where it has none. */
const EVERY_STRICT_CALL: ErrorCode[] = ["unknown_field"];
const RECEIPT_CHARS = 8_192;

/** What the body has beside `error` with some codes, by its owners. */
const DETAILS: Partial<Record<ErrorCode, NamedSchema>> = {
  payment_required: paymentTerms,
  recipient_suppressed: suppressedRecipients,
  recipient_blocked: blockedRecipients,
  daily_send_cap_exceeded: reachedCap,
};

export const ERROR_BODIES: NamedSchema[] = [errorSchema, ...Object.values(DETAILS)];

/** Names in `components.responses` of answers that have several codes. */
const NAMES: Record<string, string> = {
  "attachment_not_found,message_not_found": "AttachmentNotFound",
  "attachment_not_found,inbox_not_found,message_not_found,upload_not_found": "InboxOrFileNotFound",
  "attachment_not_found,message_not_found,upload_not_found": "MessageOrFileNotFound",
  "content_unreadable,internal_error": "ContentUnreadable",
  "domain_not_allowed,insufficient_scope": "CreateForbidden",
  "insufficient_scope,recipient_blocked,send_budget_exceeded,sending_paused": "SendingForbidden",
  "invalid_request,unknown_field": "InvalidRequest",
  "invalid_json,invalid_request,unknown_field": "InvalidBody",
  "invalid_cursor,invalid_request,unknown_field": "InvalidListRequest",
  "invalid_cursor,invalid_json,invalid_request,unknown_field": "InvalidBodyOrCursor",
  "invalid_json,invalid_request,invalid_webhook_url,unknown_field": "InvalidBodyOrWebhookUrl",
  "invalid_json,invalid_payment,invalid_request,unknown_field": "InvalidBodyOrPayment",
  "daily_send_cap_exceeded,rate_limited": "TooManySends",
  "delivery_not_found,webhook_not_found": "WebhookOrDeliveryNotFound",
  "domain_not_ready,idempotency_conflict,storage_quota_exceeded,thread_moved_on,too_many_held,too_many_scheduled":
    "AnswerConflict",
  "idempotency_conflict,webhook_inactive": "WebhookConflict",
  "recipient_suppressed,reply_refused,url_not_attached": "ReplyRefusedOrSuppressed",
  "payment_pending,unavailable": "UnavailableOrPaymentPending",
};

export function errorAnswers(meta: RestMeta, takesInput: boolean): Record<string, Answer> {
  const { method, protect = true } = meta.openapi;
  const hasBody = method !== "GET" && method !== "DELETE";
  const codes: ErrorCode[] = [
    ...(meta.errors ?? []),
    ...(meta.idempotency ? ["idempotency_conflict" as const] : []),
    ...(hasBody ? EVERY_BODY : []),
    ...(!hasBody && takesInput ? ["invalid_request" as const] : []),
    ...(meta.ignoresUnknown ? [] : EVERY_STRICT_CALL),
    ...(protect ? EVERY_KEYED_CALL : []),
    ...EVERY_CALL,
  ];
  const byStatus = Map.groupBy([...new Set(codes)].sort(), (code) => ERRORS[code].status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, errorAnswer(status, group)]));
}

function errorAnswer(status: number, codes: ErrorCode[]): Answer {
  const isPayment = status === 402;
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].fix}`).join("\n\n"),
    headers: {
      ...ALWAYS,
      ...(status === 429 ? RATE : RATE_IF_COUNTED),
      ...((status === 429 || status === 503) && { "Retry-After": headerRef("RetryAfter") }),
      ...(status === 401 && { "WWW-Authenticate": headerRef("Bearer") }),
      ...(isPayment && { "PAYMENT-REQUIRED": headerRef("PaymentRequired"), ...receiptHeaders() }),
    },
    content: {
      "application/json": {
        schema: {
          allOf: [
            schemaRef(errorSchema),
            ...codes.flatMap((code) => DETAILS[code] ?? []).map(schemaRef),
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        },
      },
    },
  };
}

function receiptHeaders() {
  const schema = { type: "string", maxLength: RECEIPT_CHARS };
  return Object.fromEntries(
    Object.entries(RECEIPT_HEADERS).map(([name, description]) => [name, { description, schema }]),
  );
}

/** Moves error answers that several operations have to `components.responses`. */
export function nameErrorAnswers({ paths, components }: Document): void {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const uses = Map.groupBy(
    operations.flatMap(({ responses }) => Object.keys(responses).map((status) => ({ responses, status }))),
    ({ responses, status }) => JSON.stringify(responses[status]),
  );
  for (const group of uses.values()) {
    const [first] = group;
    const answer = first?.responses[first.status];
    if (!first || !answer || group.length < 2 || Number(first.status) < 400 || isRef(answer)) continue;
    const name = nameOf(answer);
    if (components.responses[name]) throw new Error(`two error answers are called ${name}`);
    components.responses[name] = answer;
    for (const { responses, status } of group) responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

function nameOf({ description }: Answer): string {
  const codes = [...description.matchAll(/^`(\w+)`/gm)].map(([, code = ""]) => code);
  const [only = ""] = codes;
  if (codes.length === 1) return pascal(only);
  const name = NAMES[codes.join()];
  if (!name) throw new Error(`give the error answer ${codes.join()} a name`);
  return name;
}

function pascal(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
