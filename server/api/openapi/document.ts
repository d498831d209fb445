// Builds the OpenAPI 3.1 document: what trpc-to-openapi generates from the router, with the statuses, headers, errors and
// examples of this service. Every repeated part is named once in `components`.
import { generateOpenApiDocument, type OpenApiRouter } from "trpc-to-openapi";
import type { Settings } from "../../base/env.ts";
import { version } from "../../base/version.ts";
import { serviceFacts } from "../../organizations/service-facts.ts";
import { restMetas } from "../../procedures/meta.ts";
import { joinDryRuns } from "./dry-runs.ts";
import { addExamples } from "./examples.ts";
import { HEADERS } from "./headers.ts";
import { describeOperation } from "./operations.ts";
import { describeParameters, nameParameters } from "./parameters.ts";
import type { Document } from "./parts.ts";
import { nameErrorAnswers, OWN_SCHEMAS } from "./refusals.ts";
import { closeBody, finishSchemas } from "./schemas.ts";
import { nameDeliveryParts, webhookOperations, withBody } from "./webhook.ts";

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

/** What the library makes of the router, with the library's own error schemas left out and the webhook in its section. */
function generated({ PUBLIC_URL, SERVICE_NAME }: Settings, router: OpenApiRouter): Document {
  const webhooks = webhookOperations(SERVICE_NAME);
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
    paths: webhooks,
  });
  // In JSON, since its parts are shared objects that must not change with each other.
  const document: Document = JSON.parse(JSON.stringify(made));
  const isWebhook = ([name]: [string, unknown]) => name in webhooks;
  const all = Object.entries(document.paths);
  const schemas = Object.entries(document.components.schemas).filter(([name]) => !name.startsWith("error."));
  return {
    ...document,
    paths: Object.fromEntries(all.filter((each) => !isWebhook(each))),
    webhooks: Object.fromEntries(all.filter(isWebhook).map(([name, webhook]) => [name, withBody(webhook)])),
    components: {
      ...document.components,
      schemas: { ...Object.fromEntries(schemas), ...structuredClone(OWN_SCHEMAS) },
      headers: HEADERS,
      parameters: {},
      responses: {},
    },
  };
}

function serversOf(publicUrl: string): Document["servers"] {
  const here = "This service. Its operator decides whether it is a local, staging or production environment.";
  return [
    { url: publicUrl, description: here, "x-internal": false },
    {
      url: `${publicUrl.replace(/\/$/, "")}/x402`,
      description:
        "The same service in the same environment (local, staging or production) for clients of x402 version 2: 402 answers carry its PAYMENT-REQUIRED header.",
      "x-internal": false,
    },
  ];
}
