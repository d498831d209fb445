// Builds the reference from the OpenAPI document: resources with their operations, webhook events, and errors.
import { type Field, fieldOf, fieldsOf } from "./fields.ts";
import { follow, type Json, type JsonObject, listAt, objectAt, textAt } from "./json.ts";

export type Answer = { status: string; description: string; fields: Field[]; example: string };
type Parameter = Field & { where: string; example: string };
export type Operation = {
  id: string;
  /** `EVENT` for a webhook, whose path is the name of the event. */
  method: string;
  path: string;
  summary: string;
  description: string;
  needsKey: boolean;
  parameters: Parameter[];
  /** `isFile`: the body is a file, and not JSON. */
  body: { fields: Field[]; example: string; isFile: boolean } | null;
  answers: Answer[];
};
export type Resource = { name: string; description: string; operations: Operation[] };
export type ErrorCode = { code: string; status: string; fix: string };
export type Reference = {
  resources: Resource[];
  errors: ErrorCode[];
  /** More base paths for the same calls. */
  otherBases: { url: string; description: string }[];
};

/** What a new user needs, in this order; the other resources follow in the document's order. */
const FIRST = ["enrollment", "inboxes", "messages", "threads", "verifications", "webhooks"];

const JSON_TYPE = "application/json";
export const EVENT = "EVENT";
/** One line of the description of an error answer. */
export const CODE_LINE = /^`(\w+)`: (.+)$/gm;

/** The visitor may use another name than PUBLIC_URL, and the page's policy allows calls only to its own origin. */
function here(url: string): string {
  const { pathname } = new URL(url, window.location.origin);
  return window.location.origin + pathname.replace(/\/$/, "");
}

function exampleOf(document: JsonObject, media: JsonObject): string {
  const schema = follow(document, media.schema);
  const shown = media.example ?? schema.example ?? listAt(schema, "examples")[0];
  return shown === undefined ? "" : JSON.stringify(shown, null, 2);
}

function mediaOf(content: JsonObject): JsonObject {
  return objectAt(content[JSON_TYPE] ?? Object.values(content)[0]);
}

function parameterOf(document: JsonObject, node: Json): Parameter {
  const parameter = follow(document, node);
  const { name, schema = null, required, example } = parameter;
  const field = fieldOf(document, { name: String(name), value: schema, required: required === true });
  const shown = example ?? listAt(follow(document, schema), "examples")[0] ?? follow(document, schema).example;
  return {
    ...field,
    description: textAt(parameter, "description") || field.description,
    where: textAt(parameter, "in"),
    example: shown === undefined || shown === null ? "" : String(shown),
  };
}

function answerOf(document: JsonObject, status: string, node: Json): Answer {
  const answer = follow(document, node);
  const media = mediaOf(objectAt(answer, "content"));
  return {
    status,
    description: textAt(answer, "description"),
    fields: fieldsOf(document, media.schema),
    example: exampleOf(document, media),
  };
}

function operationOf(document: JsonObject, method: string, path: string, node: Json): Operation {
  const operation = objectAt(node);
  const content = objectAt(follow(document, operation.requestBody), "content");
  const body = mediaOf(content);
  return {
    id: textAt(operation, "operationId"),
    method,
    path,
    summary: textAt(operation, "summary"),
    description: textAt(operation, "description"),
    needsKey: method !== EVENT && listAt(operation, "security").length > 0,
    parameters: listAt(operation, "parameters").map((parameter) => parameterOf(document, parameter)),
    body:
      body.schema === undefined
        ? null
        : {
            fields: fieldsOf(document, body.schema),
            example: exampleOf(document, body),
            isFile: content[JSON_TYPE] === undefined,
          },
    answers: Object.entries(objectAt(operation, "responses")).map(([status, answer]) =>
      answerOf(document, status, answer),
    ),
  };
}

function errorsOf(operations: Operation[]): ErrorCode[] {
  const answers = operations.flatMap((operation) => operation.answers);
  const codes = answers.flatMap(({ status, description }) =>
    [...description.matchAll(CODE_LINE)].map(([, code = "", fix = ""]) => ({ code, status, fix })),
  );
  const unique = new Map(codes.map((error) => [error.code, error]));
  return [...unique.values()].sort((a, b) => a.status.localeCompare(b.status) || a.code.localeCompare(b.code));
}

export function buildReference(document: JsonObject): Reference {
  const named = Object.entries(objectAt(document, "paths")).flatMap(([path, methods]) =>
    Object.entries(objectAt(methods)).map(([method, node]) => ({
      tags: listAt(objectAt(node), "tags"),
      operation: operationOf(document, method.toUpperCase(), path, node),
    })),
  );
  const place = ({ name }: Resource) => FIRST.indexOf(name) + 1 || FIRST.length + 1;
  const tagged = listAt(document, "tags").map((tag) => {
    const name = textAt(objectAt(tag), "name");
    const operations = named.filter(({ tags }) => tags.includes(name)).map(({ operation }) => operation);
    return { name, description: textAt(objectAt(tag), "description"), operations };
  });
  const events = Object.entries(objectAt(document, "webhooks")).map(([name, methods]) =>
    operationOf(document, EVENT, name, objectAt(methods, "post")),
  );
  const description = "What the service posts to your endpoints: headers, body, and how to verify it.";
  const [, ...others] = listAt(document, "servers").map((server) => objectAt(server));
  return {
    resources: [
      ...tagged.toSorted((a, b) => place(a) - place(b)),
      { name: "events to webhooks", description, operations: events },
    ],
    errors: errorsOf(named.map(({ operation }) => operation)),
    otherBases: others.map((server) => ({
      url: here(textAt(server, "url")),
      description: textAt(server, "description"),
    })),
  };
}
