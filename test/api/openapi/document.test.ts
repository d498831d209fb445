// The OpenAPI document: as committed (UPDATE_OPENAPI=1 writes it), valid 3.1, complete, small, and readable by generators.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { afterAll, describe, expect, test } from "vitest";
import { openApiDocument } from "#server/api/openapi/document.ts";
import { eachSchema } from "#server/api/openapi/schemas.ts";
import { appRouter } from "#server/api/router.ts";
import { readSettings } from "#server/base/env.ts";
import { ERRORS } from "#server/base/errors/table.ts";
import { api, type Document, headersOf, type Reply, resolved, type Schema } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

/** Not in REST: codes of procedures for people, at the tRPC door alone, and of /metrics. */
const NOT_IN_REST = [
  "already_decided",
  "agent_not_found",
  "app_not_found",
  "already_member",
  "company_sign_in_required",
  "second_factor_missing",
  "second_factor_required",
  "wrong_code",
  "cross_origin",
  "enrollment_key_not_found",
  "hosted_address",
  "insufficient_role",
  "last_owner",
  "notice_route_not_found",
  "notice_address_not_found",
  "too_many_notice_routes",
  "review_changed",
  "link_not_found",
  "member_not_found",
  "metrics_protected",
  "not_a_member",
];
/** For each operation and each kind of webhook: docs/decisions/058-what-the-openapi-document-consists-of.md. */
const OPERATION_BYTES = 4_200;
const OPERATION_GZIP_BYTES = 560;
const OPERATION_LINES = 150;
const LINE_CHARS = 120;
const FILE = fileURLToPath(new URL("openapi.json", import.meta.url));
const CONFIG = fileURLToPath(new URL("redocly.yaml", import.meta.url));
const REDOCLY = fileURLToPath(new URL("../../../node_modules/@redocly/cli/bin/cli.js", import.meta.url));
/** Of the settings, only defaults are in the committed document. */
const compact = JSON.stringify(openApiDocument(readSettings({}), appRouter));
const document = JSON.parse(compact) as Document & {
  openapi: string;
  tags: { name: string; description: string }[];
  webhooks: Document["paths"];
};
const generated = `${printed(document)}\n`;

/** JSON with what fits into a line in one line, as the formatter of this repository prints it. */
function printed(value: unknown, indent = "", before = 0): string {
  const line = JSON.stringify(value);
  if (value === null || typeof value !== "object" || indent.length + before + line.length < LINE_CHARS) return line;
  const inner = `${indent}  `;
  const isArray = Array.isArray(value);
  const parts = Object.entries(value).map(([key, each]) => {
    const name = isArray ? "" : `${JSON.stringify(key)}: `;
    return `${inner}${name}${printed(each, inner, name.length)}`;
  });
  const [open, close] = isArray ? "[]" : "{}";
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`;
}

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const operationsOf = (paths: Document["paths"]) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
  );
const operations = operationsOf(document.paths);

test("it is the committed one", async () => {
  if (process.env.UPDATE_OPENAPI === "1") await writeFile(FILE, generated);
  expect(JSON.parse(await readFile(FILE, "utf8"))).toEqual(document);
});

test("it is the one that is served", async () => {
  const { paths, components } = await client.document();
  expect({ paths, components }).toEqual({ paths: document.paths, components: document.components });
});

test("`redocly lint` finds nothing, with the recommended rules and without the network", async () => {
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  const args = [REDOCLY, "lint", FILE, "--config", CONFIG, "--format", "json"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
});

test(`an operation takes ${OPERATION_BYTES} bytes, ${OPERATION_GZIP_BYTES} gzipped, and ${OPERATION_LINES} lines on average`, () => {
  const { paths, webhooks } = document;
  const operations = Object.values({ ...paths, ...webhooks }).flatMap((methods) => Object.keys(methods)).length;
  expect(Buffer.byteLength(compact) / operations).toBeLessThanOrEqual(OPERATION_BYTES);
  expect(gzipSync(compact).length / operations).toBeLessThanOrEqual(OPERATION_GZIP_BYTES);
  expect(generated.split("\n").length / operations).toBeLessThanOrEqual(OPERATION_LINES);
});

/** What is not answered in JSON. */
const BYTES: Record<string, string> = {
  "GET /v1/messages/{id}/raw": "message/rfc822",
  "GET /v1/drafts/{id}/attachments/{attachment_id}": "*/*",
  "GET /v1/messages/{id}/attachments/{attachment_id}": "*/*",
  "GET /v1/attachments/{link}": "*/*",
  "GET /v1/domains/{domain}/zone-file": "text/plain",
  "GET /v1/events/stream": "text/event-stream",
};

describe.each(operations)("$name", ({ name, responses, security, requestBody }) => {
  test("says what it answers, with which headers", () => {
    const statuses = Object.keys(responses);
    // A dry run of a send answers 200.
    const success = statuses.find((_, i) => !statuses[i + 1]?.startsWith("2")) ?? "";
    const created =
      /^POST \/v1\/(inboxes|drafts|webhooks|domains|suppressions|enroll|purchase|keys|verifications|uploads|lists\/\{direction\}\/\{list\})$/.test(
        name,
      );
    const accepted = /\/(send|reply|forward|redeliver|replay|retry)$/.test(name);
    expect(success).toBe(created ? "201" : accepted ? "202" : "200");
    for (const [status, declared] of Object.entries(responses)) {
      const reply = resolved<Reply>(document, declared);
      const headers = headersOf(document, reply);
      expect(headers["X-Request-Id"]?.required).toBe(true);
      const type = status === success && BYTES[name] ? BYTES[name] : "application/json";
      expect(reply.content?.[type]?.schema).toBeDefined();
      if (Number(status) >= 400) expect(JSON.stringify(reply.content)).toContain("#/components/schemas/Error");
      if (status === "429" || status === "503") expect(headers["Retry-After"]?.schema.type).toBe("integer");
      if (status === "401") expect(headers["WWW-Authenticate"]?.required).toBe(true);
    }
    const keyed = security?.length !== 0;
    if (keyed) expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "429", "500", "503"]));
    const successHeaders = headersOf(document, resolved<Reply>(document, responses[success] ?? {}));
    expect(successHeaders["RateLimit-Limit"]?.required).toBe(true);
    if (requestBody) expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "413", "415"]));
  });
});

test("every error code of the table is in it, but the team's, and those of paths and methods that are not", () => {
  const undocumented = Object.keys(ERRORS).filter((code) => !compact.includes(`"${code}"`));
  expect(undocumented.sort()).toEqual([...NOT_IN_REST, "method_not_allowed", "not_found"].sort());
});

describe("for people who read it", () => {
  test("operations are named by a verb and a noun, and summarized, described and tagged", () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const verbs =
      /^(create|list|search|get|update|delete|send|cancel|pause|resume|redeem|mark|take|reply|forward|wait|stream|rotate|test|verify|redeliver|replay|retry|purchase|restore|undo|import)[A-Z][A-Za-z]+$/;
    expect(ids.filter((id) => !verbs.test(id))).toEqual([]);
    const tags = document.tags.map(({ name }) => name);
    for (const { name, tags: own, summary, description } of operations) {
      expect(tags, name).toContain(own?.[0]);
      expect(summary, name).toMatch(/^[A-Z]/);
      expect(description, name).toMatch(/^[A-Z].*\.$/s);
    }
    expect(document.tags.filter(({ description }) => !description)).toEqual([]);
  });

  test("every property and parameter is described", () => {
    const silent: string[] = [];
    eachSchema(document, ({ properties = {} }) => {
      for (const [name, property] of Object.entries(properties)) {
        const isNarrowing = name === "code" && Boolean(property.enum);
        const isFrame = name === "error" && !property.type;
        if (!property.description && !isNarrowing && !isFrame) silent.push(name);
      }
    });
    expect(silent).toEqual([]);
    const parameters = operations.flatMap(({ parameters = [] }) => parameters);
    const described = parameters.map((parameter) =>
      resolved<{ name: string; description?: string }>(document, parameter),
    );
    expect(described.filter(({ description }) => !description)).toEqual([]);
  });

  test("every request body and every success answer has an example that fits its schema", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addFormat("double-int", true);
    ajv.addSchema({ $id: "document", ...document });
    for (const { name, requestBody, responses } of [...operations, ...operationsOf(document.webhooks)]) {
      const success = Object.entries(responses).filter(([status]) => status.startsWith("2"));
      const contents = [requestBody?.content, ...success.map(([, reply]) => reply.content)];
      for (const [type, { schema, example }] of contents.flatMap((content) => Object.entries(content ?? {}))) {
        expect(example, `${name} ${type}`).toBeDefined();
        const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
        expect(ajv.validate(absolute, example), `${name}: ${ajv.errorsText()}`).toBe(true);
      }
    }
  });

  test("the webhook says which headers it carries and how to verify them", () => {
    const delivery = document.webhooks["message.received"]?.post;
    const headers = delivery?.parameters?.map((parameter) => {
      const { name, in: place } = resolved<{ name: string; in: string }>(document, parameter);
      return [name, place];
    });
    expect(headers).toEqual([
      ["X-Service-Signature", "header"],
      ["X-Service-Event", "header"],
      ["X-Service-Delivery", "header"],
      ["X-Service-Event-Id", "header"],
      ["webhook-id", "header"],
      ["webhook-timestamp", "header"],
      ["webhook-signature", "header"],
    ]);
    expect(delivery?.description).toMatch(/HMAC-SHA256 of `<t>\.<raw body>`.*five minutes/s);
    expect(delivery?.requestBody?.content["application/json"]?.schema).toEqual({
      $ref: "#/components/schemas/MessageReceived",
    });
    const { properties, required } = document.components.schemas.MessageReceived ?? {};
    expect(Object.keys(properties ?? {})).toEqual(["event", "inbox", "message", "data"]);
    expect(required).toEqual(["event", "inbox", "message"]);
  });
});

describe("for programs that read it", () => {
  test("the things of the interface are named schemas, and no schema is there twice", () => {
    const { schemas } = document.components;
    const named = "Inbox InboxSummary Message MessageSummary Thread Webhook Delivery Event Payment Error".split(" ");
    expect(Object.keys(schemas)).toEqual(expect.arrayContaining(named));
    const texts = Object.values(schemas).map((schema) => JSON.stringify(schema));
    expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([]);
    for (const kind of ["responses", "parameters", "headers"]) {
      for (const name of Object.keys(document.components[kind] ?? {})) {
        expect(compact, `${kind} ${name}`).toContain(`"#/components/${kind}/${name}"`);
      }
    }
  });

  test("patterns are such as Python and Go read, none stands beside a format, and answers may gain fields", () => {
    const all: Schema[] = [];
    eachSchema(document, (schema) => all.push(schema as Schema));
    expect(all.length).toBeGreaterThan(500);
    expect(all.filter(({ pattern }) => /\\[pPu]|\(\?/.test(String(pattern)))).toEqual([]);
    expect(all.filter(({ pattern, format }) => pattern && format === "date-time")).toEqual([]);
    const answers = operations.map(({ responses }) => responses);
    const inAnswers: Schema[] = [];
    eachSchema([answers, document.components.responses], (schema) => inAnswers.push(schema as Schema));
    expect(inAnswers.filter(({ additionalProperties }) => additionalProperties === false)).toEqual([]);
  });

  test("request bodies take no other fields, except that of POST /v1/enroll", () => {
    const open = operations.filter(({ requestBody }) => {
      const schema = requestBody?.content["application/json"]?.schema;
      return schema && resolved<Schema>(document, schema).additionalProperties !== false;
    });
    expect(open.map(({ name }) => name)).toEqual(["POST /v1/enroll"]);
    expect(document.components.schemas.AttachmentInput?.additionalProperties).toBe(false);
  });

  test("every text, list and number has its limits", () => {
    const open: Schema[] = [];
    eachSchema(document, (schema) => {
      const types = [schema.type].flat();
      if (types.includes("string") && !schema.enum && !("const" in schema) && !schema.maxLength) open.push(schema);
      if (types.includes("array") && schema.maxItems === undefined) open.push(schema);
      if (types.includes("integer") && (schema.minimum === undefined || !schema.format)) open.push(schema);
    });
    expect(open).toEqual([]);
  });
});
