// The OpenAPI 3.1 document: what trpc-to-openapi generates from the router, with the statuses, headers and errors that
// this service really answers with.
import { generateOpenApiDocument, type OpenAPIObject } from "trpc-to-openapi";
import type { Settings } from "../base/env.ts";
import { ERRORS, type ErrorCode } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { serviceFacts } from "../organizations/service-facts.ts";
import { RECEIPT_HEADERS } from "../payments/schema.ts";
import { appRouter } from "./router.ts";
import { bodyLimit, type RestMeta, restMetas } from "./routes.ts";

type Operation = NonNullable<NonNullable<OpenAPIObject["paths"]>[string]["get"]>;
type Schema = NonNullable<NonNullable<OpenAPIObject["components"]>["schemas"]>[string];
type Header = { description: string; required?: boolean; schema: { type: "string" | "integer" } };

const EVERY_CALL: ErrorCode[] = ["internal_error", "unavailable"];
const EVERY_KEYED_CALL: ErrorCode[] = ["unauthorized", "rate_limited"];
const EVERY_BODY: ErrorCode[] = ["invalid_request", "invalid_json", "payload_too_large", "unsupported_media_type"];

const always = (type: "string" | "integer", description: string): Header => {
  return { description, required: true, schema: { type } };
};
const REQUEST_ID = always("string", "Names this request in the service's log.");
const RETRY_AFTER = always("integer", "Whole seconds to wait before repeating.");
const WWW_AUTHENTICATE = always("string", "`Bearer`");
const RATE_LIMIT: Record<string, Header> = {
  "RateLimit-Limit": always("integer", "Requests the key may make at once."),
  "RateLimit-Remaining": always("integer", "Requests it may still make at once."),
  "RateLimit-Reset": always("integer", "Seconds until all of them are free again."),
};
/** A request that is refused for its body or its key has not been counted yet. */
const RATE_LIMIT_IF_COUNTED = Object.fromEntries(
  Object.entries(RATE_LIMIT).map(([name, header]) => [name, { ...header, required: false }]),
);

const FILE_HEADERS = {
  "Content-Disposition": always("string", "`attachment` and the file's name (RFC 6266)."),
  "X-Content-Type-Options": always("string", "`nosniff`"),
  "Content-Security-Policy": always("string", "Nothing in the file may run."),
};

/** Beside the error in the body of a 402 (specification §4, and version 1 of x402). */
const PAYMENT_REQUIRED_SCHEMA: Schema = {
  type: "object",
  required: ["payment", "x402Version", "accepts"],
  properties: {
    payment: {
      type: "object",
      required: ["network", "asset", "amount", "pay_to", "resource", "facilitator", "eip712"],
      properties: {
        network: { type: "string", description: "CAIP-2 identifier." },
        asset: { type: "string", description: "Contract of the stablecoin." },
        amount: { type: "string", description: "Integer in the asset's smallest unit." },
        pay_to: { type: "string", description: "The address to pay." },
        resource: { type: "string", description: "`mailboxes:<count>`" },
        facilitator: { type: "string", description: "The facilitator that settles." },
        eip712: {
          type: "object",
          description: "The asset's EIP-712 domain.",
          required: ["name", "version"],
          properties: { name: { type: "string" }, version: { type: "string" } },
        },
      },
    },
    x402Version: { type: "integer", const: 1 },
    accepts: { type: "array", description: "The same, for clients of x402.", items: { type: "object" } },
  },
};
const PAYMENT_HEADERS: Record<string, Header> = {
  "PAYMENT-REQUIRED": always(
    "string",
    "`network=…; asset=…; amount=…; pay_to=…; resource=mailboxes:<n>; facilitator=…`; with the request header `X-402-Version: 2`, and below `/x402`, that of version 2 of x402, in base64.",
  ),
  ...Object.fromEntries(
    Object.entries(RECEIPT_HEADERS).map(([name, description]) => [
      name,
      { description, schema: { type: "string" as const } },
    ]),
  ),
};

const TAGS = [
  { name: "enrollment", description: "From an enrollment key to an agent with a key of its own." },
  { name: "inboxes", description: "Mailboxes: created in one call, counted against a quota." },
  { name: "messages", description: "Mail: waited for, searched, read, answered; sent under a daily cap that ramps." },
  { name: "threads", description: "Conversations: the messages that answer each other." },
  { name: "events", description: "The log of what happened, as a list and as a stream." },
  { name: "purchase", description: "Paying for mailboxes, and what was paid." },
  { name: "webhooks", description: "Endpoints that are told of inbound mail, with a signature." },
];

const ERROR_SCHEMA: Schema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string", description: "What happened, for a program." },
        message: { type: "string", description: "What happened, for a person or an agent." },
        fix: { type: "string", description: "What to do about it." },
        issues: {
          type: "array",
          description: "Problems field by field.",
          items: {
            type: "object",
            required: ["path", "message"],
            properties: { path: { type: "string" }, message: { type: "string" } },
          },
        },
      },
    },
  },
};

/** Built once at start; `info.x-mailberth` carries what a person needs beside the API: SMTP address, domain, names. */
export function openApiDocument(settings: Settings): OpenAPIObject {
  const document = generateOpenApiDocument(appRouter, {
    title: "Mailberth",
    description:
      "Mailboxes for software agents: create one in a call, send under a daily cap that ramps, learn of inbound mail by a signed webhook.",
    version,
    openApiVersion: "3.1.0",
    baseUrl: settings.PUBLIC_URL,
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    securitySchemes: {
      agentKey: { type: "http", scheme: "bearer", description: "An agent key, `mb_agent_…`, from POST /v1/enroll." },
    },
    filter: () => true,
  });
  document.tags = TAGS;
  for (const meta of restMetas(appRouter).values()) describe(document, meta);
  document.components = { ...document.components, schemas: ownSchemas(document) };
  document.servers?.push({
    url: `${settings.PUBLIC_URL.replace(/\/$/, "")}/x402`,
    description: "The same, for clients of version 2 of x402: 402 answers carry its PAYMENT-REQUIRED header.",
  });
  Object.assign(document.info, { "x-mailberth": serviceFacts(settings) });
  return document;
}

/** What is answered; the library's own error schemas are not. */
function ownSchemas(document: OpenAPIObject) {
  const schemas = document.components?.schemas ?? {};
  const own = Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.startsWith("error.")));
  return { ...own, Error: ERROR_SCHEMA, PaymentRequired: PAYMENT_REQUIRED_SCHEMA };
}

function describe(document: OpenAPIObject, meta: RestMeta): void {
  const { path, method, protect = true } = meta.openapi;
  const operation = document.paths?.[path]?.[method.toLowerCase() as "get"] as Operation;
  const success = operation.responses?.[200] as { headers?: Record<string, Header>; description: string };
  success.headers = {
    "X-Request-Id": REQUEST_ID,
    ...(protect && RATE_LIMIT),
    ...Object.fromEntries(
      Object.entries(meta.responseHeaders ?? {}).map(([name, description]) => [
        name,
        { description, schema: { type: "string" as const } },
      ]),
    ),
  };
  if (meta.produces) describeBytes(success, meta.produces);
  operation.responses = { [meta.status ?? 200]: success, ...errorResponses(meta, method, protect, operation) };
  if (!protect) operation.security = [];
  if (operation.requestBody && "content" in operation.requestBody) {
    const schema = operation.requestBody.content["application/json"]?.schema as { required?: string[] };
    operation.requestBody.required = Boolean(schema.required?.length);
    operation.requestBody.description = `At most ${bodyLimit(meta)} bytes. Unknown fields are ignored.`;
  }
}

/** The answer that `RequestContext.send` gives at this door. */
function describeBytes(success: { headers?: Record<string, Header>; content?: object }, mediaType: string): void {
  const stream = mediaType === "text/event-stream";
  success.content = { [mediaType]: { schema: stream ? { type: "string" } : { type: "string", format: "binary" } } };
  if (!stream) Object.assign(success.headers ?? {}, FILE_HEADERS);
}

function errorResponses(meta: RestMeta, method: string, protect: boolean, operation: Operation) {
  const takesInput = Boolean(operation.parameters?.length);
  const codes = [
    ...(meta.errors ?? []),
    ...(method === "GET" || method === "DELETE" ? (takesInput ? ["invalid_request" as const] : []) : EVERY_BODY),
    ...(protect ? EVERY_KEYED_CALL : []),
    ...EVERY_CALL,
  ];
  const byStatus = Map.groupBy(new Set(codes), (code) => ERRORS[code].status);
  return Object.fromEntries([...byStatus].map(([status, group]) => [status, errorResponse(status, group, protect)]));
}

function errorResponse(status: number, codes: ErrorCode[], protect: boolean) {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].fix}`).join("\n\n"),
    headers: {
      "X-Request-Id": REQUEST_ID,
      ...(protect && (status === 429 ? RATE_LIMIT : RATE_LIMIT_IF_COUNTED)),
      ...((status === 429 || status === 503) && { "Retry-After": RETRY_AFTER }),
      ...(status === 401 && { "WWW-Authenticate": WWW_AUTHENTICATE }),
      ...(status === 402 && PAYMENT_HEADERS),
    },
    content: {
      "application/json": {
        schema: {
          allOf: [
            { $ref: "#/components/schemas/Error" },
            ...(status === 402 ? [{ $ref: "#/components/schemas/PaymentRequired" }] : []),
            { properties: { error: { properties: { code: { enum: codes } } } } },
          ],
        },
      },
    },
  };
}
