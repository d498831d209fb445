// Serves the few endpoints of better-auth that the pages use, below /auth. All others answer 404.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { methodNotAllowed, ServiceError } from "../base/errors.ts";
import { pathOf } from "../base/request-target.ts";
import { changePasswordWithin, queueKey, requestResetWithin, signInWithin } from "../organizations/check-password.ts";
import { finishCompanySignIn } from "../organizations/company.ts";
import { COMPANY_CALLBACK } from "../organizations/company-provider.ts";
import { CODE_CHARS } from "../organizations/schema.ts";
import { AUTH_BASE, CLIENT_ADDRESS_HEADER } from "../organizations/sign-in.ts";
import { OPEN_BODY_BYTES } from "../procedures/meta.ts";
import { readJsonBody } from "./bodies/body.ts";
import { withoutNul } from "./bodies/json-shape.ts";
import { originOf } from "./request-context.ts";

const OPEN = new Set(["/sign-in/email", "/sign-out", "/request-password-reset", "/reset-password", "/change-password"]);
const HOP_HEADERS = ["connection", "content-length", "transfer-encoding", "expect", CLIENT_ADDRESS_HEADER];

/** Answers one request below /auth; `route` is its path for logs and metrics. */
export async function handleAuth(services: Services, client: Client, req: IncomingMessage, res: ServerResponse) {
  const path = pathOf(req);
  const endpoint = path.slice(AUTH_BASE.length);
  if (endpoint === COMPANY_CALLBACK && services.company) return handleCallback(services, client, req, res);
  if (!OPEN.has(endpoint)) throw new ServiceError("not_found", `There is no path ${path}.`);
  if (req.method !== "POST") {
    throw methodNotAllowed(req.method, ["POST"]);
  }
  const body = await readJsonBody(req, { maxBytes: OPEN_BODY_BYTES });
  withoutNul("json", JSON.stringify(body));
  const { answer, cookies } = await askWithin(services, { endpoint, body, client, req });
  res.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== "set-cookie") res.setHeader(name, value);
  res.setHeader("Set-Cookie", [...answer.headers.getSetCookie(), ...cookies]);
  res.setHeader("Cache-Control", "no-store");
  res.end(Buffer.from(await answer.arrayBuffer()));
  return { door: "auth", route: path };
}

/** The issuer sends the browser here. */
async function handleCallback(services: Services, client: Client, req: IncomingMessage, res: ServerResponse) {
  if (req.method !== "GET") {
    throw methodNotAllowed(req.method, ["GET"]);
  }
  const query = (req.url ?? "").split("?", 2)[1] ?? "";
  const { path, cookies } = await finishCompanySignIn(services, { query, cookies: req.headers.cookie, client });
  res.writeHead(303, {
    Location: path,
    "Set-Cookie": cookies,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  res.end();
  return { door: "auth", route: AUTH_BASE + COMPANY_CALLBACK };
}

type Call = { endpoint: string; body: Record<string, unknown>; client: Client; req: IncomingMessage };
type Answered = { answer: Response; cookies: string[] };

/**
 * Calls better-auth, within the limits of the endpoint.
 * @throws ServiceError `rate_limited`, `unavailable`
 */
async function askWithin(services: Services, { endpoint, body, client, req }: Call): Promise<Answered> {
  const headers = headersOf(req, client);
  const auth = await services.signIn();
  // better-auth trusts the origin of this URL in addition to that of PUBLIC_URL (organizations/sign-in.ts).
  const url = new URL(AUTH_BASE + endpoint, originOf(req, client, services.settings.PUBLIC_URL));
  const ask = (more: object = {}) =>
    auth.handler(new Request(url, { method: "POST", headers, body: JSON.stringify({ ...body, ...more }) }));
  const alone = async (asking: Promise<Response>) => ({ answer: await asking, cookies: [] });
  const { email, code: given } = body;
  if (endpoint === "/sign-in/email" && typeof email === "string") {
    const code = typeof given === "string" ? given.slice(0, CODE_CHARS) : undefined;
    return signInWithin(services, { email, code }, { client, cookies: req.headers.cookie }, ask);
  }
  if (endpoint === "/request-password-reset" && typeof email === "string") {
    return alone(requestResetWithin(services, email, ask));
  }
  if (endpoint === "/reset-password") return alone(services.signIn.queue(queueKey(client), ask));
  if (endpoint === "/change-password") {
    const { response: session } = await auth.api.getSession({ headers, returnHeaders: true });
    // A new password ends the sessions of everyone who knew the old one.
    const change = () => ask({ revokeOtherSessions: true });
    return alone(session ? changePasswordWithin(services, session.user.id, client, change) : change());
  }
  return alone(ask());
}

function headersOf(req: IncomingMessage, client: Client): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined && !HOP_HEADERS.includes(name)) headers.set(name, value.toString());
  }
  headers.set("content-type", "application/json");
  headers.set(CLIENT_ADDRESS_HEADER, client.address);
  return headers;
}
