// Builds the table of REST routes from the procedures' `openapi` meta: exact paths, literals before parameters.
import type { AnyTRPCRouter } from "@trpc/server";
import leven from "leven";
import { instanceofZodTypeKind, unwrapZodType } from "trpc-to-openapi";
import type { z } from "zod";
import {
  bodyLimit,
  inputSchemas,
  procedureTypes,
  type RestMeta,
  restMetas,
  withoutDryRun,
} from "../procedures/meta.ts";

const PARAMETER = /\{(\w+)\}/g;

export type Route = {
  /** The tRPC path: `inboxes.get`. */
  procedure: string;
  type: "query" | "mutation";
  /** Of the success answer. */
  status: number;
  /** The path as declared: `/v1/inboxes/{addr}`. */
  pattern: string;
  takesBody: boolean;
  needsKey: boolean;
  maxBodyBytes: number;
  /** The fields of the input that are in the path, in its order. */
  pathFields: string[];
  /** The other fields of the input: they are in the query or the body. */
  fields: string[];
  /** Those of them that are numbers. */
  numbers: string[];
  ignoresUnknown: boolean;
};

/** `isDryRun`: the path is that of a dry run, which callers name otherwise. */
type Found = { methods: Map<string, Route>; isDryRun: boolean; names: string[] };
export type FindRoute = (path: string) => Found | undefined;

/**
 * `find(path)` → the methods of that path and its raw (still encoded) parameters; undefined if there is no such path.
 */
export function routeTable(router: AnyTRPCRouter): FindRoute {
  const paths = new Map<string, Map<string, Route>>();
  const inputs = inputSchemas(router);
  const types = procedureTypes(router);
  for (const [procedure, meta] of restMetas(router)) {
    const { method, path } = meta.openapi;
    const methods = paths.get(path) ?? new Map<string, Route>();
    const shape = inputs.get(procedure)?._zod.def.shape ?? {};
    methods.set(method, { procedure, type: types.get(procedure) ?? "query", ...routeOf(meta, shape) });
    paths.set(path, methods);
  }
  const byLiteralsFirst = [...paths].sort(([a], [b]) => parameterCount(a) - parameterCount(b));
  const table = byLiteralsFirst.map(([path, methods]) => ({
    depth: depthOf(path),
    expression: new RegExp(`^${path.replace(PARAMETER, "([^/]+)")}$`),
    methods,
    isDryRun: withoutDryRun(path) !== undefined,
  }));
  const byDepth = Map.groupBy(table, ({ depth }) => depth);
  return (path) => {
    for (const { expression, methods, isDryRun } of byDepth.get(depthOf(path)) ?? []) {
      const match = expression.exec(path);
      if (match) return { methods, isDryRun, names: match.slice(1) };
    }
    return;
  };
}

/** A longer path has no near path: the distance of two texts costs time in proportion to both lengths. */
const NEAR_CHARS = 120;
/** Edits between a path and its near path: a third of its words may be wrong. */
const EDITS_PER_CHAR = 1 / 3;

/** The declared path that is most like a path that does not exist, with its methods: `GET, POST /v1/webhooks`. */
export function nearestPath(router: AnyTRPCRouter, path: string): string | undefined {
  if (path.length > NEAR_CHARS) return;
  const methods = Map.groupBy(restMetas(router).values(), ({ openapi }) => openapi.path);
  const near = [...methods.keys()]
    .filter((declared) => withoutDryRun(declared) === undefined)
    .map((declared) => ({ declared, edits: editsBetween(declared, path) }))
    .sort((a, b) => a.edits - b.edits)[0];
  if (!near || near.edits > path.length * EDITS_PER_CHAR) return;
  return `${(methods.get(near.declared) ?? [])
    .map(({ openapi }) => openapi.method)
    .sort()
    .join(", ")} ${near.declared}`;
}

/** A parameter is like every value. Missing and further parts count with their length. */
function editsBetween(declared: string, path: string): number {
  const [ours, theirs] = [declared.split("/"), path.replace(/\/$/, "").split("/")];
  const parts = Array.from({ length: Math.max(ours.length, theirs.length) }, (_, i) => {
    const [our = "", their = ""] = [ours[i], theirs[i]];
    return our.startsWith("{") && their !== "" ? 0 : leven(our, their);
  });
  return parts.reduce((sum, edits) => sum + edits, 0);
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function routeOf(meta: RestMeta, shape: z.core.$ZodShape): Omit<Route, "procedure" | "type"> {
  const { method, path, protect = true } = meta.openapi;
  const pathFields = [...path.matchAll(PARAMETER)].map(([, name = ""]) => name);
  const fields = Object.keys(shape).filter((name) => !pathFields.includes(name));
  return {
    status: meta.status ?? 200,
    pattern: path,
    takesBody: method !== "GET" && method !== "DELETE",
    needsKey: protect,
    maxBodyBytes: bodyLimit(meta),
    pathFields,
    fields,
    numbers: fields.filter((name) => isNumber(shape[name])),
    ignoresUnknown: Boolean(meta.ignoresUnknown),
  };
}

/** As the document describes the field. */
function isNumber(field: z.core.$ZodType | undefined): boolean {
  return instanceofZodTypeKind(unwrapZodType(field as z.ZodType, false), "number");
}

function parameterCount(path: string): number {
  return path.match(PARAMETER)?.length ?? 0;
}
