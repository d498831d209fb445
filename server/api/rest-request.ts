// Reads the parts of a REST request: its path parameters, its method and its body.
import type { IncomingMessage } from "node:http";
import { readDomain } from "../base/addresses.ts";
import { ServiceError } from "../base/errors.ts";
import { MAX_ISSUES, refuseUnknown, unknownField } from "../procedures/fields.ts";
import { dryRunPath, withoutDryRun } from "../procedures/meta.ts";
import type { RequestContext } from "../procedures/procedures.ts";
import { readJsonBody } from "./bodies/body.ts";
import type { FindRoute, Route } from "./routes.ts";

// The characters that a decoded path parameter may have. Any other value cannot be a name here; it is replaced by
// NO_SUCH_NAME, so that the procedure answers it like every unknown name, after its other checks.
const NAME = /^(?!\.{1,2}$)[\w.@+~-]+$/;
const NOT_ASCII = /[^\0-\x7f]/;
const NO_SUCH_NAME = "~";

/** The body of a request that may have one. The body of a caller with an invalid key is not read. */
export async function bodyFor(req: IncomingMessage, route: Route, context: RequestContext): Promise<unknown> {
  if (!route.takesBody) return undefined;
  const { actor } = context;
  const { maxBodyBytes: maxBytes, needsKey } = route;
  if (!needsKey) return readJsonBody(req, { maxBytes });
  if (actor instanceof ServiceError || actor.kind !== "agent") return {};
  return readJsonBody(req, { maxBytes, hold: context.holdFor(actor.organizationId) });
}

/** Whether the caller has the key that the route needs; the procedure refuses the others. */
export function mayRead({ needsKey }: Route, { actor }: RequestContext): boolean {
  return !needsKey || (!(actor instanceof ServiceError) && actor.kind === "agent");
}

/**
 * Refuses fields in a place where nothing reads them: any in the query of a request with a body, and those of the path
 * elsewhere. The procedure checks the rest.
 * @throws ServiceError `unknown_field`
 */
export function refuseStrays(route: Route, query: string, body: unknown): void {
  if (route.ignoresUnknown) return;
  const inPath = new Set([...route.pattern.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));
  const known = route.fields.filter((name) => !inPath.has(name));
  const inQuery = [...new Set(new URLSearchParams(query).keys())];
  const strays = route.takesBody
    ? [...inQuery, ...Object.keys(body ?? {}).filter((name) => inPath.has(name))]
    : inQuery.filter((name) => !known.includes(name));
  refuseUnknown(strays.slice(0, MAX_ISSUES).map((name) => unknownField(name, route.takesBody ? [] : known)));
}

const DRY_RUN = "dry_run";

/**
 * Takes `dry_run` out of the query of a path that has dry runs.
 * @throws ServiceError `invalid_request` if it is neither true nor false
 */
function readDryRun(query: string, hasDryRuns: boolean): { query: string; isDryRun: boolean } {
  const fields = new URLSearchParams(query);
  const values = fields.getAll(DRY_RUN);
  if (!hasDryRuns || values.length === 0) return { query, isDryRun: false };
  if (values.length > 1 || !["true", "false"].includes(values[0] ?? "")) {
    const issue = { path: DRY_RUN, message: "must be true or false" };
    throw new ServiceError("invalid_request", `${issue.path}: ${issue.message}`, { issues: [issue] });
  }
  fields.delete(DRY_RUN);
  return { query: fields.toString(), isDryRun: values[0] === "true" };
}

/** The route of a path, or that of its dry run if the query asks for one. */
export function routeFor(findRoute: FindRoute, path: string, asked: string) {
  const check = findRoute(dryRunPath(path));
  const { query, isDryRun } = readDryRun(asked, check !== undefined && isCheck(check));
  const found = isDryRun ? check : findRoute(path);
  return { query, found: found && (isDryRun || !isCheck(found)) ? found : undefined };
}

function isCheck({ methods }: NonNullable<ReturnType<FindRoute>>): boolean {
  return [...methods.values()].some(({ pattern }) => withoutDryRun(pattern) !== undefined);
}

export function decodeName(raw: string): string {
  try {
    const name = inAscii(decodeURIComponent(raw));
    return NAME.test(name) ? name : NO_SUCH_NAME;
  } catch {
    return NO_SUCH_NAME; // malformed percent-encoding is no valid name
  }
}

/** The library does not decode parameters, so a domain in Unicode, alone or of an address, gets its ASCII form here. */
function inAscii(name: string): string {
  if (!NOT_ASCII.test(name)) return name;
  const at = name.lastIndexOf("@") + 1;
  return `${name.slice(0, at)}${readDomain(name.slice(at).replace(/\.$/, "")) ?? NO_SUCH_NAME}`;
}

export function allowed(methods: Map<string, Route>): string[] {
  return [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])];
}

export function methodNotAllowed(method: string | undefined, allow: string[]): ServiceError {
  return new ServiceError("method_not_allowed", `This path does not take ${method}.`, {
    headers: { Allow: allow.join(", ") },
  });
}
