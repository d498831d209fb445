// Requests made from the OpenAPI document, as fast-check arbitraries: mostly of the documented form, often not quite.
import fc from "fast-check";
import { type Document, type Operation, resolved, type Schema } from "#test/support/api.ts";

const NASTY = [
  "",
  " ",
  "\0",
  "\r\nBcc: x@y.example",
  "null",
  "__proto__",
  "constructor",
  "'; --",
  "\ud800",
  "𝕏",
  "%00",
  "../..",
  "-1",
  "1e400",
  "<a@b.example>",
  "x@y",
  "https://",
  "http://[::1]/",
  "a".repeat(1_000),
];
const SOMEWHERE = ["mail.example", "friend@else.example", "A B <a.b@else.example>", "https://agent.example/x"];
const ODD_WEIGHT = 1;
const PLAIN_WEIGHT = 6;
const MAX_ITEMS = 3;
const MAX_OPTIONAL = 2;
/** Made once: fast-check takes milliseconds to make each of them from its pattern. */
const WORDS = fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/);
const ESCAPES = fc.stringMatching(/^(%[0-9a-fA-F]{2}|%|[!-"$->@-~]){1,12}$/).filter((text) => !/[/]/.test(text));

/** Names and ids of things that exist: anywhere, and what fits which field. */
export type Known = { anywhere: string[]; fields: Record<string, (string | number)[]> };
/** The part with what it names in `components` in the place of the names. No schema of the interface contains itself. */
export function inlined<Part>(document: Document, part: Part): Part {
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline);
    if (value === null || typeof value !== "object") return value;
    const whole = resolved<object>(document, value);
    if (whole !== value) return inline({ ...whole, ...value, $ref: undefined });
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inline(each)]));
  };
  return inline(part) as Part;
}

export type Generated = { path: string; query: string; json: unknown; body: string | undefined };

function strings(schema: Schema, known: Known): fc.Arbitrary<string> {
  const max = Math.min(Number(schema.maxLength ?? 60), 60);
  const { examples = [] } = schema as { examples?: string[] };
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...SOMEWHERE, ...examples) },
    { weight: 1, arbitrary: fc.constantFrom(...SOMEWHERE, ...known.anywhere) },
    { weight: 2, arbitrary: WORDS },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: max }) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: max }) },
    { weight: 1, arbitrary: fc.constantFrom(...NASTY) },
  );
}

/** A value of the documented form; one in a few is any JSON at all. */
function values(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const plain = plainValues(schema, known);
  return fc.oneof({ weight: PLAIN_WEIGHT, arbitrary: plain }, { weight: ODD_WEIGHT, arbitrary: fc.jsonValue() });
}

function plainValues(schema: Schema, known: Known): fc.Arbitrary<unknown> {
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (options) return fc.oneof(...options.map((option) => values(option, known)));
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...(schema.enum as unknown[]));
  if (schema.contentEncoding === "base64" || schema.format === "base64") {
    return fc.oneof(fc.base64String({ maxLength: 200 }), fc.string({ maxLength: 20 }));
  }
  if (Array.isArray(schema.type)) {
    return fc.oneof(...schema.type.map((type: string) => plainValues({ ...schema, type }, known)));
  }
  if (schema.type === "string") return strings(schema, known);
  if (schema.type === "integer" || schema.type === "number") return fc.oneof(fc.integer(), fc.double());
  if (schema.type === "boolean") return fc.boolean();
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "array") return fc.array(values((schema.items ?? {}) as Schema, known), { maxLength: MAX_ITEMS });
  if (schema.type === "object") return objects(schema, known);
  return fc.jsonValue();
}

function objects(schema: Schema, known: Known): fc.Arbitrary<object> {
  const properties = Object.entries(schema.properties ?? {});
  const required = (schema.required ?? []) as string[];
  const field = ([name, of]: [string, Schema]): [string, fc.Arbitrary<unknown>] => {
    const fitting = known.fields[name];
    return [name, fitting ? fc.oneof(fc.constantFrom(...fitting), values(of, known)) : values(of, known)];
  };
  const some = (from: [string, Schema][], options: { minLength?: number; maxLength?: number }) =>
    fc
      .subarray(from, options)
      .chain((chosen) => fc.record(Object.fromEntries(chosen.map(field)), { noNullPrototype: true }));
  const needed = properties.filter(([name]) => required.includes(name));
  const optional = properties.filter(([name]) => !required.includes(name));
  // Mostly with what is required and little else, or hardly any request would get past the first check.
  const complete = fc.tuple(
    some(needed, { minLength: needed.length }),
    some(optional, { maxLength: Math.min(optional.length, MAX_OPTIONAL) }),
  );
  const anything = fc.tuple(some(needed, {}), some(optional, {}));
  const rest = schema.additionalProperties;
  const named = typeof rest === "object" ? values(rest as Schema, known) : fc.jsonValue();
  const others = fc.dictionary(strings({}, known), named, { maxKeys: MAX_ITEMS, noNullPrototype: true });
  return fc
    .tuple(
      fc.oneof({ weight: PLAIN_WEIGHT, arbitrary: complete }, { weight: ODD_WEIGHT, arbitrary: anything }),
      typeof rest === "object" ? others : fc.oneof({ weight: PLAIN_WEIGHT, arbitrary: fc.constant({}) }, others),
    )
    .map(([parts, more]) => Object.assign({}, ...parts, more));
}

const wellFormed = (text: string) => encodeURIComponent(text.toWellFormed());

/**
 * @param names what exists and can stand for the first parameter of the path; invented names are used too
 * @param inner the same for the parameters behind it, by their names
 */
export function requests(
  path: string,
  operation: Operation,
  { names, inner, known }: { names: string[]; inner: Record<string, string[]>; known: Known },
): fc.Arbitrary<Generated> {
  const { parameters = [], requestBody } = operation;
  const inPath = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...names).map(wellFormed) },
    { weight: 2, arbitrary: strings({}, known).map((text) => wellFormed(text) || "x") },
    { weight: 1, arbitrary: ESCAPES },
  );
  const filled = inPath.map((name) =>
    path.replace(/\{\w+\}/, () => name).replace(/\{(\w+)\}/g, (_, parameter: string) => inner[parameter]?.[0] ?? "x"),
  );
  const declared = parameters.filter((parameter) => parameter.in === "query");
  const anyValue = fc.oneof(fc.integer({ min: -5, max: 120 }).map(String), strings({}, known));
  const fitting = (name: string) => fc.constantFrom(...((known.fields[name] ?? [""]) as string[]));
  const pair = fc
    .oneof(
      { weight: 4, arbitrary: fc.constantFrom("limit", "cursor", ...declared.map(({ name }) => name)) },
      strings({}, known),
    )
    .chain((name) =>
      fc.tuple(fc.constant(name), Object.hasOwn(known.fields, name) ? fc.oneof(fitting(name), anyValue) : anyValue),
    );
  const needed = declared
    .filter(({ required }) => required)
    .map(({ name }) => fc.tuple(fc.constant(name), fitting(name)));
  const pairs = fc.oneof(fc.array(pair, { maxLength: 3 }), fc.tuple(...needed));
  const query = pairs.map((all) => all.map(([name, value]) => `${wellFormed(name)}=${wellFormed(value)}`).join("&"));
  const schema = requestBody?.content["application/json"]?.schema;
  const json = schema
    ? fc.oneof({ weight: 12, arbitrary: objects(schema, known) }, { weight: 1, arbitrary: fc.jsonValue() })
    : fc.constant(undefined);
  const body = requestBody && !schema ? fc.string() : fc.constant(undefined);
  return fc.record({ path: filled, query, json, body });
}
