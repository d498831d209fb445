// Reads the parts of a REST request: its path parameters, its method and its body.
import type { IncomingMessage } from "node:http";
import { readDomain } from "../base/addresses.ts";
import { ISSUES_MAX } from "../base/errors/body.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { refuseUnknown, unknownField } from "../procedures/fields.ts";
import { dryRunPath } from "../procedures/meta.ts";
import type { Octets, RequestContext } from "../procedures/procedures.ts";
import { readJsonBody, readRawBody } from "./bodies/body.ts";
import type { FindRoute, Route } from "./routes.ts";

// The characters that a decoded path parameter may have. Any other value cannot be a name here; it is replaced by
// NO_SUCH_NAME, so that the procedure answers it like every unknown name, after its other checks.
const NAME = /^(?!\.{1,2}$)[\w.@+~-]+$/;
const NOT_ASCII = /[^\0-\x7f]/;
const NO_SUCH_NAME = "~";

/** The values of each name. */
type Query = Map<string, string[]>;
/** What a request says beside its path. */
type Sent = { query: Query; body: unknown };

/** The body of a request that may have one. The body of a caller with an invalid key is not read. */
async function bodyFor(req: IncomingMessage, route: Route, context: RequestContext): Promise<unknown> {
  if (!route.takesBody) return undefined;
  const { actor } = context;
  const { maxBodyBytes: maxBytes, needsKey } = route;
  if (!needsKey) return readJsonBody(req, { maxBytes });
  if (actor instanceof ServiceError || actor.kind !== "agent") return {};
  return readJsonBody(req, { maxBytes, hold: context.holdFor(actor.organizationId) });
}

/** The body as a file. Its memory is counted for the caller's organization. */
export function octetsOf(req: IncomingMessage, { actor, holdFor }: RequestContext): Octets {
  return {
    contentType: req.headers["content-type"],
    async read(maxBytes) {
      const isAgent = !(actor instanceof ServiceError) && actor.kind === "agent";
      return readRawBody(req, { maxBytes, ...(isAgent && { hold: holdFor(actor.organizationId) }) });
    },
  };
}

/** Whether the caller has the key that the route needs; the procedure refuses the others. */
function mayRead({ needsKey }: Route, { actor }: RequestContext): boolean {
  return !needsKey || (!(actor instanceof ServiceError) && actor.kind === "agent");
}

/**
 * Refuses fields in a place where nothing reads them: any in the query of a request with a body, and those of the path
 * elsewhere. The procedure checks the rest, if it has an input.
 * @throws ServiceError `unknown_field`
 */
function refuseStrays(
  { ignoresUnknown, takesBody, takesFile, pathFields, fields }: Route,
  { query, body }: Sent,
): void {
  if (ignoresUnknown) return;
  const [inQuery, inBody] = [[...query.keys()], Object.keys(body ?? {})];
  const isStray = (name: string) =>
    pathFields.includes(name) || (takesFile && !fields.includes(name)) || fields.length + pathFields.length === 0;
  const strays = takesBody ? [...inQuery, ...inBody.filter(isStray)] : inQuery.filter(isStray);
  const known = takesBody ? [] : fields;
  const issues = strays.slice(0, ISSUES_MAX).map((name) => unknownField(name, known, { inPath: pathFields }));
  refuseUnknown(issues, fields);
}

/** @param text without the question mark */
export function readQuery(text: string): Query {
  const query: Query = new Map();
  if (text === "") return query;
  for (const [name, value] of new URLSearchParams(text)) {
    const values = query.get(name);
    if (values) values.push(value);
    else query.set(name, [value]);
  }
  return query;
}

/** The input of the procedure: the body or the query, and the names of the path. A name that the query repeats has a list. */
function inputFor({ pathFields, takesBody }: Route, names: string[], { query, body }: Sent): object {
  const input: Record<string, unknown> = Object.create(null); // has no `toString`, which a field may be
  if (takesBody) Object.assign(input, body);
  else for (const [name, values] of query) input[name] = values.length === 1 ? values[0] : values;
  pathFields.forEach((name, at) => {
    input[name] = decodeName(names[at] ?? "");
  });
  return input;
}

type Asked = { names: string[]; query: Query; context: RequestContext };

/**
 * Reads the body, and returns the input of the procedure.
 * @throws ServiceError what refuses a body, and `unknown_field`
 */
export async function readInput(req: IncomingMessage, route: Route, { names, query, context }: Asked): Promise<object> {
  const body = await bodyFor(req, route, context);
  if (mayRead(route, context)) refuseStrays(route, { query, body });
  return inputFor(route, names, { query, body });
}

const DRY_RUN = "dry_run";

/**
 * Takes `dry_run` out of the query of a path that has dry runs.
 * @throws ServiceError `invalid_request` if it is neither true nor false
 */
function takeDryRun(query: Query, values: string[]): boolean {
  const [value = ""] = values;
  if (values.length > 1 || !["true", "false"].includes(value)) {
    throw invalidField(DRY_RUN, "must be true or false");
  }
  query.delete(DRY_RUN);
  return value === "true";
}

/** The route of a path, or that of its dry run if the query asks for one. */
export function routeFor(findRoute: FindRoute, path: string, query: Query): ReturnType<FindRoute> {
  const asked = query.get(DRY_RUN);
  const check = asked ? findRoute(dryRunPath(path)) : undefined;
  if (asked && check?.isDryRun && takeDryRun(query, asked)) return check;
  const found = findRoute(path);
  return found?.isDryRun ? undefined : found;
}

/** A name of a path, without its percent-encoding; what cannot be a name here is one that nothing has. */
export function decodeName(raw: string): string {
  try {
    const name = inAscii(decodeURIComponent(raw));
    return NAME.test(name) ? name : NO_SUCH_NAME;
  } catch {
    return NO_SUCH_NAME; // malformed percent-encoding is no valid name
  }
}

/** A domain in Unicode, alone or of an address, gets its ASCII form. */
function inAscii(name: string): string {
  if (!NOT_ASCII.test(name)) return name;
  const at = name.lastIndexOf("@") + 1;
  return `${name.slice(0, at)}${readDomain(name.slice(at).replace(/\.$/, "")) ?? NO_SUCH_NAME}`;
}

export function allowed(methods: Map<string, Route>): string[] {
  return [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])];
}
