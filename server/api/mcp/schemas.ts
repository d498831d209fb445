// Makes the schemas of a tool from those of its operation in the OpenAPI document: the same fields, in the words that a model needs.
import { z } from "zod";
import type { RestMeta } from "../../procedures/meta.ts";
import { downloadOutput } from "../../procedures/procedures.ts";
import { flagsOf, TOOL_FLAGS, type ToolFlag, type ToolTexts } from "../../procedures/tools.ts";
import { type Document, isRef, type Parameter, type Ref, type Schema } from "../openapi/parts.ts";
import type { InTools } from "./texts.ts";

/** What a sender wrote and no marker surrounds, also the Message-IDs. `safe_text` has the text between markers. */
export const RAW_FIELDS = [
  "text",
  "html",
  "extracted_text",
  "headers",
  "highlights",
  "preview",
  "in_reply_to",
  "references",
];
/** Clients of the official SDK end a call after 60 s: a wait answers before, and the next one continues. */
export const WAIT_SECONDS = 50;

/** The schema of an object that stands alone. */
export type ToolSchema = Schema & { type: "object" };

const INBOX: Schema = { type: "string", description: "The mailbox, by its address or id." };
const INCLUDE_RAW: Schema = {
  type: "boolean",
  default: false,
  description:
    "Also returns what senders wrote, unmarked: `text`, `html`, `headers`, `preview` and others. The only text of outbound mail.",
};
/** What the procedure checks and a model does not need to know in advance: an error names it. */
const LEFT_OUT = new Set([
  "example",
  "examples",
  "pattern",
  "maxLength",
  "maxItems",
  "minLength",
  "minItems",
  "contentEncoding",
  "propertyNames",
]);
/** Below this depth, an answer is not described. */
const ANSWER_DEPTH = 2;

/** The parameters and the fields of the body, as one object. Unknown arguments are refused. */
export function inputSchema(document: Document, meta: RestMeta, texts: ToolTexts, say: InTools): ToolSchema {
  const { parameters = [], requestBody } = operationOf(document, meta);
  // Beside a body, the query chooses another procedure: the dry run. The key of a tool call is made from the call.
  const isArgument = (parameter: Parameter) => parameter.in !== "header" && (!requestBody || parameter.in !== "query");
  const all = parameters.map((parameter) => parameterOf(document, parameter)).filter(isArgument);
  const body = resolve(document, requestBody?.content["application/json"]?.schema ?? {});
  const needed = [...all.filter((parameter) => parameter.required).map(({ name }) => name), ...(body.required ?? [])];
  const given = {
    ...Object.fromEntries(all.map(({ name, schema, description }) => [name, { ...schema, description }])),
    ...body.properties,
  };
  const listed = Object.entries(given).filter(([name]) => !texts.leftOut?.includes(name));
  const fields = listed.map(([name, schema]): [string, Schema] =>
    name === "addr" ? ["inbox", INBOX] : [name, concise(document, schema, say)],
  );
  const properties = {
    ...Object.fromEntries(fields),
    ...(texts.bodies && { include_raw: INCLUDE_RAW }),
    ...Object.fromEntries(flagsOf(texts).map(([flag]) => [flag, flagSchema(flag)])),
  };
  return {
    type: "object",
    properties: texts.waits ? shorter(properties) : properties,
    ...(needed.length > 0 && { required: needed.map((name) => (name === "addr" ? "inbox" : name)) }),
    additionalProperties: false,
  };
}

const flagSchema = (flag: ToolFlag): Schema => ({
  type: "boolean",
  default: false,
  description: TOOL_FLAGS[flag],
});

/**
 * The fields of the answer with their types. Nothing is required, because some clients hold errors against this schema too, and
 * nothing is described: a model reads the answer itself.
 */
export function outputSchema(document: Document, meta: RestMeta, { bodies }: ToolTexts): ToolSchema {
  const { properties = {} } = outline(document, successOf(document, meta), { depth: 0, bodies });
  return { type: "object", properties };
}

/** A copy in place of references, without what a model does not need. */
function concise(document: Document, schema: Schema, say: InTools): Schema {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    const part = isRef(value as Schema | Ref) ? resolve(document, value as Schema) : (value as Schema);
    const kept = Object.entries(part).filter(([name, each]) => !LEFT_OUT.has(name) && each !== undefined);
    return Object.fromEntries(kept.map(([name, each]) => [name, copy(name, each)]));
  };
  const copy = (name: string, value: unknown) => {
    if (name === "description") return say(String(value));
    // Its names are those of fields, which may be `description` or `pattern` too.
    if (name === "properties")
      return Object.fromEntries(Object.entries(value as object).map(([field, each]) => [field, walk(each)]));
    return walk(value);
  };
  return walk(schema) as Schema;
}

type Within = { depth: number; bodies: true | undefined };

function outline(document: Document, given: Schema, { depth, bodies }: Within): Schema {
  const schema = resolve(document, given);
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const choice = choices.find(({ type }) => type !== "null");
  if (choice && choices.length <= 2) return outline(document, choice, { depth, bodies });
  if (depth >= ANSWER_DEPTH) return {};
  const within = { depth: depth + 1, bodies };
  // Without a type: the field may be null, or the text of an error.
  if (schema.properties) {
    const isMessage = bodies && ("safe_text" in schema.properties || "preview" in schema.properties);
    const fields = Object.entries(schema.properties).filter(([name]) => !isMessage || !RAW_FIELDS.includes(name));
    return { properties: Object.fromEntries(fields.map(([name, each]) => [name, outline(document, each, within)])) };
  }
  if (schema.items) return { items: outline(document, schema.items, within) };
  return {};
}

/** Within one call, and with a default that every client waits for. */
function shorter(fields: Record<string, Schema>): Record<string, Schema> {
  const usual = Number(fields.timeout_seconds?.default ?? WAIT_SECONDS);
  const timeout_seconds = {
    type: "integer",
    minimum: 0,
    default: Math.min(usual, WAIT_SECONDS),
    description: `How long to wait, at most ${WAIT_SECONDS}; more counts as ${WAIT_SECONDS}. 0 looks once.`,
  };
  return { ...fields, timeout_seconds };
}

function operationOf({ paths }: Document, { openapi: { path, method } }: RestMeta) {
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`the document has no ${method} ${path}`);
  return operation;
}

function successOf(document: Document, meta: RestMeta): Schema {
  if (meta.produces) return z.toJSONSchema(downloadOutput) as Schema;
  const answer = operationOf(document, meta).responses[meta.status ?? 200];
  const schema = answer && !isRef(answer) ? answer.content?.["application/json"]?.schema : undefined;
  if (!schema) throw new Error(`${meta.openapi.path} has no JSON answer`);
  return schema;
}

function parameterOf({ components }: Document, parameter: Parameter | Ref): Parameter {
  if (!isRef(parameter)) return parameter;
  const found = components.parameters[nameIn(parameter.$ref)];
  if (!found) throw new Error(`the document has no ${parameter.$ref}`);
  return found;
}

function resolve({ components }: Document, schema: Schema): Schema {
  if (!schema.$ref) return schema;
  const { $ref, ...beside } = schema;
  return { ...components.schemas[nameIn($ref)], ...beside };
}

function nameIn(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}
