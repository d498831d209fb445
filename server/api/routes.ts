// Builds the table of REST routes from the procedures' `openapi` meta: exact paths, literals before parameters.
import type { AnyTRPCRouter } from "@trpc/server";
import { bodyLimit, inputSchemas, restMetas } from "../procedures/meta.ts";

const PARAMETER = /\{(\w+)\}/g;

export type Route = {
  /** The path as declared: `/v1/inboxes/{addr}`. */
  pattern: string;
  takesBody: boolean;
  needsKey: boolean;
  maxBodyBytes: number;
  /** The fields of the input. */
  fields: string[];
  ignoresUnknown: boolean;
  /** The path with names in place of its parameters. */
  fill(names: string[]): string;
};

export type FindRoute = (path: string) => { methods: Map<string, Route>; names: string[] } | undefined;

/**
 * `find(path)` → the methods of that path and its raw (still encoded) parameters; undefined if there is no such path.
 */
export function routeTable(router: AnyTRPCRouter): FindRoute {
  const paths = new Map<string, Map<string, Route>>();
  const inputs = inputSchemas(router);
  for (const [name, meta] of restMetas(router)) {
    const { method, path, protect = true } = meta.openapi;
    const methods = paths.get(path) ?? new Map<string, Route>();
    methods.set(method, {
      pattern: path,
      takesBody: method !== "GET" && method !== "DELETE",
      needsKey: protect,
      maxBodyBytes: bodyLimit(meta),
      fields: Object.keys(inputs.get(name)?._zod.def.shape ?? {}),
      ignoresUnknown: Boolean(meta.ignoresUnknown),
      fill: (names) => {
        let next = 0;
        return path.replace(PARAMETER, () => names[next++] ?? "");
      },
    });
    paths.set(path, methods);
  }
  const byLiteralsFirst = [...paths].sort(([a], [b]) => parameterCount(a) - parameterCount(b));
  const table = byLiteralsFirst.map(([path, methods]) => ({
    expression: new RegExp(`^${path.replace(PARAMETER, "([^/]+)")}$`),
    methods,
  }));
  return (path) => {
    for (const { expression, methods } of table) {
      const match = expression.exec(path);
      if (match) return { methods, names: match.slice(1) };
    }
    return;
  };
}

function parameterCount(path: string): number {
  return path.match(PARAMETER)?.length ?? 0;
}
