// The tools as hosts see them: which ones a key has, their schemas, their hints.
import { afterAll, describe, expect, test } from "vitest";
import { openApiDocument } from "#server/api/openapi/document.ts";
import { isRef, type Document as OpenApi, type Schema } from "#server/api/openapi/parts.ts";
import { appRouter } from "#server/api/router.ts";
import { SCOPES } from "#server/base/context.ts";
import { restMetas } from "#server/procedures/meta.ts";
import { TOOLS } from "#server/procedures/tools.ts";
import { startTestService } from "#test/support/service.ts";
import { connect, PROTOCOLS } from "./rig.ts";

const TOOLS_MAX = 20;
const DESCRIPTION_CHARS = 300;
const LIST_BYTES = 130_000;
/** What a sender wrote and no marker surrounds. */
const RAW = ["text", "html", "extracted_text", "headers", "preview"];

const service = await startTestService();
afterAll(service.stop);
const organization = await service.newOrganization();

async function toolsOf(key?: string, version?: (typeof PROTOCOLS)[number]) {
  const { client, close } = await connect(service, key, version);
  const { tools } = await client.listTools();
  await close();
  return tools;
}

async function namesFor(scopes: string[]): Promise<string[]> {
  const { key } = await service.newAgentKey(organization.enrollmentKeyId, { scopes });
  return (await toolsOf(key)).map(({ name }) => name);
}

describe("which tools", () => {
  test("without a key, redeem_enrollment_key alone", async () => {
    expect((await toolsOf()).map(({ name }) => name)).toEqual(["redeem_enrollment_key"]);
  });

  test("each scope has its tools", async () => {
    const byScope = await Promise.all(SCOPES.map(async (scope) => [scope, await namesFor([scope])] as const));
    expect(Object.fromEntries(byScope)).toMatchSnapshot();
  });

  test("all scopes have all tools, in both protocols", async () => {
    const [now, before] = await Promise.all(PROTOCOLS.map((version) => toolsOf(organization.agentKey, version)));
    expect(now?.map(({ name }) => name)).toMatchSnapshot();
    expect(before).toEqual(now);
    const hints = now?.map(({ name, annotations = {} }) => {
      const set = Object.entries(annotations).flatMap(([hint, isSet]) => (isSet ? [hint] : []));
      return `${name}: ${set.join(", ") || "none"}`;
    });
    expect(hints).toMatchSnapshot();
    expect(now?.length).toBeLessThan(TOOLS_MAX);
    expect(JSON.stringify(now).length).toBeLessThan(LIST_BYTES);
  });
});

const document = openApiDocument(service.settings, appRouter);
const metas = [...restMetas(appRouter).values()].flatMap((meta) =>
  meta.mcp ? [{ ...meta, mcp: { name: meta.mcp, ...TOOLS[meta.mcp] } }] : [],
);
const tools = new Map(
  [...(await toolsOf()), ...(await toolsOf(organization.agentKey))].map((tool) => [tool.name, tool]),
);

/** The schema with everything that it refers to in the place of the reference. */
function whole(schema: Schema, named: Record<string, Schema>): Schema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const name = typeof value?.$ref === "string" ? value.$ref.split("/").at(-1) : undefined;
    if (name === undefined) return value;
    const { $ref: _reference, ...beside } = value;
    return { ...whole(named[name] ?? {}, named), ...beside };
  });
}

function operationOf({ paths, components }: OpenApi, meta: (typeof metas)[number]) {
  const operation = paths[meta.openapi.path]?.[meta.openapi.method.toLowerCase()];
  const all = (operation?.parameters ?? []).map((each) =>
    isRef(each) ? components.parameters[each.$ref.split("/").at(-1) ?? ""] : each,
  );
  // Dry runs are no tools, and the key of a call is made from the call.
  const parameters = all.filter((each) => each?.name !== "dry_run" && each?.in !== "header");
  const answer = operation?.responses[meta.status ?? 200];
  return {
    parameters,
    body: whole(operation?.requestBody?.content["application/json"]?.schema ?? {}, components.schemas),
    answer:
      answer && !isRef(answer) ? whole(answer.content?.["application/json"]?.schema ?? {}, components.schemas) : {},
  };
}

describe.each(metas.map((meta) => [meta.mcp.name, meta] as const))("%s", (name, meta) => {
  const tool = tools.get(name);
  const { parameters, body, answer } = operationOf(document, meta);
  const input = whole(tool?.inputSchema as Schema, (tool?.inputSchema.$defs ?? {}) as Record<string, Schema>);
  const output = whole(tool?.outputSchema as Schema, (tool?.outputSchema?.$defs ?? {}) as Record<string, Schema>);

  test("takes what the operation of the OpenAPI document takes", () => {
    const { include_raw, timeout_seconds, ...fields } = input.properties ?? {};
    const expected = Object.entries(body.properties ?? {}).filter(([field]) => field !== "timeout_seconds");
    const given = parameters.map((each) => [each?.name, each?.schema] as const);
    for (const [field, schema] of [...given, ...expected])
      expect(fields[field ?? ""], field).toMatchObject(schema ?? {});
    expect(Object.keys(fields).sort()).toEqual([...given, ...expected].map(([field]) => field).sort());
    const required = parameters.flatMap((each) => (each?.required ? [each.name] : []));
    expect(input.required ?? []).toEqual([...required, ...(body.required ?? [])]);
    expect(input.additionalProperties).toBe(false);
    expect(Boolean(include_raw)).toBe(Boolean(meta.mcp.bodies));
    expect(timeout_seconds?.maximum).toBe(meta.mcp.maxWaitSeconds);
  });

  test("returns what the operation returns, or an error", () => {
    const [success, failure] = output.anyOf ?? [];
    const withoutRaw = (schema: Schema): Schema =>
      JSON.parse(JSON.stringify(schema), (key, value) =>
        key === "required" && (value.includes("safe_text") || value.includes("preview"))
          ? value.filter((field: string) => !RAW.includes(field))
          : value,
      );
    if (meta.produces) expect(success?.properties).toHaveProperty("content_base64");
    else expect(success).toEqual(meta.mcp.bodies ? withoutRaw(answer) : answer);
    expect(failure?.required).toEqual(["code", "message", "fix", "retry_after_seconds"]);
  });

  test("describes itself", () => {
    expect(tool?.description?.length).toBeLessThanOrEqual(DESCRIPTION_CHARS);
    expect(tool?.title).toBe(meta.openapi.summary);
    if (meta.openapi.method === "GET") expect(tool?.annotations?.readOnlyHint).toBe(true);
    else expect(tool?.annotations?.readOnlyHint).toBe(false);
    expect(tool?.annotations?.destructiveHint).toBe(meta.openapi.method === "DELETE");
  });
});
