// Composes the example of every request body and success answer from the examples of its fields.
import type { Content, Document, Schema } from "./parts.ts";
import { isRef } from "./parts.ts";
import { eachSchema } from "./schemas.ts";

const NO_EXAMPLE = Symbol("no example");
/**
 * Optional fields that an example of a request leaves out: a time would be past one day, an id would name nothing, a key
 * would be used twice, and others need a scope or exclude one another. Each has its own example.
 */
const LEFT_OUT = new Set([
  ...["headers", "send_at", "reply_by", "expires_at", "outgoing_delay_seconds"],
  ...["in_reply_to", "expected_last_message_id", "thread_id"],
  ...["reply_to", "catch_all", "labels", "remove_labels", "idempotency_key"],
]);

export function addExamples(document: Document): void {
  const { schemas } = document.components;
  for (const paths of [document.paths, document.webhooks]) {
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { requestBody, responses }] of Object.entries(methods)) {
        const where = `${method} ${path}`;
        const asked = requestBody?.content["application/json"];
        if (asked) asked.example = withoutLeftOut(exampleOf(asked.schema, schemas, where), asked.schema);
        for (const [status, answer] of Object.entries(responses)) {
          if (status.startsWith("2") && !isRef(answer)) addTo(answer.content ?? {}, schemas, where);
        }
      }
    }
  }
  for (const methods of Object.values(document.paths)) {
    for (const { requestBody } of Object.values(methods)) eachSchema(requestBody, keepExample);
  }
  eachSchema(document, (schema) => delete schema.example);
}

/** Fields that a client writes keep theirs, as JSON Schema 2020-12 has it; those of answers are in the answer's example. */
function keepExample(schema: Schema): void {
  if ("example" in schema) schema.examples = [schema.example];
}

function withoutLeftOut(example: unknown, { required = [] }: Schema): unknown {
  if (typeof example !== "object" || example === null) return example;
  const kept = Object.entries(example).filter(([name]) => required.includes(name) || !LEFT_OUT.has(name));
  return Object.fromEntries(kept);
}

function addTo(content: Content, schemas: Record<string, Schema>, where: string): void {
  const json = content["application/json"];
  if (json) json.example = exampleOf(json.schema, schemas, where);
}

/** @throws Error that names the field that has no example */
function exampleOf(schema: Schema, schemas: Record<string, Schema>, where: string): unknown {
  const example = given(schema);
  if (example !== NO_EXAMPLE) return example;
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1) ?? "";
    const target = schemas[name];
    if (target) return exampleOf(target, schemas, `${where} ${name}`);
  }
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (first) return exampleOf(first, schemas, where);
  if (schema.type === "object") return objectExample(schema, schemas, where);
  const type = [schema.type].flat()[0];
  if (type === "array") return arrayExample(schema, schemas, where);
  throw new Error(`${where}: no example`);
}

/** What the schema itself gives. */
function given(schema: Schema): unknown {
  if ("example" in schema) return schema.example;
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  return "default" in schema ? schema.default : NO_EXAMPLE;
}

/** All required fields, and the optional ones that have an example of their own. */
function objectExample({ properties = {}, required = [] }: Schema, schemas: Record<string, Schema>, where: string) {
  const shown = Object.entries(properties).filter(([name, schema]) => required.includes(name) || "example" in schema);
  return Object.fromEntries(shown.map(([name, schema]) => [name, exampleOf(schema, schemas, `${where} ${name}`)]));
}

/** One item where items have an example, none otherwise. */
function arrayExample({ items = {} }: Schema, schemas: Record<string, Schema>, where: string): unknown[] {
  const target = items.$ref ? (schemas[items.$ref.split("/").at(-1) ?? ""] ?? items) : items;
  const hasExample = target.type === "object" || given(target) !== NO_EXAMPLE;
  return hasExample ? [exampleOf(items, schemas, where)] : [];
}
