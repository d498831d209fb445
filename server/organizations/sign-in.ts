// Sign-in by email and password, sessions and memberships: better-auth on our tables (docs/decisions/020).
import type { BetterAuthOptions, BetterAuthPlugin } from "better-auth";
import type { APIError, createAuthEndpoint, createAuthMiddleware } from "better-auth/api";
import type { setSessionCookie } from "better-auth/cookies";
import { and, eq, like, type SQL } from "drizzle-orm";
import { z } from "zod";
import type { Database } from "#db/client.ts";
import * as tables from "#db/schema/team.ts";
import type { Settings } from "../base/env.ts";
import { newId } from "../base/ids.ts";
import type { Logger } from "../base/log.ts";
import type { SecretBox } from "../base/secrets.ts";
import { CONSENT_PAGE, connectedApps, oauthTables } from "./oauth.ts";
import { createPasswordQueue, type PasswordQueue } from "./password-queue.ts";

declare module "../base/context.ts" {
  interface Services {
    signIn: SignIn;
  }
}

export const PASSWORD_MIN_CHARS = 12;
export const PASSWORD_MAX_CHARS = 128;
/** The path of better-auth's endpoints; api/auth-door.ts serves the ones that the pages use. */
export const AUTH_BASE = "/auth";
/** The client's address. Only the front door sets it. */
export const CLIENT_ADDRESS_HEADER = "x-mailberth-client";
const SESSION_SECONDS = 7 * 86_400;
const SESSION_RENEWED_AFTER_SECONDS = 86_400;
/** How long a password reset link works. */
export const RESET_SECONDS = 3_600;

type Parts = {
  settings: Settings;
  db: Database;
  log: Logger;
  secrets: SecretBox;
  /** Writes the password reset mail. */
  sendReset: (person: { id: string; email: string }, token: string) => Promise<void>;
  /** Called after a person signed in or set a password. */
  onAct: (userId: string, act: string) => Promise<void>;
  /** Called after a password was set, and the sessions that knew the old one were deleted. */
  onNewPassword: (userId: string) => Promise<void>;
};

const CHANGE_PASSWORD = "/change-password";
const ACTS: Record<string, string> = {
  "/sign-in/email": "session.sign_in",
  [CHANGE_PASSWORD]: "account.change_password",
};

/** The code of better-auth's answer to a right password that needs the second factor too. */
export const SECOND_FACTOR_ASKED = "SECOND_FACTOR_ASKED";

/** The ids of providers of company accounts begin so; the issuer follows. */
export const COMPANY_PROVIDER = "oidc:";
/** The code of better-auth's answers to people who have a company account, and so no password. */
const COMPANY_ACCOUNT = "COMPANY_ACCOUNT";
const COMPANY_ONLY = "This account has no password: sign in with the company account.";

/**
 * Whether the person signs in with a company account, and so has no password. Without OIDC_ISSUER there is no such sign-in.
 * @param userId UUID
 */
export async function isCompanyPerson(
  { db, settings }: { db: Database; settings: Pick<Settings, "OIDC_ISSUER"> },
  userId: string,
): Promise<boolean> {
  if (settings.OIDC_ISSUER === undefined) return false;
  return (await db.$count(tables.accounts, isCompanyLinkOf(userId))) > 0;
}

/** Company accounts of a person, of any issuer. @param userId UUID, or the column that has it */
export function isCompanyLinkOf(userId: string | typeof tables.members.userId): SQL | undefined {
  const { accounts } = tables;
  return and(eq(accounts.userId, userId), like(accounts.providerId, `${COMPANY_PROVIDER}%`));
}

const REQUEST_RESET = "/request-password-reset";
/** better-auth's own answer, whether or not the account exists. */
const RESET_REQUESTED = {
  status: true,
  message: "If this email exists in our system, check your email for the reset link",
};

/** `companyEmail`: the address that the company's issuer confirmed. `secondFactor`: whether its code was checked. */
const newSession = z.object({
  userId: z.string(),
  companyEmail: z.string().optional(),
  secondFactor: z.boolean().optional(),
});
type NewSession = z.infer<typeof newSession>;

type Person = { id: string; name: string; email: string };
type SessionFields = { id: string; companyEmail?: string | null; secondFactor?: boolean | null; createdAt: Date };

/** The part of better-auth that the service uses. Its own type would leak into the client's types. */
type Auth = {
  handler(request: Request): Promise<Response>;
  api: {
    getSession(given: { headers: Headers; returnHeaders: true }): Promise<{
      response: { user: Person; session: SessionFields } | null;
      headers: Headers;
    }>;
    beginSession(given: { body: NewSession; asResponse: true }): Promise<Response>;
  };
  $context: Promise<{
    password: {
      hash(password: string): Promise<string>;
      verify(given: { hash: string; password: string }): Promise<boolean>;
    };
    internalAdapter: {
      findUserByEmail(email: string): Promise<{ user: Person } | null>;
      createVerificationValue(value: { identifier: string; value: string; expiresAt: Date }): Promise<unknown>;
      findVerificationValue(identifier: string): Promise<{ expiresAt: Date } | null>;
    };
  }>;
};

async function build(parts: Parts): Promise<Auth> {
  const { settings, db, log, secrets } = parts;
  // Imported on the first sign-in, and never in a worker.
  const [{ oauthProvider }, { betterAuth }, { drizzleAdapter }, api, cookies] = await Promise.all([
    import("@better-auth/oauth-provider"),
    import("better-auth/minimal"),
    import("better-auth/adapters/drizzle"),
    import("better-auth/api"),
    import("better-auth/cookies"),
  ]);
  const { users, sessions, accounts, verifications } = tables;
  const schema = { user: users, session: sessions, account: accounts, verification: verifications, ...oauthTables };
  const origin = new URL(settings.PUBLIC_URL);
  return betterAuth({
    appName: settings.SERVICE_NAME,
    baseURL: settings.PUBLIC_URL,
    basePath: AUTH_BASE,
    secret: secrets.derive("sessions"),
    database: drizzleAdapter(db, { provider: "pg", schema, transaction: true }),
    telemetry: { enabled: false },
    logger: { log: (level, message, ...details) => log[level]({ details }, `sign-in: ${message}`) },
    emailAndPassword: passwords(parts),
    // The stored hash opens nothing: the token is only in the link.
    verification: { storeIdentifier: "hashed" },
    session: {
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_RENEWED_AFTER_SECONDS,
      cookieCache: { enabled: false },
      additionalFields: {
        companyEmail: { type: "string", required: false, input: false },
        secondFactor: { type: "boolean", required: false, input: false },
      },
    },
    // check-password.ts has the limits: exact across processes, and by account.
    rateLimit: { enabled: false },
    // CSRF protection: the page must have the scheme, host and port of the request, whatever name the service has.
    trustedOrigins: (request) => (request ? [new URL(request.url).origin] : []),
    advanced: advanced(origin),
    hooks: hooks(parts, api.createAuthMiddleware),
    databaseHooks: {
      session: { create: { before: sessionRule(parts, api.APIError) } },
      account: { create: { before: passwordRule(parts, api.APIError) } },
    },
    plugins: [connectedApps(oauthProvider, settings), newSessions(api.createAuthEndpoint, cookies.setSessionCookie)],
    // The browser is not sent back to an app whose redirect cannot be trusted.
    onAPIError: { errorURL: new URL(CONSENT_PAGE, settings.PUBLIC_URL).href },
  });
}

function advanced(origin: URL) {
  return {
    cookiePrefix: "mailberth",
    // Set explicitly, because it would be off if NODE_ENV is "test".
    disableOriginCheck: false,
    useSecureCookies: origin.protocol === "https:",
    ipAddress: { ipAddressHeaders: [CLIENT_ADDRESS_HEADER] },
    database: { generateId: () => newId() },
  } satisfies BetterAuthOptions["advanced"];
}

/** Begins the session of a person who needs no check of a password: it was just set, or the company's issuer vouches. It has no path: only the service calls it. */
function newSessions(endpoint: typeof createAuthEndpoint, setCookie: typeof setSessionCookie) {
  const beginSession = endpoint.serverOnly({ method: "POST", body: newSession }, async (ctx) => {
    const { internalAdapter } = ctx.context;
    const user = await internalAdapter.findUserById(ctx.body.userId);
    if (!user) throw ctx.error("NOT_FOUND");
    const session = await internalAdapter.createSession(user.id, false, {
      companyEmail: ctx.body.companyEmail ?? null,
      secondFactor: ctx.body.secondFactor ?? false,
    });
    await setCookie(ctx, { session, user });
    return ctx.json({ user: { id: user.id } });
  });
  return { id: "new-sessions", endpoints: { beginSession } } satisfies BetterAuthPlugin;
}

type Hooks = NonNullable<BetterAuthOptions["databaseHooks"]>;
type Before<Table extends "session" | "account"> = NonNullable<
  NonNullable<NonNullable<Hooks[Table]>["create"]>["before"]
>;

/** A reset would give a password to a person who has none: the first company sign-in ended it. */
function passwordRule(parts: Parts, Refusal: typeof APIError): Before<"account"> {
  return async ({ userId, providerId }) => {
    if (providerId !== "credential" || !(await isCompanyPerson(parts, userId))) return;
    throw new Refusal("FORBIDDEN", { code: COMPANY_ACCOUNT, message: COMPANY_ONLY });
  };
}

/**
 * No session begins for a password where the person has a company account, nor for a password alone where the account has a second
 * factor. check-password.ts asks for its code then.
 */
function sessionRule(parts: Parts, Refusal: typeof APIError): Before<"session"> {
  const { db } = parts;
  return async (session, ctx) => {
    if (!session.companyEmail && (await isCompanyPerson(parts, session.userId))) {
      throw new Refusal("FORBIDDEN", { code: COMPANY_ACCOUNT, message: COMPANY_ONLY });
    }
    if (ctx?.path === CHANGE_PASSWORD) {
      return { data: { ...session, secondFactor: Boolean(ctx.context.session?.session.secondFactor) } };
    }
    if (session.companyEmail || session.secondFactor) return;
    const isOn = (await db.$count(tables.secondFactors, eq(tables.secondFactors.userId, session.userId))) > 0;
    if (isOn) throw new Refusal("FORBIDDEN", { code: SECOND_FACTOR_ASKED, message: "The second factor is missing." });
  };
}

/** Builds it, and waits for its setup, which reads the database. */
async function setUp(parts: Parts): Promise<Auth> {
  const auth = await build(parts);
  await auth.$context;
  return auth;
}

function passwords(parts: Parts) {
  const { sendReset, onAct, onNewPassword } = parts;
  return {
    enabled: true,
    // Only links create accounts (join.ts).
    disableSignUp: true,
    minPasswordLength: PASSWORD_MIN_CHARS,
    maxPasswordLength: PASSWORD_MAX_CHARS,
    revokeSessionsOnPasswordReset: true,
    resetPasswordTokenExpiresIn: RESET_SECONDS,
    async sendResetPassword({ user, token }) {
      if (!(await isCompanyPerson(parts, user.id))) await sendReset(user, token);
    },
    async onPasswordReset({ user }) {
      await onNewPassword(user.id);
      await onAct(user.id, "account.reset_password");
    },
  } satisfies BetterAuthOptions["emailAndPassword"];
}

function hooks({ settings, onAct, onNewPassword }: Parts, middleware: typeof createAuthMiddleware) {
  return {
    // With OUTBOUND=local, mail could only reach a mailbox of this service: no account is looked up, and no token is
    // created.
    before: middleware(async ({ path, body }) => {
      const isLocalReset = path === REQUEST_RESET && settings.OUTBOUND === "local";
      return isLocalReset && z.email().safeParse(body?.email).success ? RESET_REQUESTED : undefined;
    }),
    after: middleware(async (ctx) => {
      const act = ACTS[ctx.path];
      const person = ctx.context.newSession ?? ctx.context.session;
      if (!act || !person || ctx.context.returned instanceof Error) return;
      if (ctx.path === CHANGE_PASSWORD) await onNewPassword(person.user.id);
      await onAct(person.user.id, act);
    }),
  };
}

/** better-auth, built on first use, and the queue of password hashes. */
export type SignIn = (() => Promise<Auth>) & { queue: PasswordQueue };

export function createSignIn(parts: Parts): SignIn {
  let auth: Promise<Auth> | undefined;
  const get = () => {
    auth ??= setUp(parts).catch((error) => {
      // The next call tries again.
      auth = undefined;
      throw error;
    });
    return auth;
  };
  return Object.assign(get, { queue: createPasswordQueue() });
}
