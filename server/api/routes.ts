// Builds the table of REST routes from the procedures' `openapi` meta: exact paths, literals before parameters.
import type { AnyTRPCRouter } from "@trpc/server";
import leven from "leven";
import type { z } from "zod";
import {
  bodyLimit,
  FILE_FIELD,
  inputSchemas,
  procedureTypes,
  type RestMeta,
  restMetas,
  withoutDryRun,
} from "../procedures/meta.ts";
import { nearCall, ourParts } from "../procedures/near-names.ts";

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
  /** The body is a file, which the procedure reads itself; the fields are in the query. */
  takesFile: boolean;
  needsKey: boolean;
  maxBodyBytes: number;
  /** The fields of the input that are in the path, in its order. */
  pathFields: string[];
  /** The other fields of the input: they are in the query or the body. */
  fields: string[];
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
/** The parts of `inboxes`, whose last word is no action. */
const NOUN_PARTS = 1;
/** Edits between a path and its near path: a third of its words may be wrong. */
const EDITS_PER_CHAR = 1 / 3;

/** The likely method first: to read, or to change. */
const READS = ["GET", "HEAD", "POST", "PATCH", "DELETE"];
const CHANGES = ["POST", "PATCH", "GET", "DELETE"];
/** Of this API, or of another one, which may name the account after it. */
const VERSION = /^(\/(api|gmail))?\/v\d+(\.\d+)?\/((users\/)?me\/|grants\/[^/]+\/)?/;

type Declared = { parts: string[]; tools: string[]; says: (method: string) => string };

/**
 * @returns finds the declared path that is meant by one that does not exist, with its methods: `GET, POST /v1/webhooks`. First what
 * other services have at this path, then the same path in other words, then one whose last word is the same, since that says what
 * is to be done, then one that is spelled alike.
 */
export function nearestPaths(router: AnyTRPCRouter): (method: string, path: string) => string | undefined {
  const metas = [...restMetas(router).values()].filter(({ openapi }) => withoutDryRun(openapi.path) === undefined);
  const declared = [...Map.groupBy(metas, ({ openapi }) => openapi.path)].map(([path, own]): Declared => {
    const methods = own.map(({ openapi }) => openapi.method as string);
    const says = (asked: string) => `${inOrder(methods, asked).join(", ")} ${path}`;
    return { parts: path.split("/").slice(2), tools: own.flatMap(({ mcp }) => mcp ?? []), says };
  });
  return (method, path) =>
    nearCall(method, partsOf(path)) ?? (samePath(declared, partsOf(path)) ?? likePath(declared, path))?.says(method);
}

/** What a call is meant to be whose path exists without its method. */
export function nearestCall(method: string, path: string): string | undefined {
  return nearCall(method, partsOf(path));
}

function inOrder(methods: string[], asked: string): string[] {
  const order = [asked, ...(READS.slice(0, 2).includes(asked) ? READS : CHANGES)];
  return methods.toSorted((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** Below the version, in our words. */
function partsOf(path: string): string[] {
  return ourParts(path.replace(VERSION, "").split("/"));
}

/** The same path, with or without the mailbox before it, or that of the tool with this name. */
function samePath(declared: Declared[], parts: string[]): Declared | undefined {
  const ofMailbox = parts[0] === "inboxes" ? parts.slice(2) : [];
  const words = new Set(declared.flatMap(({ parts: ours }) => ours));
  // A word of another path is no name: `/v1/messages/wait` is not a message.
  const isSame = (ours: string[], theirs: string[]) =>
    ours.length === theirs.length &&
    theirs.every((part, at) => part === ours[at] || (ours[at]?.startsWith("{") && !words.has(part)));
  return (
    declared.find(({ parts: ours }) => isSame(ours, parts)) ??
    declared.find(({ parts: ours }) => isSame(ours, ofMailbox)) ??
    declared.find(({ tools }) => parts.length === 1 && tools.some((tool) => tool === parts[0]))
  );
}

function likePath(declared: Declared[], path: string): Declared | undefined {
  if (path.length > NEAR_CHARS) return;
  const parts = path.replace(/\/$/, "").split("/").slice(2);
  const [named] = declared
    .filter(({ parts: ours }) => ours.length > NOUN_PARTS && ours.at(-1) === parts.at(-1))
    .map((found) => ({ found, shared: found.parts.filter((part) => parts.includes(part)).length }))
    .sort((a, b) => b.shared - a.shared);
  if (named) return named.found;
  const [near] = declared
    .map((found) => ({ found, edits: editsBetween(found.parts, parts) }))
    .sort((a, b) => a.edits - b.edits);
  return near && near.edits <= path.length * EDITS_PER_CHAR ? near.found : undefined;
}

/** A parameter is like every value. Missing and further parts count with their length; a word that is mostly another one is none. */
function editsBetween(ours: string[], theirs: string[]): number {
  let sum = 0;
  for (let at = 0; at < Math.max(ours.length, theirs.length); at += 1) {
    const [our = "", their = ""] = [ours[at], theirs[at]];
    if (our.startsWith("{") && their !== "") continue;
    const isWord = our !== "" && their !== "";
    const most = isWord ? Math.max(our.length, their.length) / 2 : Number.POSITIVE_INFINITY;
    // The difference of the lengths is the least distance, and costs nothing.
    if (Math.abs(our.length - their.length) > most) return Number.POSITIVE_INFINITY;
    const edits = leven(our, their);
    if (edits > most) return Number.POSITIVE_INFINITY;
    sum += edits;
  }
  return sum;
}

function depthOf(path: string): number {
  return path.split("/").length;
}

function routeOf(meta: RestMeta, shape: z.core.$ZodShape): Omit<Route, "procedure" | "type"> {
  const { method, path, protect = true } = meta.openapi;
  const pathFields = [...path.matchAll(PARAMETER)].map(([, name = ""]) => name);
  const takesFile = meta.consumesBytes !== undefined;
  const elsewhere = takesFile ? [...pathFields, FILE_FIELD] : pathFields;
  const fields = Object.keys(shape).filter((name) => !elsewhere.includes(name));
  return {
    status: meta.status ?? 200,
    pattern: path,
    takesBody: method !== "GET" && method !== "DELETE" && !takesFile,
    takesFile,
    needsKey: protect,
    maxBodyBytes: bodyLimit(meta),
    pathFields,
    fields,
    ignoresUnknown: Boolean(meta.ignoresUnknown),
  };
}

function parameterCount(path: string): number {
  return path.match(PARAMETER)?.length ?? 0;
}
