// The company's issuer: OpenID Connect by openid-client, within limits of time and size (docs/decisions/112-company-sign-in.md).
import type { Configuration, CustomFetch } from "openid-client";
import type { Services } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { createLimiter } from "../base/limiter.ts";
import { AUTH_BASE } from "./sign-in.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Undefined without OIDC_ISSUER. */
    company: CompanyProvider | undefined;
  }
}

export const COMPANY_CALLBACK = "/oidc/callback";
const SCOPE = "openid email profile";
const TIMEOUT_SECONDS = 5;
const ANSWER_BYTES_MAX = 262_144;
/** After this time the issuer's endpoints and keys are read again. */
const CONFIGURATION_MS = 3_600_000;
/** Callbacks that wait for the issuer at the same time: of all clients, and of one address. */
const WAITING = { total: 32, each: 4 };

/** What must be the same at the callback: kept in the browser, encrypted. */
type Checks = { state: string; nonce: string; verifier: string };
/** What the issuer says of a person. Undefined is what it does not say. */
export type Claims = {
  issuer: string;
  subject: string;
  email: string | undefined;
  isVerified: boolean;
  name: string | undefined;
};

/** Reasons that the sign-in page explains. */
type Refusal =
  | "unreachable"
  | "busy"
  | "canceled"
  | "invalid"
  | "expired"
  | "not_verified"
  | "domain_not_allowed"
  | "not_invited"
  | "other_account"
  | "other_invitation";

export function refuseCompany(refusal: Refusal, cause?: unknown): Error & { refusal: Refusal } {
  return Object.assign(new Error(`company sign-in: ${refusal}`, { cause }), { refusal });
}

/** Undefined for errors that are not of `refuseCompany`. */
export function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof Error && "refusal" in error ? (error.refusal as Refusal) : undefined;
}

export type CompanyProvider = {
  /** The page of the issuer to which the browser is sent. @throws an error of `refuseCompany` */
  begin(): Promise<{ url: string; checks: Checks }>;
  /**
   * Exchanges the code of a callback, and checks state, nonce, PKCE, and the ID token: signature, issuer, audience, expiry.
   * @param query of the callback @param holder the client address for limits; undefined if many clients share it
   * @throws an error of `refuseCompany`
   */
  finish(query: string, checks: Checks, holder: string | undefined): Promise<Claims>;
};

export function createCompanyProvider(parts: Pick<Services, "now" | "settings">): CompanyProvider | undefined {
  if (!parts.settings.OIDC_ISSUER) return;
  const limiter = createLimiter(WAITING);
  const configuration = createConfiguration(parts);
  const redirectUri = `${parts.settings.PUBLIC_URL}${AUTH_BASE}${COMPANY_CALLBACK}`;
  return {
    async begin() {
      const [client, config] = await Promise.all([import("openid-client"), configuration()]);
      const checks = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: "S256",
      });
      return { url: url.href, checks };
    },
    async finish(query, checks, holder) {
      const share = limiter.open(holder);
      if (share.take()) throw refuseCompany("busy");
      try {
        return await exchange(await configuration(), new URL(`${redirectUri}?${query}`), checks);
      } finally {
        share.release();
      }
    },
  };
}

/** Concurrent calls share one reading, so that an issuer that hangs is asked once. */
function createConfiguration({ now, settings }: Pick<Services, "now" | "settings">): () => Promise<Configuration> {
  let kept: { read: Promise<Configuration>; until: number } | undefined;
  return () => {
    if (kept && kept.until > now().getTime()) return kept.read;
    const reading = {
      read: discover(settings).catch((error) => {
        if (kept === reading) kept = undefined;
        throw refuseCompany("unreachable", error);
      }),
      until: now().getTime() + CONFIGURATION_MS,
    };
    kept = reading;
    return reading.read;
  };
}

async function discover(settings: Settings): Promise<Configuration> {
  const client = await import("openid-client");
  const { OIDC_ISSUER = "", OIDC_CLIENT_ID = "", OIDC_CLIENT_SECRET = "" } = settings;
  const issuer = new URL(OIDC_ISSUER);
  // Without this check, openid-client trusts TLS instead of the signature of the ID token.
  const execute = [client.enableNonRepudiationChecks];
  // The setting allows http on loopback only.
  if (issuer.protocol === "http:") execute.push(client.allowInsecureRequests);
  return client.discovery(issuer, OIDC_CLIENT_ID, undefined, client.ClientSecretBasic(OIDC_CLIENT_SECRET), {
    execute,
    timeout: TIMEOUT_SECONDS,
    [client.customFetch]: boundedFetch,
  });
}

async function exchange(config: Configuration, callback: URL, checks: Checks): Promise<Claims> {
  const client = await import("openid-client");
  try {
    const tokens = await client.authorizationCodeGrant(config, callback, {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.verifier,
      idTokenExpected: true,
    });
    const own = tokens.claims();
    if (!own) throw refuseCompany("invalid");
    // Many issuers have the address only in the answer of their userinfo endpoint, whose subject must be the same.
    const about = own.email === undefined ? await client.fetchUserInfo(config, tokens.access_token, own.sub) : own;
    return {
      issuer: own.iss,
      subject: own.sub,
      email: typeof about.email === "string" ? about.email : undefined,
      isVerified: about.email_verified === true,
      name: typeof about.name === "string" ? about.name : undefined,
    };
  } catch (error) {
    if (refusalOf(error)) throw error;
    if (error instanceof client.AuthorizationResponseError) throw refuseCompany("canceled", error);
    throw refuseCompany(isUnreachable(error) ? "unreachable" : "invalid", error);
  }
}

const boundedFetch: CustomFetch = async (url, options) => {
  let answer: Response;
  try {
    answer = await fetch(url, options as RequestInit);
    return new Response(await readAtMost(answer), answer);
  } catch (error) {
    throw refuseCompany("unreachable", error);
  }
};

/** The signal of the request, which ends after TIMEOUT_SECONDS, ends this too. */
async function readAtMost({ body }: Response): Promise<Buffer<ArrayBuffer> | null> {
  if (!body) return null;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new Error(`the issuer's answer is longer than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** openid-client wraps what its fetch throws. */
function isUnreachable(error: unknown): boolean {
  return error instanceof Error && (refusalOf(error) === "unreachable" || isUnreachable(error.cause));
}
