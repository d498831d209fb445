// Issuers of OpenID Connect for tests, on loopback: a real one, and one whose answers a test decides.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import Provider from "oidc-provider";
import type { TestService } from "./service.ts";
import { cookiesOf, post } from "./team.ts";

const CLIENT = { id: "mailberth", secret: "secret-of-the-client" };

/** The settings of a service that uses the issuer. */
export function companySettings(issuer: { url: string }) {
  return {
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ALLOWED_DOMAINS: "acme.example",
    OIDC_NAME: "Acme",
  };
}

async function listen(server: Server, port = 0): Promise<{ url: string; stop(): Promise<void> }> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type Employee = { sub: string; email: string; email_verified: boolean; name: string };

/**
 * `oidc-provider`, which signs `employee` in without a page. It has mail addresses only in its answer about the user.
 * @param redirectUri of the service
 */
export async function startIssuer(redirectUri: string, employee: Employee) {
  let handle: (req: IncomingMessage, res: ServerResponse) => unknown = () => undefined;
  const { url, stop } = await listen(createServer((req, res) => void handle(req, res)));
  const provider = new Provider(url, {
    clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
    claims: { email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_ctx: unknown, accountId: string) => ({ accountId, claims: () => employee }),
    async loadExistingGrant({ oidc }: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  handle = (req, res) =>
    req.url?.startsWith("/interaction/")
      ? provider.interactionFinished(req, res, { login: { accountId: employee.sub } })
      : answer(req, res);
  return { url, stop, employee };
}

type Told = Employee & { iss: string; aud: string; nonce: string };

/** Signs what a test says: `claims` of the next ID token, and `change` for what is wrong with the answers. */
export async function startPlainIssuer() {
  const own = await generateKeyPair("RS256");
  const other = await generateKeyPair("RS256");
  const jwk = { ...(await exportJWK(own.publicKey)), kid: "k", alg: "RS256", use: "sig" };
  const issuer = {
    url: "",
    stop: async () => {},
    /** Of the flow that is in progress. */
    nonce: "",
    employee: { sub: "1", email: "ada@acme.example", email_verified: true, name: "Ada" } as Employee,
    change: (told: Told): JWTPayload => told,
    signedBy: "own" as "own" | "other",
    expires: "1 minute" as string,
    /** Paths whose requests get no answer, or too long a one. */
    hangs: new Set<string>(),
    floods: new Set<string>(),
    claimedIssuer: undefined as string | undefined,
    asked: [] as string[],
  };
  const token = () => {
    const told = { ...issuer.employee, iss: issuer.url, aud: CLIENT.id, nonce: issuer.nonce };
    return new SignJWT(issuer.change(told))
      .setProtectedHeader({ alg: "RS256", kid: "k" })
      .setIssuedAt()
      .setExpirationTime(issuer.expires)
      .sign(issuer.signedBy === "own" ? own.privateKey : other.privateKey);
  };
  const answers: Record<string, () => Promise<object> | object> = {
    "/.well-known/openid-configuration": () => ({
      issuer: issuer.claimedIssuer ?? issuer.url,
      authorization_endpoint: `${issuer.url}/authorize`,
      token_endpoint: `${issuer.url}/token`,
      jwks_uri: `${issuer.url}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    }),
    "/keys": () => ({ keys: [jwk] }),
    "/token": async () => ({ access_token: "a", token_type: "Bearer", id_token: await token() }),
  };
  const server = createServer(async (req, res) => {
    const path = req.url ?? "";
    issuer.asked.push(path);
    if (issuer.hangs.has(path)) return;
    const body = JSON.stringify((await answers[path]?.()) ?? {});
    res.writeHead(200, { "Content-Type": "application/json" });
    res.end(issuer.floods.has(path) ? `${" ".repeat(2_000_000)}${body}` : body);
  });
  Object.assign(issuer, await listen(server));
  return issuer;
}

export type PlainIssuer = Awaited<ReturnType<typeof startPlainIssuer>>;

/** Begins a company sign-in as the pages do. */
export async function beginCompany(service: TestService, input: { next?: string; token?: string } = {}) {
  const answer = await post(service, "/trpc/team.companySignIn", input);
  if (answer.status !== 200) throw new Error(`team.companySignIn: ${answer.status} ${await answer.text()}`);
  const { result } = (await answer.json()) as { result: { data: { url: string } } };
  return { url: new URL(result.data.url), cookie: cookiesOf(answer) };
}

/** Answers the callback as a browser. @returns the path it is sent to, and the cookies of the session */
export async function callBack(service: TestService, query: string, cookie: string) {
  const answer = await fetch(`${service.url}/auth/oidc/callback?${query}`, { headers: { cookie }, redirect: "manual" });
  return { status: answer.status, path: answer.headers.get("location"), cookie: cookiesOf(answer) };
}

/** A whole sign-in with the plain issuer. */
export async function signInWith(
  service: TestService,
  issuer: PlainIssuer,
  input: { next?: string; token?: string } = {},
) {
  const { url, cookie } = await beginCompany(service, input);
  issuer.nonce = url.searchParams.get("nonce") ?? "";
  return callBack(service, `code=c&state=${url.searchParams.get("state")}`, cookie);
}
