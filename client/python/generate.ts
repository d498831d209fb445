// Writes the generated files of the Python package from the OpenAPI document: `node client/python/generate.ts`.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const DOCUMENT = join(import.meta.dirname, "../../test/api/openapi/openapi.json");
const HEAD = "# Generated from the OpenAPI document by generate.ts. Do not edit.";
const KEYWORDS = new Set(["from", "import", "class", "pass", "global", "is", "in", "not", "or", "and", "with", "as"]);
const METHODS = ["get", "post", "put", "patch", "delete"] as const;
const SCALARS: Record<string, string> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};
/** Their names would be those of other methods. */
const WHOLE_NAMES = new Set(["updateMessages"]);

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
  description?: string;
};
type Parameter = { $ref?: string; name: string; in: "path" | "query" | "header"; required?: boolean; schema: Schema };
type Content = Record<string, { schema: Schema }>;
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
type Document = {
  paths: Record<string, Partial<Record<(typeof METHODS)[number], Operation>>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};

/** The generated files by their path in the package: all answers as `TypedDict`, and a method for each operation. */
export async function generatePython(): Promise<Record<string, string>> {
  const document: Document = JSON.parse(await readFile(DOCUMENT, "utf8"));
  const models = new Map<string, string>();
  for (const [name, schema] of Object.entries(document.components.schemas)) addModel(models, name, schema);
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation ? [readOperation(document, models, method, path, operation)] : [];
    }),
  );
  const names = operations.map(({ noun, name }) => `${noun}.${name}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`Two operations would be ${twice}: name one of them in WHOLE_NAMES.`);
  const nouns = [...new Set(operations.map(({ noun }) => noun))];
  const calls = [false, true].flatMap((isAsync) => [
    ...nouns.map((noun) => resource(noun, isAsync, operations)),
    allResources(nouns, isAsync),
  ]);
  return {
    "mailberth/models.py": `${HEAD}
"""The answers and the structured inputs of the API. The reference describes each field."""
from __future__ import annotations

import sys
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

${[...models.values()].join("\n\n")}
`,
    "mailberth/calls.py": `${HEAD}
"""A method for each operation of the API, once for each of the two clients."""
from __future__ import annotations

from typing import Any, AsyncIterator, Dict, Iterator, List, Literal, Optional, Union

from . import models
from .core import AsyncCaller, Call, Caller, new_key, segment

${calls.join("\n\n")}
`,
  };
}

/** How a name of a model is written: in a class, in an expression, or in another module. */
type Naming = (name: string) => string;
const plain: Naming = (name) => name;
const quoted: Naming = (name) => `"${name}"`;
const inModels: Naming = (name) => `models.${name}`;

/** Adds the class of a schema, and returns its name. Objects within it get names of the field: `WaitResultEarlier`. */
function addModel(models: Map<string, string>, name: string, schema: Schema): string {
  const { properties, required = [], description } = schema;
  if (!properties || schema.oneOf) {
    models.set(name, `${name} = ${typeOf(models, name, schema, quoted)}`);
    return name;
  }
  const isExpression = Object.keys(properties).some((field) => KEYWORDS.has(field));
  const fields = Object.entries(properties).map(([field, value]) => {
    const type = typeOf(models, name + pascal(field), value, isExpression ? quoted : plain);
    return { field, type: required.includes(field) ? type : `NotRequired[${type}]` };
  });
  const about = description ? [`    """${description.replaceAll("\\", "\\\\")}"""`] : [];
  const lines = isExpression
    ? [
        `${name} = TypedDict(`,
        `    "${name}",`,
        "    {",
        ...fields.map(({ field, type }) => `        "${field}": ${type},`),
        "    },",
        ")",
      ]
    : [`class ${name}(TypedDict):`, ...about, ...fields.map(({ field, type }) => `    ${field}: ${type}`)];
  models.set(name, lines.join("\n"));
  return name;
}

/** The Python type of a schema; an object within becomes a model named `name`. */
function typeOf(models: Map<string, string>, name: string, schema: Schema, naming: Naming): string {
  if (schema.$ref) return naming(lastOf(schema.$ref));
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return union(options.map((option) => typeOf(models, name, option, naming)));
  if (schema.const !== undefined) return `Literal[${constant(schema.const)}]`;
  return union(
    [schema.type ?? []].flat().map((type) => {
      if (schema.enum && type === "string") return `Literal[${schema.enum.map(constant).join(", ")}]`;
      if (type === "array") return `List[${typeOf(models, name, schema.items ?? {}, naming)}]`;
      if (type !== "object") return SCALARS[type] ?? "Any";
      if (schema.properties) return naming(addModel(models, name, schema));
      const values = schema.additionalProperties;
      return `Dict[str, ${typeof values === "object" ? typeOf(models, name, values, naming) : "Any"}]`;
    }),
  );
}

function union(types: string[]): string {
  const others = [...new Set(types)].filter((type) => type !== "None");
  if (others.length === 0) return types[0] ?? "Any";
  const type = others.length > 1 ? `Union[${others.join(", ")}]` : `${others[0]}`;
  return types.includes("None") ? `Optional[${type}]` : type;
}

type Argument = {
  name: string;
  wire: string;
  type: string;
  required: boolean;
  place: "path" | "query" | "body" | "other";
};
type Method = {
  noun: string;
  name: string;
  about: string;
  verb: string;
  path: string;
  arguments: Argument[];
  /** Python type of the answer, and how it is read. */
  result: string;
  reads: "json" | "text" | "bytes" | "events";
  /** Of a page: the type of its items. */
  items: string | undefined;
  takesKey: boolean;
  takesDryRun: boolean;
};

function readOperation(
  document: Document,
  models: Map<string, string>,
  method: string,
  path: string,
  operation: Operation,
): Method {
  const noun = operation.tags[0] ?? "";
  const parameters = (operation.parameters ?? []).map((parameter) =>
    parameter.$ref ? (document.components.parameters[lastOf(parameter.$ref)] as Parameter) : parameter,
  );
  const content = operation.requestBody?.content ?? {};
  const body = content["application/json"]?.schema;
  const takesKey = parameters.some((parameter) => parameter.name === "Idempotency-Key");
  const argument = (wire: string, schema: Schema, required: boolean, place: Argument["place"]): Argument => ({
    name: KEYWORDS.has(wire) ? `${wire}_` : wire,
    wire,
    type: typeOf(models, pascal(operation.operationId) + pascal(wire), schema, inModels),
    required,
    place,
  });
  const taken = [
    ...parameters
      .filter((parameter) => parameter.in !== "header" && parameter.name !== "dry_run")
      .map(({ name, in: place, schema, required }) =>
        argument(name, schema, required ?? false, place as "path" | "query"),
      ),
    ...Object.entries(body?.properties ?? {})
      .filter(([name]) => !(takesKey && name === "idempotency_key"))
      .map(([name, schema]) => argument(name, schema, body?.required?.includes(name) ?? false, "body")),
    ...(content["*/*"]
      ? [{ name: "content", wire: "content", type: "bytes", required: true, place: "other" as const }]
      : []),
    ...(takesKey ? [{ name: "idempotency_key", wire: "", type: "str", required: false, place: "other" as const }] : []),
  ];
  const takesDryRun = parameters.some((parameter) => parameter.name === "dry_run");
  const answers = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
  const [, answer] = (takesDryRun ? answers.find(([status]) => status !== "200") : answers[0]) ?? [];
  const [[media, { schema }] = ["", { schema: {} as Schema }]] = Object.entries(answer?.content ?? {});
  const reads = READS[media] ?? "bytes";
  return {
    noun,
    name: methodName(operation.operationId, noun),
    about: `${operation.summary}. ${operation.description ?? ""}`.trim(),
    verb: method.toUpperCase(),
    path,
    arguments: taken,
    result: {
      json: schema.$ref ? `models.${lastOf(schema.$ref)}` : "Any",
      text: "str",
      bytes: "bytes",
      events: "models.Event",
    }[reads],
    reads,
    items: schema.$ref ? itemsOf(document, lastOf(schema.$ref)) : undefined,
    takesKey,
    takesDryRun,
  };
}

function itemsOf(document: Document, name: string): string | undefined {
  const { next_cursor, data } = document.components.schemas[name]?.properties ?? {};
  return next_cursor && data?.items?.$ref ? inModels(lastOf(data.items.$ref)) : undefined;
}

const READS: Record<string, Method["reads"]> = {
  "application/json": "json",
  "text/plain": "text",
  "text/event-stream": "events",
};

/** `createInbox` of `inboxes` is `create`, `getStorage` is `get_storage`, `listListEntries` of `lists` is `list_entries`. */
function methodName(operationId: string, noun: string): string {
  const [verb = "", ...words] = operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split("_");
  const one = noun.replace(/xes$/, "x").replace(/s$/, "");
  const rest = WHOLE_NAMES.has(operationId) ? words : words.filter((word) => word !== one && word !== noun);
  return [verb, ...rest].join("_").replace(/^reply_to$/, "reply");
}

function resource(noun: string, isAsync: boolean, operations: Method[]): string {
  const methods = operations
    .filter((operation) => operation.noun === noun)
    .flatMap((operation) => [
      pythonMethod(operation, isAsync),
      ...(operation.takesDryRun ? [dryRun(operation, isAsync)] : []),
      ...(operation.items ? [pageIterator(operation, isAsync)] : []),
    ]);
  return `class ${isAsync ? "Async" : ""}${pascal(noun)}:
    def __init__(self, caller: ${isAsync ? "AsyncCaller" : "Caller"}) -> None:
        self._caller = caller

${methods.join("\n\n")}`;
}

function pythonMethod(method: Method, isAsync: boolean): string {
  if (method.reads === "events") {
    const type = isAsync ? "AsyncIterator" : "Iterator";
    return definition(method, false, `${type}[${method.result}]`, [`return self._caller.stream(${callOf(method)})`]);
  }
  return definition(method, isAsync, method.result, [
    `answer: ${method.result} = ${isAsync ? "await " : ""}self._caller.run(${callOf(method)})`,
    "return answer",
  ]);
}

function dryRun(method: Method, isAsync: boolean): string {
  const about = `Says what would refuse \`${method.name}\` with these arguments. Nothing is stored, sent or counted.`;
  const asked = { ...method, name: `${method.name}_dry_run`, about, takesKey: false };
  asked.arguments = method.arguments.filter(({ name }) => name !== "idempotency_key");
  return definition(asked, isAsync, "models.DryRun", [
    `answer: models.DryRun = ${isAsync ? "await " : ""}self._caller.run(${callOf(asked, ['"dry_run": True'])})`,
    "return answer",
  ]);
}

/** `list` has `iter`, `list_deliveries` has `iter_deliveries`, `search` has `iter_search`. */
function pageIterator(method: Method, isAsync: boolean): string {
  const parameter = method.arguments.some(({ name }) => name === "cursor") ? "cursor" : "after";
  const name = /^list/.test(method.name) ? method.name.replace(/^list/, "iter") : `iter_${method.name}`;
  const about = `Iterates over the items of all pages of \`${method.name}\`.`;
  const type = `${isAsync ? "AsyncIterator" : "Iterator"}[${method.items}]`;
  const iterated = { ...method, name, about, arguments: method.arguments.filter(({ name }) => name !== "cursor") };
  return definition(iterated, false, type, [`return self._caller.pages(${callOf(iterated)}, "${parameter}")`]);
}

function definition(method: Method, isAsync: boolean, result: string, lines: string[]): string {
  const paths = method.arguments.filter(({ place }) => place === "path");
  const others = method.arguments.filter(({ place }) => place !== "path");
  // Python allows required keywords after optional ones; a reader expects them first.
  const named = [...others.filter(({ required }) => required), ...others.filter(({ required }) => !required)].map(
    ({ name, type, required }) =>
      required ? `${name}: ${type}` : `${name}: ${type.startsWith("Optional[") ? type : `Optional[${type}]`} = None`,
  );
  const taken = ["self", ...paths.map(({ name }) => `${name}: str`), ...(named.length > 0 ? ["*", ...named] : [])];
  return `    ${isAsync ? "async " : ""}def ${method.name}(
${taken.map((one) => `        ${one},`).join("\n")}
    ) -> ${result}:
        """${method.about.replaceAll("\\", "\\\\")}"""
${lines.map((line) => `        ${line}`).join("\n")}`;
}

/** The `Call` of an operation, from the arguments of its method. */
function callOf(method: Method, query: string[] = []): string {
  const path = method.path.replace(/\{(\w+)\}/g, "{segment($1)}");
  const pairs = (place: Argument["place"]) =>
    method.arguments.filter((argument) => argument.place === place).map(({ wire, name }) => `"${wire}": ${name}`);
  const asked = [...pairs("query"), ...query];
  const body = pairs("body");
  return `Call(${[
    `"${method.verb}"`,
    `${path === method.path ? "" : "f"}"${path}"`,
    ...(asked.length > 0 ? [`query={${asked.join(", ")}}`] : []),
    ...(body.length > 0 ? [`body={${body.join(", ")}}`] : []),
    ...(method.arguments.some(({ name }) => name === "content") ? ["content=content"] : []),
    ...(method.takesKey ? ["key=idempotency_key or new_key()"] : []),
    ...(method.reads === "json" || method.reads === "events" ? [] : [`reads="${method.reads}"`]),
  ].join(", ")})`;
}

function allResources(nouns: string[], isAsync: boolean): string {
  const prefix = isAsync ? "Async" : "";
  return `class ${prefix}Resources:
    """All operations, by the noun that they belong to."""

    def _connect(self, caller: ${prefix}Caller) -> None:
${nouns.map((noun) => `        self.${noun} = ${prefix}${pascal(noun)}(caller)`).join("\n")}`;
}

const constant = (value: unknown) => JSON.stringify(value).replace(/^[tf]/, (letter) => letter.toUpperCase());
const lastOf = (reference: string) => reference.split("/").at(-1) ?? "";
const pascal = (name: string) => name.replace(/(?:^|_|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

if (import.meta.filename === process.argv[1]) {
  for (const [path, text] of Object.entries(await generatePython()))
    await writeFile(join(import.meta.dirname, path), text);
}
