// The schemas of tools are those of the operations, in the words that a model needs.
import { expect, test } from "vitest";
import { inputSchema } from "#server/api/mcp/schemas.ts";
import type { Document, Schema } from "#server/api/openapi/parts.ts";

const META = { openapi: { method: "POST", path: "/v1/rules" } } as Parameters<typeof inputSchema>[1];
const TEXTS = { description: "Adds a rule.", hints: {} };

function documentOf(properties: Record<string, Schema>): Document {
  const body = { content: { "application/json": { schema: { type: "object", properties } } } };
  const paths = { "/v1/rules": { post: { requestBody: body, responses: {} } } };
  return { paths, components: { schemas: {}, parameters: {} } } as unknown as Document;
}

test("A nested field keeps the name of a keyword that is left out.", () => {
  const field = { type: "string", description: "A word.", maxLength: 9, pattern: "^a", example: "apple" };
  const rule: Schema = {
    type: "object",
    properties: { pattern: field, example: field, description: field, properties: field },
  };
  const { properties } = inputSchema(documentOf({ rule }), META, TEXTS, (text) => `${text}!`);
  const kept = { type: "string", description: "A word.!" };
  expect(properties?.rule).toEqual({
    type: "object",
    properties: { pattern: kept, example: kept, description: kept, properties: kept },
  });
});
