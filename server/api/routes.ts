// Builds the table of REST routes from the procedures' `openapi` meta: exact paths, literals before parameters.
import type { AnyTRPCRouter } from "@trpc/server";
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
