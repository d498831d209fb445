// The headers of answers, each named once in `components.headers`.
import type { Header, Ref } from "./parts.ts";

const REQUIRED = { required: true };
const count = (maximum: number) => ({ type: "integer", format: "int32", minimum: 0, maximum });
const text = (maxLength: number) => ({ type: "string", maxLength });
const MAX_INT32 = 2_147_483_647;

const LIMIT = {
  description: "Requests that the key may make in one burst; without a key, the client address.",
  schema: count(MAX_INT32),
};
const REMAINING = { description: "Requests left in the current burst.", schema: count(MAX_INT32) };
const RESET = { description: "Seconds until the full burst is available again.", schema: count(MAX_INT32) };

/** Name in `components` → header. A request that is refused for its body is not counted and states no rate. */
export const HEADERS: Record<string, Header> = {
  RequestId: {
    description: "Identifies this request in the log of the service.",
    ...REQUIRED,
    schema: text(40),
  },
  RateLimit: { ...LIMIT, ...REQUIRED },
  RateLimitRemaining: { ...REMAINING, ...REQUIRED },
  RateLimitReset: { ...RESET, ...REQUIRED },
  RateLimitIfCounted: LIMIT,
  RateLimitRemainingIfCounted: REMAINING,
  RateLimitResetIfCounted: RESET,
  RetryAfter: { description: "Whole seconds to wait before a repeat.", ...REQUIRED, schema: count(MAX_INT32) },
  Bearer: { description: "Always `Bearer`.", ...REQUIRED, schema: { type: "string", const: "Bearer" } },
  PaymentRequired: {
    description:
      "The payment terms: `network=…; asset=…; amount=…; pay_to=…; resource=mailboxes:<count>; facilitator=…`. With the request header `X-402-Version: 2`, and below `/x402`, it is the base64 header of x402 version 2.",
    ...REQUIRED,
    schema: text(8_192),
  },
  ContentDisposition: {
    description: "`attachment` and the name of the file (RFC 6266).",
    ...REQUIRED,
    schema: text(2_048),
  },
  IdempotentReplayed: { description: "`true`: an earlier call did this.", schema: text(4) },
  NoSniff: { description: "Always `nosniff`.", ...REQUIRED, schema: { type: "string", const: "nosniff" } },
  FilePolicy: { description: "Forbids every script in the file.", ...REQUIRED, schema: text(2_048) },
};

export function headerRef(name: string): Ref {
  if (!HEADERS[name]) throw new Error(`the document has no header ${name}`);
  return { $ref: `#/components/headers/${name}` };
}

export const ALWAYS = { "X-Request-Id": headerRef("RequestId") };
export const RATE = {
  "RateLimit-Limit": headerRef("RateLimit"),
  "RateLimit-Remaining": headerRef("RateLimitRemaining"),
  "RateLimit-Reset": headerRef("RateLimitReset"),
};
export const RATE_IF_COUNTED = {
  "RateLimit-Limit": headerRef("RateLimitIfCounted"),
  "RateLimit-Remaining": headerRef("RateLimitRemainingIfCounted"),
  "RateLimit-Reset": headerRef("RateLimitResetIfCounted"),
};
export const FILE = {
  "Content-Disposition": headerRef("ContentDisposition"),
  "X-Content-Type-Options": headerRef("NoSniff"),
  "Content-Security-Policy": headerRef("FilePolicy"),
};
