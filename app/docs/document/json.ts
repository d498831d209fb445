// Reads the parts of the OpenAPI document: objects, texts and references.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

export function objectAt(node: Json | undefined, name?: string): JsonObject {
  const found = name === undefined ? node : isObject(node) ? node[name] : undefined;
  return isObject(found) ? found : {};
}

export function listAt(node: JsonObject, name: string): Json[] {
  const found = node[name];
  return Array.isArray(found) ? found : [];
}

export function textAt(node: JsonObject, name: string): string {
  const found = node[name];
  return typeof found === "string" ? found : "";
}

function isObject(node: Json | undefined): node is JsonObject {
  return typeof node === "object" && node !== null && !Array.isArray(node);
}

const POINTER = /^#\//;

/** What `$ref` names; another node is given back. References do not nest in this document. */
export function follow(document: JsonObject, node: Json | undefined): JsonObject {
  const found = objectAt(node);
  const reference = textAt(found, "$ref");
  if (!POINTER.test(reference)) return found;
  const path = reference.replace(POINTER, "").split("/");
  return path.reduce((at, name) => objectAt(at, name), document);
}
