// An app that connects by sign-in, step by step, as the official client does it in one call.
import { createHash, randomBytes } from "node:crypto";
import { freePort } from "#test/support/process.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import type { Person } from "#test/support/team.ts";

export const REDIRECT = "http://127.0.0.1:4999/callback";
export const SCOPES = ["mailbox:create", "mailbox:read", "mailbox:send", "mailbox:delete"] as const;
type Scope = (typeof SCOPES)[number];

/** A service at its public URL, which tokens are bound to. */
export async function startAppService(
  environment: Parameters<typeof startTestService>[0] = {},
  options: Parameters<typeof startTestService>[1] = {},
) {
  const port = String(await freePort());
  const PUBLIC_URL = `http://127.0.0.1:${port}`;
  return startTestService({ PORT: port, PUBLIC_URL, TRUST_PROXY: "127.0.0.1", ...environment }, options);
}

let registered = 0;

/** By default each from an address that has registered nothing before. */
export function register({ url }: TestService, metadata: object = {}, from?: string): Promise<Response> {
  registered += 1;
  const address = from ?? `10.1.${registered >> 8}.${registered & 255}`;
  return fetch(`${url}/auth/oauth2/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forwarded-For": address },
    body: JSON.stringify({
      client_name: "Test app",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
      ...metadata,
    }),
  });
}

export async function newClient(service: TestService, metadata: object = {}): Promise<string> {
  const answer = await register(service, metadata);
  if (answer.status >= 300) throw new Error(`register: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { client_id: string }).client_id;
}

export function newVerifier() {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

/** Opens the authorization page. `location`: where the browser is sent. */
export async function authorize(service: TestService, fields: Record<string, string | undefined>, cookie = "") {
  const given = {
    response_type: "code",
    redirect_uri: REDIRECT,
    scope: [...SCOPES, "offline_access"].join(" "),
    state: "state-1",
    resource: `${service.url}/mcp`,
    code_challenge_method: "S256",
    ...fields,
  };
  const query = new URLSearchParams(Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const answer = await fetch(`${service.url}/auth/oauth2/authorize?${query}`, {
    redirect: "manual",
    headers: { cookie, accept: "text/html" },
  });
  const location = answer.headers.get("location");
  return { status: answer.status, location: location ? new URL(location, service.url) : undefined };
}

export function requestToken({ url }: TestService, fields: Record<string, string>): Promise<Response> {
  return fetch(`${url}/auth/oauth2/token`, { method: "POST", body: new URLSearchParams(fields) });
}

export type Tokens = { access_token: string; refresh_token: string; scope: string; expires_in: number };
type Choice = { enrollmentKeyId: string; scopes?: readonly Scope[]; clientId?: string; path?: string };

/** A code that `person` approved, with the PKCE verifier for it. */
export async function approvedCode(service: TestService, person: Person, choice: Choice) {
  const clientId = choice.clientId ?? (await newClient(service));
  const { verifier, challenge } = newVerifier();
  const asked = { client_id: clientId, code_challenge: challenge, resource: service.url + (choice.path ?? "/mcp") };
  const { location } = await authorize(service, asked, person.cookie);
  const { url } = await person.trpc.apps.approve.mutate({
    client_id: clientId,
    request: location?.search.slice(1) ?? "",
    enrollment_key_id: choice.enrollmentKeyId,
    scopes: [...(choice.scopes ?? SCOPES)],
  });
  return { clientId, verifier, callback: new URL(url), code: new URL(url).searchParams.get("code") ?? "" };
}

/** The whole flow. */
export async function connectApp(service: TestService, person: Person, choice: Choice) {
  const { clientId, verifier, code } = await approvedCode(service, person, choice);
  const answer = await requestToken(service, {
    grant_type: "authorization_code",
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: REDIRECT,
    resource: service.url + (choice.path ?? "/mcp"),
  });
  if (answer.status !== 200) throw new Error(`token: ${answer.status} ${await answer.text()}`);
  return { clientId, code, verifier, tokens: (await answer.json()) as Tokens };
}

/** The status of a call to /mcp with a token. */
export async function mcpStatus({ url }: TestService, token: string): Promise<number> {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
  });
  return answer.status;
}
