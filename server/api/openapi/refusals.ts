// The error answers: for each status of an operation the codes that it can have and what to do about each.
import { ERRORS, type ErrorCode } from "../../base/errors/table.ts";
import { RECEIPT_HEADERS } from "../../payments/schema.ts";
import type { RestMeta } from "../../procedures/meta.ts";
import { ALWAYS, headerRef, RATE, RATE_IF_COUNTED } from "./headers.ts";
import type { Answer, Document, Schema } from "./parts.ts";
import { isRef } from "./parts.ts";

const EVERY_CALL: ErrorCode[] = ["internal_error", "unavailable"];
const EVERY_KEYED_CALL: ErrorCode[] = ["unauthorized", "rate_limited"];
const EVERY_BODY: ErrorCode[] = ["invalid_request", "invalid_json", "payload_too_large", "unsupported_media_type"];
/** Every path refuses parameters that it does not have, also where it has none. */
const EVERY_STRICT_CALL: ErrorCode[] = ["unknown_field"];
const RECEIPT_CHARS = 8_192;

const issue: Schema = {
  type: "object",
  description: "One problem with one field.",
  required: ["path", "message"],
  properties: {
    path: { type: "string", description: "Path of the field, such as `to.0`." },
    message: { type: "string", description: "What is wrong with it." },
  },
};

/** Specification §7, with `fix` and `issues`. */
const ERROR: Schema = {
  type: "object",
  description: "The body of every error.",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      description: "What happened, and what to do.",
      required: ["code", "message"],
      properties: {
        code: { type: "string", description: "What happened, for programs." },
        message: { type: "string", description: "What happened, for people and agents." },
        fix: { type: "string", description: "What to do about it." },
        issues: { type: "array", description: "Problems with single fields.", maxItems: 100, items: issue },
      },
    },
  },
};

/** Beside `error` in the body of a 402 (specification §4, and version 1 of x402). */
const PAYMENT_REQUIRED: Schema = {
  type: "object",
  description: "The payment terms in a 402 answer.",
  required: ["payment", "x402Version", "accepts"],
  properties: {
    payment: {
      type: "object",
      description: "What to pay, and how.",
      required: ["network", "asset", "amount", "pay_to", "resource", "facilitator", "eip712"],
      properties: {
        network: { type: "string", description: "CAIP-2 identifier of the network." },
        asset: { type: "string", description: "Contract address of the stablecoin." },
        amount: { type: "string", description: "Amount as an integer in the asset's smallest unit." },
        pay_to: { type: "string", description: "Address to pay." },
        resource: { type: "string", description: "What is bought: `mailboxes:<count>`." },
        facilitator: { type: "string", description: "URL of the facilitator that settles the payment." },
        eip712: {
          type: "object",
          description: "EIP-712 domain of the asset.",
          required: ["name", "version"],
          properties: {
            name: { type: "string", description: "Name of the domain." },
            version: { type: "string", description: "Version of the domain." },
          },
        },
      },
    },
    x402Version: { type: "integer", description: "Version of x402.", const: 1, minimum: 1, maximum: 1 },
    accepts: {
      type: "array",
      description: "The same terms for clients of x402.",
      items: { type: "object", description: "Payment requirements as x402 defines them." },
    },
  },
};

/** Beside `error` in the body of a 422. */
const SUPPRESSED: Schema = {
  type: "object",
  description: "The suppressed recipients in a 422 answer.",
  properties: {
    addresses: {
      type: "array",
      description: "The suppressed recipients. Present with `recipient_suppressed`.",
      maxItems: 100,
      items: {
        type: "object",
        description: "One suppressed recipient.",
        required: ["address", "reason", "since"],
        properties: {
          address: { type: "string", description: "The address, in lower case." },
          reason: { type: "string", description: "Why it is suppressed." },
          since: { type: "string", format: "date-time", description: "When it was suppressed." },
        },
      },
    },
  },
};

/** Beside `error` in the body of a 403 of a send. */
const BLOCKED: Schema = {
  type: "object",
  description: "The blocked recipients in a 403 answer.",
  properties: {
    addresses: {
      type: "array",
      description: "The blocked recipients. Present with `recipient_blocked`.",
      maxItems: 100,
      items: {
        type: "object",
        description: "One blocked recipient.",
        required: ["address", "list", "scope", "entry", "reason"],
        properties: {
          address: { type: "string", description: "The address, in lower case." },
          list: { type: "string", description: "The list that decided.", enum: ["allow", "block"] },
          scope: { type: "string", description: "Whose list it is.", enum: ["organization", "inbox"] },
          entry: {
            type: ["string", "null"],
            description: "The entry. Null: the allow list does not cover the address.",
          },
          reason: { type: ["string", "null"], description: "The reason of the entry." },
        },
      },
    },
  },
};

/** Beside `error` in the body of a 429. */
const REACHED_CAP: Schema = {
  type: "object",
  description: "The cap that a 429 answer is about.",
  properties: {
    cap: {
      type: "string",
      description: "The cap that the message does not fit. Present with `daily_send_cap_exceeded`.",
      enum: ["mailbox", "domain", "organization"],
    },
  },
};

export const OWN_SCHEMAS = {
  Error: ERROR,
  PaymentTerms: PAYMENT_REQUIRED,
  SuppressedRecipients: SUPPRESSED,
  BlockedRecipients: BLOCKED,
  ReachedCap: REACHED_CAP,
};

/** Names in `components.responses` of answers that have several codes. */
const NAMES: Record<string, string> = {
  "attachment_not_found,message_not_found": "AttachmentNotFound",
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
  "recipient_suppressed,reply_refused": "ReplyRefusedOrSuppressed",
  "payment_pending,unavailable": "UnavailableOrPaymentPending",
};

export function errorAnswers(meta: RestMeta, takesInput: boolean): Record<string, Answer> {
  const { method, protect = true } = meta.openapi;
  const hasBody = method !== "GET" && method !== "DELETE";
  const codes: ErrorCode[] = [
    ...(meta.errors ?? []),
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
            { $ref: "#/components/schemas/Error" },
            ...(isPayment ? [{ $ref: "#/components/schemas/PaymentTerms" }] : []),
            ...(codes.includes("recipient_suppressed") ? [{ $ref: "#/components/schemas/SuppressedRecipients" }] : []),
            ...(codes.includes("recipient_blocked") ? [{ $ref: "#/components/schemas/BlockedRecipients" }] : []),
            ...(codes.includes("daily_send_cap_exceeded") ? [{ $ref: "#/components/schemas/ReachedCap" }] : []),
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
