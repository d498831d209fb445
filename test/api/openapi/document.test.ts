// The OpenAPI document: as committed (UPDATE_OPENAPI=1 writes it anew), valid 3.1, and complete.
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { openApiDocument } from "#server/api/openapi.ts";
import { readSettings } from "#server/base/env.ts";
import { ERRORS } from "#server/base/errors.ts";
import { api, type Document } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

/** Not in REST: codes of procedures for people, at the tRPC door alone, and of /metrics. */
const NOT_IN_REST = [
  "agent_key_not_found",
  "already_member",
  "cross_origin",
  "enrollment_key_not_found",
  "hosted_address",
  "insufficient_role",
  "last_owner",
  "link_not_found",
  "member_not_found",
  "metrics_protected",
  "not_a_member",
];
const FILE = fileURLToPath(new URL("openapi.json", import.meta.url));
const CONFIG = fileURLToPath(new URL("redocly.yaml", import.meta.url));
const REDOCLY = fileURLToPath(new URL("../../../node_modules/@redocly/cli/bin/cli.js", import.meta.url));
/** Of the settings, only defaults are in the committed document. */
const generated = `${JSON.stringify(openApiDocument(readSettings({})), null, 2)}\n`;
const document = JSON.parse(generated) as Document & { openapi: string };

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
);

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

/** What is not answered in JSON. */
const BYTES: Record<string, string> = {
  "GET /v1/messages/{id}/raw": "message/rfc822",
  "GET /v1/messages/{id}/attachments/{attachment_id}": "*/*",
  "GET /v1/events/stream": "text/event-stream",
};

describe.each(operations)("$name", ({ name, responses, security, requestBody }) => {
  test("says what it answers, with which headers", () => {
    const [success = ""] = Object.keys(responses);
    const created = ["POST /v1/inboxes", "POST /v1/webhooks", "POST /v1/enroll", "POST /v1/purchase"].includes(name);
    const accepted = /\/(send|reply|forward|redeliver|replay)$/.test(name);
    expect(success).toBe(created ? "201" : accepted ? "202" : "200");
    for (const [status, { headers, content }] of Object.entries(responses)) {
      expect(headers?.["X-Request-Id"]?.required).toBe(true);
      const type = status === success && BYTES[name] ? BYTES[name] : "application/json";
      expect(content?.[type]?.schema).toBeDefined();
      if (Number(status) >= 400) expect(JSON.stringify(content)).toContain("#/components/schemas/Error");
      if (status === "429" || status === "503") expect(headers?.["Retry-After"]?.schema.type).toBe("integer");
      if (status === "401") expect(headers?.["WWW-Authenticate"]?.required).toBe(true);
    }
    const keyed = security?.length !== 0;
    if (keyed) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(["401", "429", "500", "503"]));
      expect(responses[success]?.headers?.["RateLimit-Limit"]?.required).toBe(true);
    }
    if (requestBody) expect(Object.keys(responses)).toEqual(expect.arrayContaining(["400", "413", "415"]));
  });
});

test("every error code of the table is in it, but the team's, and those of paths and methods that are not", () => {
  const undocumented = Object.keys(ERRORS).filter((code) => !generated.includes(`"${code}"`));
  expect(undocumented.sort()).toEqual([...NOT_IN_REST, "method_not_allowed", "not_found"].sort());
});
