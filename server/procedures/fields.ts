// Checks the fields of an input before its schema reads it: refuses unknown ones, and leaves out optional ones that are null.
import { safeParse, type z } from "zod";
import type { Issue } from "../base/errors/body.ts";
import { ERRORS } from "../base/errors/table.ts";
import { ServiceError } from "../base/errors.ts";
import { version } from "../base/version.ts";
import { issueOf } from "./errors.ts";
import { hintFor } from "./near-names.ts";

/** The most problems with fields in an answer. */
export const MAX_ISSUES = 100;
/** Of an unknown name, as much as an answer shows. */
const SHOWN_CHARS = 100;

type Def = z.core.$ZodTypes["_zod"]["def"];
type Walk = { issues: Issue[]; path: (string | number)[] };

/**
 * The input without the nulls of optional fields.
 * @param ignoresUnknown whether unknown fields pass; the schema drops them
 * @throws ServiceError `unknown_field`
 */
export function checkFields(schema: z.core.$ZodType, input: unknown, ignoresUnknown = false): unknown {
  const issues: Issue[] = [];
  const checked = walk(schema, input, { issues, path: [] });
  if (!ignoresUnknown && issues.length > 0)
    refuseUnknown([...issues, ...problemsOf(schema, checked)].slice(0, MAX_ISSUES));
  return checked;
}

/** What the schema refuses too, so that one answer names everything. */
function problemsOf(schema: z.core.$ZodType, checked: unknown): Issue[] {
  return (safeParse(schema, checked).error?.issues ?? []).map(issueOf);
}

/** @throws ServiceError `unknown_field` if there are any */
export function refuseUnknown(issues: Issue[]): void {
  const [first] = issues;
  if (!first) return;
  throw new ServiceError("unknown_field", `${first.path}: ${first.message}`, {
    issues,
    fix: `${ERRORS.unknown_field.fix} This service has version ${version}: a newer client may know more fields.`,
  });
}

/** @param known the names that would be accepted in its place */
export function unknownField(name: string, known: string[], path: (string | number)[] = []): Issue {
  return { path: [...path, name.slice(0, SHOWN_CHARS)].join("."), message: `unknown field${hintFor(name, known)}` };
}

function walk(schema: z.core.$ZodType, value: unknown, { issues, path }: Walk): unknown {
  if (typeof value !== "object" || value === null) return value;
  const defs = plainDefs(schema);
  if (Array.isArray(value)) {
    const list = defs.find((def) => def.type === "array");
    return list ? value.map((each, i) => walk(list.element, each, { issues, path: [...path, i] })) : value;
  }
  const objects = defs.filter((def) => def.type === "object" && !def.catchall);
  if (objects.length === 0) return value;
  return walkObject(Object.assign({}, ...objects.map(shapeOf)), value, { issues, path });
}

function walkObject(shape: z.core.$ZodShape, value: object, { issues, path }: Walk): object {
  const kept: [string, unknown][] = [];
  for (const [name, each] of Object.entries(value)) {
    const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (field) {
      if (each !== null || !ignoresNull(field)) kept.push([name, walk(field, each, { issues, path: [...path, name] })]);
    } else if (issues.length < MAX_ISSUES) issues.push(unknownField(name, Object.keys(shape), path));
  }
  return Object.fromEntries(kept);
}

/** Whether null in the field equals leaving it out: it is optional, and null says nothing else. */
function ignoresNull(field: z.core.$ZodType): boolean {
  return field._zod.optin !== undefined && !plainDefs(field).some(({ type }) => type === "null" || type === "any");
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
