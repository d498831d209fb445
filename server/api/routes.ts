// Builds the table of REST routes from the procedures' `openapi` meta: exact paths, literals before parameters.
import type { AnyTRPCRouter } from "@trpc/server";
import type { Meta } from "../procedures/procedures.ts";

/** JSON bodies, unless a procedure's meta says otherwise. */
const MAX_BODY_BYTES = 1_048_576;
/** JSON bodies of procedures that need no key. */
export const OPEN_BODY_BYTES = 16_384;
const PARAMETER = /\{(\w+)\}/g;

export type RestMeta = Meta & { openapi: NonNullable<Meta["openapi"]> };

export type Route = {
  /** The path as declared: `/v1/inboxes/{addr}`. */
  pattern: string;
  takesBody: boolean;
  needsKey: boolean;
  maxBodyBytes: number;
  /** The path with names in place of its parameters. */
  fill(names: string[]): string;
};

/** The meta of every procedure, by its tRPC path (`inboxes.create`). */
export function procedureMetas(router: AnyTRPCRouter): Map<string, Meta> {
  // The record is flat at run time, unlike its type.
  const procedures = router._def.procedures as Record<string, { _def: { meta?: Meta } }>;
  return new Map(Object.entries(procedures).map(([path, { _def }]) => [path, _def.meta ?? {}]));
}

/** The meta of every REST procedure, by its tRPC path. */
export function restMetas(router: AnyTRPCRouter): Map<string, RestMeta> {
  return new Map(
    [...procedureMetas(router)].flatMap(([path, meta]) =>
      meta.openapi ? [[path, { ...meta, openapi: meta.openapi }]] : [],
    ),
  );
}

/** The largest body of the procedure, in octets. */
export function bodyLimit({ open, maxBodyBytes }: Meta = {}): number {
  return open ? OPEN_BODY_BYTES : (maxBodyBytes ?? MAX_BODY_BYTES);
}

export type FindRoute = (path: string) => { methods: Map<string, Route>; names: string[] } | undefined;

/**
 * `find(path)` → the methods of that path and its raw (still encoded) parameters; undefined if there is no such path.
 */
export function routeTable(router: AnyTRPCRouter): FindRoute {
  const paths = new Map<string, Map<string, Route>>();
  for (const meta of restMetas(router).values()) {
    const { method, path, protect = true } = meta.openapi;
    const methods = paths.get(path) ?? new Map<string, Route>();
    methods.set(method, {
      pattern: path,
      takesBody: method !== "GET" && method !== "DELETE",
      needsKey: protect,
      maxBodyBytes: bodyLimit(meta),
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
