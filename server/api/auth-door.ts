// The door of better-auth: /auth, for the few endpoints that the pages use. Everything else of it is not reached from outside.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client } from "../client-address.ts";
import type { Services } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { AUTH_BASE, CLIENT_ADDRESS_HEADER } from "../team/sign-in.ts";
import { readJsonBody } from "./body.ts";
import { originOf } from "./origin.ts";
import { OPEN_BODY_BYTES } from "./routes.ts";

const OPEN = new Set(["/sign-in/email", "/sign-out", "/request-password-reset", "/reset-password", "/change-password"]);
const HOP_HEADERS = ["connection", "content-length", "transfer-encoding", "expect", CLIENT_ADDRESS_HEADER];

/** Answers one request below /auth; `route` is its path for logs and metrics. */
export async function handleAuth(
  services: Services,
  client: Client,
  req: IncomingMessage,
  res: ServerResponse,
  path: string,
) {
  const endpoint = path.slice(AUTH_BASE.length);
  if (!OPEN.has(endpoint)) throw new ServiceError("not_found", `There is no path ${path}.`);
  if (req.method !== "POST") {
    throw new ServiceError("method_not_allowed", `This path does not take ${req.method}.`, {
      headers: { Allow: "POST" },
    });
  }
  const body = JSON.stringify(await readJsonBody(req, { maxBytes: OPEN_BODY_BYTES }));
  const auth = await services.signIn();
  // better-auth trusts the origin of this URL beside that of PUBLIC_URL (team/sign-in.ts).
  const url = new URL(path, originOf(req, client, services.settings.PUBLIC_URL));
  const answer = await auth.handler(new Request(url, { method: "POST", headers: headersOf(req, client), body }));
  res.statusCode = answer.status;
  for (const [name, value] of answer.headers) if (name !== "set-cookie") res.setHeader(name, value);
  res.setHeader("Set-Cookie", answer.headers.getSetCookie());
  res.setHeader("Cache-Control", "no-store");
  res.end(Buffer.from(await answer.arrayBuffer()));
  return { door: "auth", route: path };
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
