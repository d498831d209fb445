// Makes the schemas of a tool from those of its operation in the OpenAPI document, so that both are the same.
import { z } from "zod";
import type { RestMeta } from "../../procedures/meta.ts";
import { downloadOutput } from "../../procedures/procedures.ts";
import type { ToolTexts } from "../../procedures/tools.ts";
import { type Document, isRef, type Parameter, type Ref, type Schema } from "../openapi/parts.ts";

const COMPONENTS = "#/components/schemas/";
const DEFINITIONS = "#/$defs/";
/** What a sender wrote and no marker surrounds. `safe_text` has the text between markers. */
export const RAW_FIELDS = ["text", "html", "extracted_text", "headers", "highlights", "preview"];

/** The schema of an object that stands alone: it carries what it refers to in `$defs`. */
export type ToolSchema = Schema & { type: "object"; $defs?: Record<string, Schema> };

/** The error of a tool, beside which 402 has the payment terms. */
const TOOL_ERROR: Schema = {
  type: "object",
  description: "What a call with `isError` returns.",
  required: ["code", "message", "fix", "retry_after_seconds"],
  properties: {
    code: { type: "string", description: "What happened, for programs." },
    message: { type: "string", description: "What happened, for people and agents." },
    fix: { type: "string", description: "What to do about it." },
    request_id: { type: "string", description: "Identifies the call in the log of the service." },
    retry_after_seconds: { type: ["integer", "null"], description: "When to repeat the call. Null: not stated." },
  },
};

const INCLUDE_RAW: Schema = {
  type: "boolean",
  default: false,
  description: `Also returns ${RAW_FIELDS.map((field) => `\`${field}\``).join(", ")}, which the sender wrote and nothing marks as untrusted. Outbound messages have their text only there.`,
};

/** The parameters and the fields of the body, as one object. Unknown arguments are refused. */
export function inputSchema(document: Document, meta: RestMeta, texts: ToolTexts): ToolSchema {
  const { parameters = [], requestBody } = operationOf(document, meta);
  // Beside a body, the query chooses another procedure: the dry run. The key of a tool call is made from the call.
  const isArgument = (parameter: Parameter) => parameter.in !== "header" && (!requestBody || parameter.in !== "query");
  const all = parameters.map((parameter) => parameterOf(document, parameter)).filter(isArgument);
  const body = requestBody?.content["application/json"]?.schema ?? {};
  const { properties = {}, required = [] } = body.$ref ? (document.components.schemas[nameIn(body.$ref)] ?? {}) : body;
  const fields = {
    ...Object.fromEntries(all.map((parameter) => [parameter.name, fieldOf(parameter)])),
    ...properties,
    ...(texts.bodies && { include_raw: INCLUDE_RAW }),
  };
  const needed = [...all.filter((parameter) => parameter.required).map(({ name }) => name), ...required];
  return standAlone(document, {
    type: "object",
    properties: longer(fields, texts.maxWaitSeconds),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  });
}

/**
 * The success answer, or the error of a tool, because some clients hold errors against this schema too. Bytes are in base64.
 */
export function outputSchema(document: Document, meta: RestMeta, { bodies }: ToolTexts): ToolSchema {
  const success = meta.produces ? z.toJSONSchema(downloadOutput) : successOf(document, meta);
  const { $schema: _, ...answer } = success as Schema;
  const made = standAlone(document, { type: "object", anyOf: [answer, TOOL_ERROR] });
  for (const message of bodies ? [made.$defs?.Message, made.$defs?.MessageSummary] : []) {
    if (message) message.required = message.required?.filter((name) => !RAW_FIELDS.includes(name)) ?? [];
  }
  return made;
}

/** A tool that repeats a wait waits longer than one call of the procedure. */
function longer(fields: Record<string, Schema>, maxSeconds: number | undefined): Record<string, Schema> {
  const { timeout_seconds } = fields;
  if (!maxSeconds || !timeout_seconds) return fields;
  const description = `How long to wait, 0 to ${maxSeconds}. 0 looks once.`;
  return { ...fields, timeout_seconds: { ...timeout_seconds, maximum: maxSeconds, description } };
}

function operationOf({ paths }: Document, { openapi: { path, method } }: RestMeta) {
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`the document has no ${method} ${path}`);
  return operation;
}

function successOf(document: Document, meta: RestMeta): Schema {
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

function fieldOf({ schema, description, example }: Parameter): Schema {
  return {
    ...schema,
    ...(description !== undefined && { description }),
    ...(example !== undefined && { examples: [example] }),
  };
}

function nameIn(reference: string): string {
  return reference.split("/").at(-1) ?? "";
}

/** A copy that refers to `$defs` of its own in place of `components`. */
function standAlone({ components }: Document, schema: ToolSchema): ToolSchema {
  const definitions: Record<string, Schema> = {};
  const localize = (part: Schema): Schema =>
    JSON.parse(JSON.stringify(part), (key, value) => {
      if (key !== "$ref" || typeof value !== "string" || !value.startsWith(COMPONENTS)) return value;
      const name = nameIn(value);
      const target = components.schemas[name];
      if (target && !definitions[name]) {
        definitions[name] = {}; // a schema may refer to itself
        definitions[name] = localize(target);
      }
      return DEFINITIONS + name;
    });
  const made = localize(schema) as ToolSchema;
  return Object.keys(definitions).length > 0 ? { ...made, $defs: definitions } : made;
}
