// Builds the OpenAPI 3.1 document: what trpc-to-openapi generates from the router, with the statuses, headers, errors and
// examples of this service. Every repeated part is named once in `components`.
import { generateOpenApiDocument, type OpenApiRouter } from "trpc-to-openapi";
import type { Settings } from "../../base/env.ts";
import { version } from "../../base/version.ts";
import { serviceFacts } from "../../organizations/organization.ts";
import { bodyLimit, FILE_FIELD, type RestMeta, restMetas, withoutDryRun } from "../../procedures/meta.ts";
import { addExamples } from "./examples.ts";
import { ALWAYS, FILE, HEADERS, headerRef, RATE } from "./headers.ts";
import { describeParameters, nameParameters } from "./parameters.ts";
import { type Answer, type Document, type Header, isRef, type Operation, type Parameter } from "./parts.ts";
import { ERROR_BODIES, errorAnswers, nameErrorAnswers } from "./refusals.ts";
import { byName, closeBody, finishSchemas } from "./schemas.ts";
import { nameDeliveryParts, webhookDocument } from "./webhook.ts";

// One operation: its success answer, its errors, its body and its security, from the meta of the procedure.
const STREAM = "text/event-stream";
const HEADER_CHARS = 8_192;

/** What answers of bytes look like. */
const BYTES_EXAMPLES: Record<string, string> = {
  "text/plain": '_mailberth.example.com. 3600 IN TXT "mailberth-verification=4f1d7c0a9be24c55a1e5d2b8c3f6a790"\n',
  "message/rfc822": "From: Shop <no-reply@shop.example>\r\nSubject: Your code is 482915\r\n\r\n482915\r\n",
  "*/*": "%PDF-1.7 …",
  [STREAM]:
    'id: evt_01jd3m9v5sf0b8j3mgz7qk2x4c\nevent: message.received\ndata: {"id":"evt_01jd3m9v5sf0b8j3mgz7qk2x4c","event":"message.received"}\n\n',
};

const IDEMPOTENCY_KEY: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "For 24 hours, the same key with the same content returns the first answer and changes nothing more; other content answers 409.",
  example: "invoice-1042",
  schema: { type: "string", minLength: 1, maxLength: 256 },
};

function describeOperation(document: Document, meta: RestMeta): void {
  const { path, method, protect = true } = meta.openapi;
  const operation = document.paths[path]?.[method.toLowerCase()];
  const success = operation?.responses["200"];
  if (!operation || !success || isRef(success)) throw new Error(`${method} ${path} has no success answer`);
  success.headers = { ...ALWAYS, ...RATE, ...optionalHeaders(meta.responseHeaders ?? {}) };
  if (meta.idempotency) {
    success.headers["Idempotent-Replayed"] = headerRef("IdempotentReplayed");
    operation.parameters = [...(operation.parameters ?? []), structuredClone(IDEMPOTENCY_KEY)];
  }
  if (meta.produces) describeBytes(success, meta.produces);
  if (meta.consumesBytes) describeFile(operation, meta.consumesBytes);
  const takesInput = Boolean(operation.parameters?.length);
  operation.responses = { [meta.status ?? 200]: success, ...errorAnswers(meta, takesInput) };
  if (!protect) operation.security = [];
  const { requestBody } = operation;
  if (!requestBody || meta.consumesBytes) return;
  requestBody.required = Boolean(requestBody.content["application/json"]?.schema.required?.length);
  const fate = meta.ignoresUnknown ? "ignored" : "refused with `unknown_field`";
  requestBody.description = `At most ${bodyLimit(meta)} bytes. Unknown fields are ${fate}.`;
}

function optionalHeaders(descriptions: Record<string, string>): Record<string, Header> {
  const schema = { type: "string", maxLength: HEADER_CHARS };
  return Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, { description, schema }]));
}

/** The fields are in the query, and the body is the file. */
function describeFile(operation: Operation, maxBytes: number): void {
  const { properties = {}, required = [] } = operation.requestBody?.content["application/json"]?.schema ?? {};
  const { [FILE_FIELD]: _, ...fields } = properties;
  const inPath = (operation.parameters ?? []).filter((parameter) => "in" in parameter && parameter.in === "path");
  const inQuery = Object.entries(fields).map(([name, schema]): Parameter => {
    return { name, in: "query", required: required.includes(name), schema };
  });
  operation.parameters = [...inPath, ...inQuery];
  const content = { "*/*": { schema: { type: "string", format: "binary" }, example: BYTES_EXAMPLES["*/*"] } };
  operation.requestBody = { description: `The file, at most ${maxBytes} bytes.`, required: true, content };
}

/** The answer that `RequestContext.send` gives at this door. */
function describeBytes(success: Answer, mediaType: string): void {
  const schema = mediaType === STREAM ? { type: "string" } : { type: "string", format: "binary" };
  success.content = { [mediaType]: { schema, example: BYTES_EXAMPLES[mediaType] } };
  if (mediaType !== STREAM) Object.assign(success.headers ?? {}, FILE);
}

// Joins each dry run to the operation that it checks: the same path and body, with the query `dry_run=true`.
const DRY_RUN: Parameter = {
  name: "dry_run",
  in: "query",
  description:
    "`true` checks the message, answers 200 with all reasons that would refuse it, and stores, sends and counts nothing.",
  example: false,
  schema: { type: "boolean", default: false },
};

function joinDryRuns({ paths }: Document): void {
  for (const [path, methods] of Object.entries(paths)) {
    const checked = withoutDryRun(path);
    if (checked === undefined) continue;
    const [operation, check] = [paths[checked]?.post, methods.post];
    const answer = check?.responses["200"];
    if (!operation || !answer || isRef(answer)) throw new Error(`${path} checks no operation`);
    operation.parameters = [...(operation.parameters ?? []), structuredClone(DRY_RUN)];
    operation.responses = { 200: answer, ...operation.responses };
    delete paths[path];
  }
}

const DESCRIPTION =
  "Mailberth gives mailboxes to software agents. An agent creates a mailbox in one call, sends mail under a daily cap that rises with the age of the mailbox, and receives mail by signed webhook, by event stream, or by waiting for it.";
const LICENSE = { name: "Apache-2.0", url: "https://www.apache.org/licenses/LICENSE-2.0" };

const AGENT_KEY = {
  type: "http" as const,
  scheme: "bearer",
  description: "An agent key, `mb_agent_…`. POST /v1/enroll issues one.",
};

/** In alphabetical order, as the linters ask. */
const TAGS = [
  { name: "domains", description: "Add domains of your own, publish their DNS records and verify them." },
  { name: "drafts", description: "Write messages before they are sent." },
  { name: "enrollment", description: "Redeem an enrollment key for an agent key." },
  { name: "events", description: "Read the event log, as a list or as a stream." },
  { name: "inboxes", description: "Create, list, update and delete mailboxes. Creation counts against a quota." },
  { name: "keys", description: "Issue narrower agent keys, list and revoke them." },
  { name: "lists", description: "Say to whom mailboxes may write, and from whom they get mail." },
  { name: "messages", description: "Send, reply, forward, search, read and wait for messages." },
  { name: "purchase", description: "Buy mailboxes and list payments." },
  { name: "suppressions", description: "List, add and remove addresses that get no mail." },
  { name: "threads", description: "Read and delete conversations." },
  { name: "uploads", description: "Store files, to attach them to messages." },
  { name: "verifications", description: "Lease a mailbox for one sign-up, and read its code with a signed URL." },
  { name: "webhooks", description: "Register endpoints for inbound mail. Inspect and repeat their deliveries." },
];

/** `info.x-mailberth` carries what a person needs beside the API: SMTP address, domain, names. */
export function openApiDocument(settings: Settings, router: OpenApiRouter): Document {
  const document = generated(settings, router);
  document.info = { ...document.info, "x-mailberth": serviceFacts(settings) };
  document.tags = TAGS;
  document.servers = serversOf(settings.PUBLIC_URL);
  for (const meta of restMetas(router).values()) describeOperation(document, meta);
  finishSchemas(document);
  for (const { openapi, ignoresUnknown } of restMetas(router).values()) {
    const { requestBody } = document.paths[openapi.path]?.[openapi.method.toLowerCase()] ?? {};
    if (!ignoresUnknown) closeBody(requestBody, document);
  }
  joinDryRuns(document);
  describeParameters(document);
  addExamples(document);
  nameParameters(document);
  nameDeliveryParts(document);
  nameErrorAnswers(document);
  return document;
}

/** What the library makes of the router, with the library's own error schemas left out, and the webhooks. */
function generated({ PUBLIC_URL, SERVICE_NAME }: Settings, router: OpenApiRouter): Document {
  const made = generateOpenApiDocument(router, {
    title: "Mailberth",
    description: DESCRIPTION,
    version,
    openApiVersion: "3.1.0",
    baseUrl: PUBLIC_URL,
    license: LICENSE,
    contact: { name: "The operator of this service", url: PUBLIC_URL },
    securitySchemes: { agentKey: AGENT_KEY },
    filter: () => true,
    defs: byName(ERROR_BODIES),
  });
  const document = copied(made);
  const deliveries = copied(webhookDocument(SERVICE_NAME));
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !name.startsWith("error."));
  return {
    ...document,
    webhooks: deliveries.webhooks,
    components: {
      ...document.components,
      schemas: { ...Object.fromEntries(schemas), ...deliveries.components.schemas },
      headers: HEADERS,
      parameters: {},
      responses: {},
    },
  };
}

/** Through JSON, since the parts that the library makes are shared objects that must not change with each other. */
function copied(made: object): Document {
  return JSON.parse(JSON.stringify(made));
}

function serversOf(publicUrl: string): Document["servers"] {
  const here = "This service. Its operator decides whether it is a local, staging or production environment.";
  return [
    { url: publicUrl, description: here, "x-internal": false },
    {
      url: `${publicUrl}/x402`,
      description:
        "The same service in the same environment (local, staging or production) for clients of x402 version 2: 402 answers carry its PAYMENT-REQUIRED header.",
      "x-internal": false,
    },
  ];
}
