// Makes every schema say its limits, and leaves out what generators of clients stumble over.
import type { z } from "zod";
import type { Document, Ref, Schema } from "./parts.ts";

/** No text in an answer is longer: the largest mail, with room for what the service writes into it. */
const TEXT_CHARS = 67_108_864;
/** No list in an answer is longer: it comes from one mail, or from what one organization may have. */
const ITEMS_MAX = 1_000_000;
const TIME_CHARS = 24;
const MAX_INT32 = 2_147_483_647;
const SCALARS = ["string", "integer", "number", "boolean"];

/** A schema that `.meta({ id })` names. */
export type NamedSchema = z.ZodObject;

/** The schemas by their names in `components.schemas`. */
export function byName(schemas: NamedSchema[]): Record<string, NamedSchema> {
  return Object.fromEntries(schemas.map((schema) => [nameOf(schema), schema]));
}

export function schemaRef(schema: NamedSchema): Ref {
  return { $ref: `#/components/schemas/${nameOf(schema)}` };
}

function nameOf(schema: NamedSchema): string {
  const name = schema.meta()?.id;
  if (!name) throw new Error("a body of the document has no id in its meta");
  return name;
}

/** Calls `visit` for every schema in a part of the document, inner ones first. */
export function eachSchema(part: unknown, visit: (schema: Schema) => void): void {
  const seen = new Set<unknown>();
  const walk = (value: unknown, isSchema: boolean): void => {
    if (value === null || typeof value !== "object" || seen.has(value)) return;
    seen.add(value);
    if (Array.isArray(value)) for (const each of value) walk(each, isSchema);
    else walkObject(value as Record<string, unknown>, isSchema);
    if (isSchema && !Array.isArray(value)) visit(value as Schema);
  };
  const walkObject = (object: Record<string, unknown>, isSchema: boolean): void => {
    for (const [key, value] of Object.entries(object)) {
      if (["example", "examples", "enum", "const", "default"].includes(key)) continue;
      const isMap = isSchema ? key === "properties" : key === "schemas";
      if (isMap) for (const each of Object.values(value as object)) walk(each, true);
      else walk(value, isSchema || key === "schema");
    }
  };
  walk(part, false);
}

export function finishSchemas(document: Document): void {
  eachSchema(document, (schema) => {
    // Answers may gain fields; a client that refuses them would break.
    if (schema.additionalProperties === false) delete schema.additionalProperties;
    if (schema.format === "date-time" || schema.contentEncoding) delete schema.pattern;
    if (schema.contentEncoding) delete schema.format;
    limit(schema);
    joinNull(schema);
  });
}

/** Says of a request body, and of the components that it names, that unknown fields are refused. */
export function closeBody(body: unknown, { components }: Pick<Document, "components">): void {
  eachSchema(body, (schema) => {
    if (schema.properties) schema.additionalProperties ??= false;
    if (schema.$ref) closeBody({ schema: components.schemas[schema.$ref.split("/").at(-1) ?? ""] }, { components });
  });
}

function limit(schema: Schema): void {
  const types = [schema.type].flat();
  if (types.includes("string") && !schema.enum && !("const" in schema)) {
    schema.maxLength ??= schema.format === "date-time" ? TIME_CHARS : TEXT_CHARS;
  }
  if (types.includes("array")) schema.maxItems ??= ITEMS_MAX;
  if (!types.includes("integer")) return;
  schema.format ??= "int32";
  // Every integer of the interface counts something.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) schema.minimum = 0;
  if (schema.maximum === Number.MAX_SAFE_INTEGER && schema.format === "int32") schema.maximum = MAX_INT32;
}

/** `anyOf: [{ type: "string" }, { type: "null" }]` is `type: ["string", "null"]`. */
function joinNull(schema: Schema): void {
  const [plain, nothing, ...others] = schema.anyOf ?? [];
  if (!plain || nothing?.type !== "null" || others.length > 0) return;
  if (typeof plain.type !== "string" || ![...SCALARS, "array"].includes(plain.type) || plain.enum) return;
  delete schema.anyOf;
  Object.assign(schema, { ...plain, ...schema, type: [plain.type, "null"] });
}
