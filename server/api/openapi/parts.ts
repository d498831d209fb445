// The parts of an OpenAPI 3.1 document that this folder reads and writes.

export type Ref = { $ref: string };

export type Schema = {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  description?: string;
  example?: unknown;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  propertyNames?: Schema;
  additionalProperties?: Schema | boolean;
};

export type Header = { description: string; required?: boolean; schema: Schema };
type MediaType = { schema: Schema; example?: unknown };
export type Content = Record<string, MediaType>;
export type Answer = { description: string; headers?: Record<string, Header | Ref>; content?: Content };
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  example?: unknown;
  schema: Schema;
};

export type Operation = {
  operationId: string;
  parameters?: (Parameter | Ref)[];
  requestBody?: { description?: string; required?: boolean; content: Content };
  responses: Record<string, Answer | Ref>;
  security?: object[];
};

type Paths = Record<string, Record<string, Operation>>;

type Components = {
  schemas: Record<string, Schema>;
  responses: Record<string, Answer>;
  parameters: Record<string, Parameter>;
  headers: Record<string, Header>;
  securitySchemes: object;
};

export type Document = {
  openapi: string;
  info: object;
  servers: { url: string; description: string; "x-internal": boolean }[];
  tags: { name: string; description: string }[];
  paths: Paths;
  webhooks: Paths;
  components: Components;
};

export function isRef(part: object): part is Ref {
  return "$ref" in part;
}
