// The meta of procedures, which the doors and the OpenAPI document read: paths, statuses, limits of bodies.
import type { AnyTRPCRouter } from "@trpc/server";
import type { z } from "zod";
import { checkFields } from "./fields.ts";
import type { Meta, RequestContext } from "./procedures.ts";

/** JSON bodies, unless a procedure's meta says otherwise. */
const MAX_BODY_BYTES = 1_048_576;
/** JSON bodies of procedures that need no key. */
export const OPEN_BODY_BYTES = 16_384;

/** Of a JSON body, beside a file in base64. */
const OTHER_FIELDS_BYTES = 16_384;

export type RestMeta = Meta & { openapi: NonNullable<Meta["openapi"]> };

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

/** Whether a REST procedure reads or changes, by its tRPC path. A subscription is not in REST. */
export function procedureTypes(router: AnyTRPCRouter): Map<string, "query" | "mutation"> {
  const procedures = router._def.procedures as Record<string, { _def: { type: "query" | "mutation" } }>;
  return new Map(Object.entries(procedures).map(([path, { _def }]) => [path, _def.type]));
}

const DRY_RUN_SUFFIX = "/dry-run";

/** Where the table of routes has the dry run of a path. Callers name it with the query `dry_run=true`. */
export function dryRunPath<Path extends string>(path: Path) {
  return `${path}${DRY_RUN_SUFFIX}` as const;
}

/** The path of which this is the dry run, if it is one. */
export function withoutDryRun(path: string): string | undefined {
  return path.endsWith(DRY_RUN_SUFFIX) ? path.slice(0, -DRY_RUN_SUFFIX.length) : undefined;
}

/** The schema of every procedure's input, by its tRPC path. */
export function inputSchemas(router: AnyTRPCRouter): Map<string, z.core.$ZodObject> {
  const procedures = router._def.procedures as Record<string, { _def: { inputs: z.core.$ZodObject[] } }>;
  return new Map(Object.entries(procedures).flatMap(([path, { _def }]) => _def.inputs.map((schema) => [path, schema])));
}

/** The check of `RequestContext`, for the procedures of a router. */
export function inputCheck(router: AnyTRPCRouter): RequestContext["checkInput"] {
  const metas = procedureMetas(router);
  const schemas = inputSchemas(router);
  return (path, input, inPath) => {
    const schema = schemas.get(path);
    return schema ? checkFields(schema, input, { ignoresUnknown: metas.get(path)?.ignoresUnknown, inPath }) : input;
  };
}

/** The field that has the file of a procedure with `consumesBytes` where a request is JSON. */
export const FILE_FIELD = "content_base64";

/** The largest JSON body with a file of `bytes` in base64. */
export function jsonBytesFor(bytes: number): number {
  return Math.ceil(bytes / 3) * 4 + OTHER_FIELDS_BYTES;
}

/** The largest body of the procedure, in octets. */
export function bodyLimit({ open, maxBodyBytes }: Meta = {}): number {
  return open ? OPEN_BODY_BYTES : (maxBodyBytes ?? MAX_BODY_BYTES);
}
