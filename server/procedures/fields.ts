// Checks the fields of an input before its schema reads it: refuses unknown ones, leaves out optional ones that are null, and reads
// numbers, booleans and lists that are written as text, as models and query strings write them.
import { safeParse, type z } from "zod";
import { ISSUES_MAX, type Issue } from "../base/errors/body.ts";
import { ERRORS } from "../base/errors/table.ts";
import { ServiceError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { issueOf } from "./issues.ts";
import { hintFor } from "./near-names.ts";

/** Of an unknown name, as much as an answer shows. */
const SHOWN_CHARS = 100;

type Def = z.core.$ZodTypes["_zod"]["def"];
/** `taken`: the fields that are known where the first unknown one is. */
type Found = { issues: Issue[]; taken: string[] };
type Walk = { found: Found; path: (string | number)[]; inPath: string[] };

/** Further names of fields, which calls take that do not use them for something else. `beside`: only in calls with this field. */
const ALSO: { name: string; field: string; beside?: string }[] = [
  { name: "inbox", field: "addr" },
  { name: "addr", field: "inbox" },
  { name: "inbox", field: "address", beside: "events" },
  { name: "cursor", field: "after" },
];
/** The name that hints use for a field. */
const SHOWN: Record<string, string> = { addr: "inbox" };

export type Checks = {
  /** Whether unknown fields pass; the schema drops them. */
  ignoresUnknown?: boolean | undefined;
  /** The fields that the path of the request has. */
  inPath?: string[] | undefined;
};

/**
 * The input in the types of its fields, without the nulls of optional fields.
 * @throws ServiceError `unknown_field`
 */
export function checkFields(schema: z.core.$ZodType, input: unknown, { ignoresUnknown, inPath = [] }: Checks): unknown {
  const found: Found = { issues: [], taken: [] };
  const checked = walk(schema, input, { found, path: [], inPath });
  if (!ignoresUnknown && found.issues.length > 0)
    refuseUnknown([...found.issues, ...problemsOf(schema, checked)].slice(0, ISSUES_MAX), found.taken);
  return checked;
}

/** What the schema refuses too, so that one answer names everything. */
function problemsOf(schema: z.core.$ZodType, checked: unknown): Issue[] {
  return (safeParse(schema, checked).error?.issues ?? []).map((issue) => issueOf(issue, checked));
}

/**
 * @param known the names that would be accepted in their place
 * @throws ServiceError `unknown_field` if there are any
 */
export function refuseUnknown(issues: Issue[], known: string[]): void {
  const [first] = issues;
  if (!first) return;
  const takes = known.length > 0 ? `It takes ${known.slice(0, ISSUES_MAX).join(", ")}.` : "It takes no fields.";
  const fix = `${ERRORS.unknown_field.fix} ${takes} This service has version ${version}: a newer client may know more fields.`;
  throw new ServiceError("unknown_field", `${first.path}: ${first.message}`, { issues, fix });
}

/** @param known the names that would be accepted in its place */
export function unknownField(name: string, known: string[], { path = [], inPath }: Partial<Walk> = {}): Issue {
  const ofPath = path.length > 0 ? [] : inPath?.map((each) => SHOWN[each] ?? each);
  const message = `unknown field${hintFor(name, known, ofPath)}`;
  return { path: [...path, name.slice(0, SHOWN_CHARS)].join("."), message };
}

/** The fields of an object that callers name, without those of the path of the request. */
function knownNames(shape: z.core.$ZodShape, { path, inPath }: Pick<Walk, "path" | "inPath">): string[] {
  const names = Object.keys(shape).filter((name) => path.length > 0 || !inPath.includes(name));
  return names.map((name) => SHOWN[name] ?? name);
}

function walk(schema: z.core.$ZodType, given: unknown, at: Walk): unknown {
  const value = typeof given === "string" ? readText(schema, given) : given;
  if (typeof value !== "object" || value === null) return value;
  const defs = plainDefs(schema);
  if (Array.isArray(value)) {
    const list = defs.find((def) => def.type === "array");
    return list ? value.map((each, i) => walk(list.element, each, { ...at, path: [...at.path, i] })) : value;
  }
  const objects = defs.filter((def) => def.type === "object" && !def.catchall);
  if (objects.length === 0) return value;
  return walkObject(Object.assign({}, ...objects.map(shapeOf)), value, at);
}

function walkObject(shape: z.core.$ZodShape, value: object, at: Walk): object {
  const { found, path } = at;
  const kept: [string, unknown][] = [];
  for (const [given, each] of Object.entries(value)) {
    const name = path.length === 0 ? fieldNamed(given, shape, value) : given;
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!field) {
      const known = knownNames(shape, at);
      if (found.issues.length === 0) found.taken = known;
      if (found.issues.length < ISSUES_MAX) {
        const issue = unknownField(given, known, at);
        found.issues.push(isWrapper(each, known) ? { ...issue, message: WRAPPED } : issue);
      }
    } else if (!isAbsent(field, each)) kept.push([name, walk(field, each, { ...at, path: [...path, name] })]);
  }
  return Object.fromEntries(kept);
}

const WRAPPED = "unknown field; write its fields without it";

/** Whether an unknown field holds fields of the call: `{"message": {"to": …}}`. */
function isWrapper(value: unknown, known: string[]): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return known.some((name) => Object.hasOwn(value, name));
}

/** The field that a name stands for. A field that is given twice is refused by its further name. */
function fieldNamed(given: string, shape: z.core.$ZodShape, value: object): string {
  if (Object.hasOwn(shape, given)) return given;
  const also = ALSO.find(({ name, field, beside = field }) => {
    return (
      name === given && Object.hasOwn(shape, field) && Object.hasOwn(shape, beside) && !Object.hasOwn(value, field)
    );
  });
  return also?.field ?? given;
}

/** Whether the value equals leaving the optional field out: null, or an empty text where a list is meant, if they say nothing else. */
function isAbsent(field: z.core.$ZodType, value: unknown): boolean {
  if ((value !== null && value !== "") || field._zod.optin === undefined) return false;
  const defs = plainDefs(field);
  if (value === null) return !defs.some(({ type }) => type === "null" || type === "any");
  return (
    defs.some(({ type }) => type === "array") && !defs.some((def) => def.type === "literal" && def.values.includes(""))
  );
}

/** A longer text is no list. */
const LIST_CHARS = 20_000;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;
const LIST = '["';
/** Where a list of objects, or an object, is meant. */
const OBJECTS = /^(?:\[\s*)?\{/;
const BOOLEAN = /^(true|false)$/i;

/**
 * The number, boolean, list or object that a text says in a field that takes one of these and no text; any other text as it is.
 * A list is written with commas, or in JSON, also where the field takes a text too: no recipient begins with `["`.
 */
function readText(field: z.core.$ZodType, text: string): unknown {
  const defs = plainDefs(field);
  const list = defs.find((def) => def.type === "array");
  if (list && text.length <= LIST_CHARS && text.startsWith(LIST)) return readJson(text);
  if (defs.some(takesText)) return text;
  const isOfObjects = defs.some(({ type }) => type === "array" || type === "object" || type === "record");
  if (isOfObjects && text.length <= LIST_CHARS && OBJECTS.test(text)) return readJson(text);
  if (NUMBER.test(text) && defs.some(({ type }) => type === "number")) return Number(text);
  if (BOOLEAN.test(text) && defs.some(takesTrue)) return text.toLowerCase() === "true";
  const isListOfTexts = list && text.length <= LIST_CHARS && plainDefs(list.element).some(takesText);
  return isListOfTexts ? text.split(",").map((each) => each.trim()) : text;
}

function takesText(def: Def): boolean {
  return def.type === "string" || def.type === "enum" || def.type === "any" || def.type === "unknown";
}

function takesTrue(def: Def): boolean {
  return def.type === "boolean" || (def.type === "literal" && def.values.includes(true));
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // the schema refuses it
  }
}

function shapeOf(def: Def): z.core.$ZodShape {
  return def.type === "object" ? def.shape : {};
}

/** The schemas behind optional, default, pipes and unions. Null is one of them behind `nullable`. */
function plainDefs(schema: z.core.$ZodType): Def[] {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return plainDefs(def.innerType);
    case "nullable":
      return [{ type: "null" }, ...plainDefs(def.innerType)];
    case "pipe":
      return plainDefs(def.in._zod.def.type === "transform" ? def.out : def.in);
    case "union":
      return def.options.flatMap(plainDefs);
    default:
      return [def];
  }
}
