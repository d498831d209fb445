// The tools as hosts see them: which ones a key has, their schemas, their hints.
import { afterAll, describe, expect, test } from "vitest";
import { openApiDocument } from "#server/api/openapi/document.ts";
import { isRef, type Document as OpenApi, type Schema } from "#server/api/openapi/parts.ts";
import { appRouter } from "#server/api/router.ts";
import { SCOPES } from "#server/base/context.ts";
import { restMetas } from "#server/procedures/meta.ts";
import { flagsOf, TOOLS } from "#server/procedures/tools.ts";
import { startTestService } from "#test/support/service.ts";
import { connect, PROTOCOLS } from "./rig.ts";

const TOOLS_MAX = 22;
const DESCRIPTION_CHARS = 300;
/** A third of the list of 18 tools that described their answers in full. */
const LIST_CHARS = 40_000;
/** What a sender wrote and no marker surrounds. */
const RAW = ["text", "html", "extracted_text", "headers", "in_reply_to", "references", "preview"];

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
    expect(now?.length).toBeLessThanOrEqual(TOOLS_MAX);
    expect(JSON.stringify(now).length).toBeLessThan(LIST_CHARS);
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

/** A type, an enumeration or a list of either: what a model must know of a field. */
function kindOf(schema: Schema = {}): unknown {
  const { type, enum: values, const: value, items, anyOf, oneOf } = schema;
  const choices = [...(anyOf ?? []), ...(oneOf ?? [])].map(kindOf);
  return [type, values, value, choices, items && kindOf(items)];
}

describe.each(metas.map((meta) => [meta.mcp.name, meta] as const))("%s", (name, meta) => {
  const tool = tools.get(name);
  const { parameters, body, answer } = operationOf(document, meta);
  const input = tool?.inputSchema as Schema;
  const output = tool?.outputSchema as Schema;
  const named = (field = "") => (field === "addr" ? "inbox" : field);

  test("takes what the operation of the OpenAPI document takes", () => {
    const flags = flagsOf(meta.mcp).map(([flag]) => flag);
    const { include_raw, ...others } = input.properties ?? {};
    const fields = Object.fromEntries(
      Object.entries(others).filter(([field]) => !flags.some((flag) => flag === field)),
    );
    const given = [
      ...parameters.map((each) => [named(each?.name), each?.schema] as const),
      ...Object.entries(body.properties ?? {}),
    ].filter(([field]) => !meta.mcp.leftOut?.includes(field));
    for (const [field, schema] of given) expect(kindOf(fields[field]), field).toEqual(kindOf(schema));
    expect(Object.keys(fields).sort()).toEqual(given.map(([field]) => field).sort());
    const required = parameters.flatMap((each) => (each?.required ? [named(each.name)] : []));
    expect(input.required ?? []).toEqual([...required, ...(body.required ?? [])]);
    expect(input.additionalProperties).toBe(false);
    expect(Boolean(include_raw)).toBe(Boolean(meta.mcp.bodies));
    expect(Object.keys(others)).toEqual(expect.arrayContaining(flags));
    expect(Object.values(fields).every(({ description }) => description)).toBe(true);
  });

  test("names the fields that the operation returns", () => {
    expect(Object.keys(output.properties ?? {})).toEqual(
      Object.keys(answer.properties ?? {}).filter((field) => !meta.mcp.bodies || !RAW.includes(field)),
    );
    expect(output.required).toBeUndefined();
  });

  test("names no call of REST that a tool makes", () => {
    const texts = JSON.stringify([tool?.description, input]);
    for (const { openapi, mcp } of metas) {
      for (const call of [`${openapi.method} ${openapi.path}`, ...(mcp.alike ?? [])]) {
        expect(texts.replaceAll(" of the REST API", "")).not.toMatch(new RegExp(`${escaped(call)}(?![\\w/{])`));
      }
    }
  });

  test("describes itself", () => {
    expect(tool?.description?.length).toBeLessThanOrEqual(DESCRIPTION_CHARS);
    expect(tool?.title).toBe(meta.openapi.summary);
    if (meta.openapi.method === "GET") expect(tool?.annotations?.readOnlyHint).toBe(true);
    else expect(tool?.annotations?.readOnlyHint).toBe(false);
    expect(tool?.annotations?.destructiveHint).toBe(meta.openapi.method === "DELETE");
  });
});

const escaped = (text: string) => text.replace(/[{}.]/g, "\\$&");
