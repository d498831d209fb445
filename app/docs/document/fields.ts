// Reads the fields of a schema: name, type, description, and the fields inside.
import { follow, type Json, type JsonObject, listAt, objectAt, textAt } from "./json.ts";

export type Field = {
  name: string;
  type: string;
  required: boolean;
  description: string;
  fields: Field[];
};

/** Deeper fields are left to the document. */
const DEPTH_MAX = 5;
const CHOICES_MAX = 12;
const JOINED = ["allOf", "anyOf", "oneOf"] as const;

/** The schema with the parts that it is joined of. */
function partsOf(document: JsonObject, node: Json | undefined): JsonObject[] {
  const schema = follow(document, node);
  const joined = JOINED.flatMap((name) => listAt(schema, name)).map((part) => follow(document, part));
  return [schema, ...joined];
}

function ownType(schema: JsonObject): string[] {
  const choices = listAt(schema, "enum").filter((choice) => choice !== null);
  if (choices.length > 0 && choices.length <= CHOICES_MAX) return choices.map((choice) => JSON.stringify(choice));
  if ("const" in schema) return [JSON.stringify(schema.const)];
  if (Array.isArray(schema.type)) return schema.type.map(String);
  return textAt(schema, "type") ? [textAt(schema, "type")] : [];
}

function typeOf(document: JsonObject, node: Json | undefined): string {
  const types = partsOf(document, node).flatMap((schema) => {
    if (schema.type !== "array") return ownType(schema);
    return [`array of ${typeOf(document, schema.items) || "values"}`];
  });
  return [...new Set(types)].join(" or ");
}

/** The fields of an object, or of the objects in a list. */
export function fieldsOf(document: JsonObject, node: Json | undefined, depth = 0): Field[] {
  if (depth >= DEPTH_MAX) return [];
  const found = partsOf(document, node).flatMap((schema) => {
    if (schema.items !== undefined) return fieldsOf(document, schema.items, depth);
    const required = listAt(schema, "required");
    return Object.entries(objectAt(schema, "properties")).map(([name, value]) =>
      fieldOf(document, { name, value, required: required.includes(name) }, depth + 1),
    );
  });
  return [...new Map(found.map((field) => [field.name, field])).values()];
}

type Named = { name: string; value: Json; required: boolean };

export function fieldOf(document: JsonObject, { name, value, required }: Named, depth = 0): Field {
  const schema = follow(document, value);
  return {
    name,
    type: typeOf(document, value),
    required,
    description: textAt(objectAt(value), "description") || textAt(schema, "description"),
    fields: fieldsOf(document, value, depth),
  };
}
