// Serves OAuth for apps that connect by sign-in: the metadata, and four endpoints of better-auth's provider. All others of
// the provider answer 404 (docs/decisions/042).
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../../base/client-address.ts";
import type { Services } from "../../base/context.ts";
import { isLoopback, type Settings } from "../../base/env.ts";
import { methodNotAllowed, ServiceError } from "../../base/errors.ts";
import { answerAuthorization } from "../../keys/apps/authorize.ts";
import { registerClient } from "../../keys/apps/registrations.ts";
import { answerToken } from "../../keys/apps/tokens.ts";
import { APP_SCOPES, MCP_PATHS, mcpResource } from "../../organizations/oauth.ts";
import { AUTH_BASE, CLIENT_ADDRESS_HEADER } from "../../organizations/sign-in.ts";
import { OPEN_BODY_BYTES } from "../../procedures/meta.ts";
import { readJsonBody, readRawBody } from "../bodies/body.ts";
import { withoutNul } from "../bodies/json-shape.ts";

const RESOURCE_METADATA = "/.well-known/oauth-protected-resource";
/** RFC 9728 puts the path of the resource behind it. */
const RESOURCE_METADATA_PATHS = [RESOURCE_METADATA, ...MCP_PATHS.map((path) => RESOURCE_METADATA + path)];
const SERVER_METADATA = "/.well-known/oauth-authorization-server";
const REGISTER = `${AUTH_BASE}/oauth2/register`;
const AUTHORIZE = `${AUTH_BASE}/oauth2/authorize`;
const TOKEN = `${AUTH_BASE}/oauth2/token`;
/** The method of each path. */
const METHODS = new Map<string, "GET" | "POST">([
  ...RESOURCE_METADATA_PATHS.map((path) => [path, "GET"] as const),
  [SERVER_METADATA, "GET"],
  [SERVER_METADATA + AUTH_BASE, "GET"],
  [AUTHORIZE, "GET"],
  [REGISTER, "POST"],
  [TOKEN, "POST"],
  [`${AUTH_BASE}/oauth2/revoke`, "POST"],
]);
/** Without `Accept` and `Sec-Fetch-Mode`: with them the provider answers a script in JSON instead of a redirect. */
const PASSED_HEADERS = ["authorization", "content-type", "cookie", "user-agent"];
const FORM = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const QUERY_CHARS = 8_000;

type Door = {
  services: Services;
  limits: { takeAnonymous(network: string): void; takeRegistration(network: string): void };
  client: Client;
};

export const isOAuth = (path: string) => METHODS.has(path);

/** @throws ServiceError `method_not_allowed`, `rate_limited`, and what refuses a body */
export async function handleOAuth(door: Door, req: IncomingMessage, res: ServerResponse, path: string) {
  const { services, limits, client } = door;
  limits.takeAnonymous(client.network);
  const allowed = METHODS.get(path) ?? "GET";
  // An authorization issues a code, which HEAD must not.
  const mayHead = allowed === "GET" && path !== AUTHORIZE;
  if (req.method !== allowed && !(req.method === "HEAD" && mayHead)) {
    throw methodNotAllowed(req.method, mayHead ? ["GET", "HEAD"] : [allowed]);
  }
  const answer = RESOURCE_METADATA_PATHS.includes(path)
    ? Response.json(resourceMetadata(services.settings, path.slice(RESOURCE_METADATA.length) || "/mcp"))
    : await askProvider(door, req, path);
  await send(res, answer, path);
  return { door: "oauth", route: path };
}

function resourceMetadata(settings: Settings, resource: string) {
  return {
    resource: mcpResource(settings, resource),
    resource_name: "Mailberth",
    authorization_servers: [new URL(AUTH_BASE, settings.PUBLIC_URL).href],
    scopes_supported: APP_SCOPES,
    bearer_methods_supported: ["header"],
  };
}

async function askProvider({ services, limits, client }: Door, req: IncomingMessage, path: string): Promise<Response> {
  const query = req.url?.slice(path.length) ?? "";
  if (query.length > QUERY_CHARS)
    throw new ServiceError("invalid_request", `The query is over ${QUERY_CHARS} characters.`);
  withoutNul("form", query);
  const body = req.method === "POST" ? await readBody(req, path) : undefined;
  if (path === REGISTER) limits.takeRegistration(client.network);
  const headers = new Headers({ [CLIENT_ADDRESS_HEADER]: client.address });
  for (const name of PASSED_HEADERS) {
    const value = req.headers[name];
    if (value !== undefined) headers.set(name, value.toString());
  }
  const isMetadata = path.startsWith(SERVER_METADATA);
  const url = new URL((isMetadata ? SERVER_METADATA + AUTH_BASE : path) + query, services.settings.PUBLIC_URL);
  const auth = await services.signIn();
  const ask = () => auth.handler(new Request(url, { method: METHODS.get(path) ?? "GET", headers, body: body ?? null }));
  if (path === TOKEN) return answerToken(services, fieldsOf(body ?? ""), ask);
  if (path === REGISTER) return registerClient(services, client, ask);
  if (path !== AUTHORIZE) return ask();
  const { cookie } = req.headers;
  return answerAuthorization(services, { query: new URLSearchParams(query), address: client.address, cookie }, ask);
}

/** JSON at the registration, a form at the others (RFC 7591 §3.1, RFC 6749 §4.1.3). */
async function readBody(req: IncomingMessage, path: string): Promise<string> {
  if (path === REGISTER) {
    return withoutNul("json", JSON.stringify(asNative(await readJsonBody(req, { maxBytes: OPEN_BODY_BYTES }))));
  }
  const body = await readRawBody(req, { maxBytes: OPEN_BODY_BYTES });
  if (FORM.test(req.headers["content-type"] ?? "")) return withoutNul("form", body.toString());
  throw new ServiceError("unsupported_media_type", "The body is not application/x-www-form-urlencoded.", {
    fix: "Send the fields as a form: `Content-Type: application/x-www-form-urlencoded`.",
  });
}

/**
 * A field that is repeated would be one value for the service and another one for the provider (RFC 6749 §3.2). Only `resource` may be
 * repeated (RFC 8707 §2).
 * @throws ServiceError `invalid_request`
 */
function fieldsOf(form: string): URLSearchParams {
  const fields = new URLSearchParams(form);
  const repeated = [...fields.keys()].find((name) => name !== "resource" && fields.getAll(name).length > 1);
  if (repeated === undefined) return fields;
  throw new ServiceError("invalid_request", `The field ${repeated.slice(0, 100)} is repeated.`);
}

/** Programs on the user's machine often do not say that they are native, which alone may have loopback redirects. */
function asNative(metadata: Record<string, unknown>): Record<string, unknown> {
  const { application_type, redirect_uris } = metadata;
  const isNative = Array.isArray(redirect_uris) && redirect_uris.length > 0 && redirect_uris.every(isLoopbackUrl);
  return application_type === undefined && isNative ? { ...metadata, application_type: "native" } : metadata;
}

function isLoopbackUrl(text: unknown): boolean {
  if (typeof text !== "string" || !URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "http:" && isLoopback(hostname);
}

async function send(res: ServerResponse, answer: Response, path: string): Promise<void> {
  res.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== "set-cookie") res.setHeader(name, value);
  const cookies = answer.headers.getSetCookie();
  if (cookies.length > 0) res.setHeader("Set-Cookie", cookies);
  res.setHeader("Cache-Control", "no-store");
  // Metadata is public: hosts that run in a browser read it from their own pages.
  if (path.startsWith("/.well-known/")) res.setHeader("Access-Control-Allow-Origin", "*");
  res.end(Buffer.from(await answer.arrayBuffer()));
}
