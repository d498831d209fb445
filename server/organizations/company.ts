// Company sign-in: who may enter with a company account, and how long (docs/decisions/112-company-sign-in.md).
import { and, eq } from "drizzle-orm";
import { z } from "zod";
import type { Transaction } from "#db/client.ts";
import { accounts, members, secondFactors, sessions, users, verifications } from "#db/schema/team.ts";
import { readAddress } from "../base/addresses.ts";
import type { Client } from "../base/client-address.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { lockAddresses, refuseHosted } from "../grants/hosted.ts";
import { writeOwnAct } from "./audit.ts";
import { type Claims, refusalOf, refuseCompany } from "./company-provider.ts";
import { insertMember, insertPerson } from "./join.ts";
import { findLink, spendLink } from "./links.ts";
import { AUTH_BASE, COMPANY_PROVIDER } from "./sign-in.ts";
import { type AttemptCounter, countAttempt, takeBackAttempt } from "./sign-in-attempts.ts";

const COOKIE = "mailberth.company";
const COOKIE_VALUE = /(?:^|;\s*)mailberth\.company=([\w-]{1,4000})(?:;|$)/;
const SEALED_FOR = "company sign-in";
const FLOW_SECONDS = 600;
/** The issuer is asked again after this time, so that a person who left the company loses access. */
const SESSION_MS = 12 * 3_600_000;
const FREE_PER_ADDRESS = 100;
const HOME = "/dashboard";
const NAME_CHARS = 100;

const flowRule = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  token: z.string().optional(),
  until: z.number(),
});
type Flow = z.infer<typeof flowRule>;

/** What the sign-in page needs to know. `name`: of the account, on the button; null without OIDC_ISSUER. */
export function companyButton({ company, settings }: Services): { name: string | null } {
  return { name: company ? settings.OIDC_NAME : null };
}

/**
 * @param input `next`: a path of this service to open afterwards; `token`: of a link to join
 * @returns the issuer's page, and the cookie that the callback needs
 * @throws ServiceError `not_found` without OIDC_ISSUER, `unavailable` if the issuer does not answer
 */
export async function beginCompanySignIn(
  services: Services,
  input: { next?: string | undefined; token?: string | undefined },
): Promise<{ url: string; cookie: string }> {
  const { company, settings, secrets, now } = services;
  if (!company) throw new ServiceError("not_found", "This service has no company sign-in.");
  const { url, checks } = await company.begin().catch((error) => {
    services.log.warn({ error }, "company sign-in: the issuer cannot be used");
    throw new ServiceError("unavailable", "The company's sign-in service did not answer. Try again in a minute.");
  });
  const next = ownPath(input.next, settings.PUBLIC_URL);
  const flow: Flow = { ...checks, next, token: input.token, until: now().getTime() + FLOW_SECONDS * 1_000 };
  const sealed = secrets.seal(JSON.stringify(flow), SEALED_FOR).toString("base64url");
  return { url, cookie: flowCookie(services, sealed, FLOW_SECONDS) };
}

/**
 * Answers the issuer's callback.
 * @param from `query` of its URL, `cookies` of the request
 * @returns the path to open, and the cookies to set: those of the session, if the person may enter
 */
export async function finishCompanySignIn(
  services: Services,
  from: { query: string; cookies: string | undefined; client: Client },
): Promise<{ path: string; cookies: string[] }> {
  // A callback uses up its cookie, whatever its result.
  const spent = flowCookie(services, "", 0);
  try {
    const { path, cookies } = await enterWithin(services, from);
    return { path, cookies: [spent, ...cookies] };
  } catch (error) {
    const code = refusalOf(error) ?? (error instanceof ServiceError ? error.code : undefined);
    if (!code) throw error;
    services.log.info({ error }, "company sign-in refused");
    return { path: `/sign-in?company=${code}`, cookies: [spent] };
  }
}

/**
 * Whether a session of a company account still holds. Its domain must still be allowed, and it ends after 12 hours.
 * @param session as better-auth reads it
 */
export function companySessionHolds(
  { settings, now }: Pick<Services, "settings" | "now">,
  session: { companyEmail: string; createdAt: Date },
): boolean {
  return isAllowed(settings, session.companyEmail) && now().getTime() - session.createdAt.getTime() < SESSION_MS;
}

function isAllowed({ OIDC_ISSUER, OIDC_ALLOWED_DOMAINS = [] }: Services["settings"], email: string): boolean {
  return OIDC_ISSUER !== undefined && OIDC_ALLOWED_DOMAINS.includes(email.slice(email.lastIndexOf("@") + 1));
}

/** Every callback counts for its address until it succeeds. */
async function enterWithin(services: Services, from: { query: string; cookies: string | undefined; client: Client }) {
  const { network, behindUndeclaredProxy } = from.client;
  const holder = behindUndeclaredProxy ? undefined : network;
  const counters: AttemptCounter[] = holder
    ? [{ name: `company:${holder}`, freeFailures: FREE_PER_ADDRESS, clearedBySuccess: false }]
    : [];
  await countAttempt(services, counters);
  const flow = readFlow(services, from.cookies);
  const claims = await services.company?.finish(from.query, flow, holder);
  if (!claims) throw refuseCompany("expired");
  const email = readEmail(services.settings, claims);
  const entered = await enter(services, { ...claims, email }, flow.token);
  await takeBackAttempt(services, counters);
  return { path: ownPath(flow.next, services.settings.PUBLIC_URL), cookies: entered };
}

function readFlow({ secrets, now }: Services, cookies: string | undefined): Flow {
  try {
    const sealed = Buffer.from(COOKIE_VALUE.exec(cookies ?? "")?.[1] ?? "", "base64url");
    const flow = flowRule.parse(JSON.parse(secrets.open(sealed, SEALED_FOR)));
    if (flow.until > now().getTime()) return flow;
  } catch {
    // Not a cookie of this service.
  }
  throw refuseCompany("expired");
}

function readEmail(settings: Services["settings"], { email: given, isVerified }: Claims): string {
  const email = given?.toLowerCase() ?? "";
  if (!isVerified || !z.email().safeParse(email).success || !readAddress(email)) throw refuseCompany("not_verified");
  if (!isAllowed(settings, email)) throw refuseCompany("domain_not_allowed");
  return email;
}

/** @returns the cookies of the new session */
async function enter(services: Services, claims: Claims & { email: string }, token: string | undefined) {
  const link = token === undefined ? undefined : await findLink(services, token);
  if (link?.email && link.email.toLowerCase() !== claims.email) throw refuseCompany("other_invitation");
  const userId = await services.db.transaction(async (tx) => {
    const known = await findPerson(tx, services, claims);
    const isMember = known !== undefined && (await tx.$count(members, eq(members.userId, known))) > 0;
    if (!isMember && !link) throw refuseCompany("not_invited");
    const id = known ?? (await newPerson(tx, services, claims));
    if (link && token !== undefined) {
      await spendLink(tx, link, token, services.now());
      await insertMember(tx, services, link, id);
    }
    const log = { db: tx, now: services.now };
    await writeOwnAct(log, id, "session.company_sign_in");
    if (link) await writeOwnAct(log, id, "team.join");
    return id;
  });
  const auth = await services.signIn();
  const body = { userId, companyEmail: claims.email };
  const answer = await auth.api.beginSession({ body, asResponse: true });
  return answer.headers.getSetCookie();
}

function providerOf({ issuer }: Claims): string {
  return COMPANY_PROVIDER + issuer;
}

/** The person of the company account; at the first sign-in, the account of the same address becomes theirs. */
async function findPerson(tx: Transaction, services: Services, claims: Claims & { email: string }) {
  const { providerId, accountId, userId } = accounts;
  const ofIssuer = eq(providerId, providerOf(claims));
  const [linked] = await tx
    .select({ userId })
    .from(accounts)
    .where(and(ofIssuer, eq(accountId, claims.subject)));
  if (linked) return linked.userId;
  const [person] = await tx.select({ id: users.id }).from(users).where(eq(users.email, claims.email)).for("update");
  if (!person) return;
  const [other] = await tx
    .select({ subject: accountId })
    .from(accounts)
    .where(and(ofIssuer, eq(userId, person.id)));
  // Linked while this waited for the row of the person.
  if (other?.subject === claims.subject) return person.id;
  // The company gave the address to another person.
  if (other) throw refuseCompany("other_account");
  await endOtherWaysIn(tx, services, person.id);
  await linkCompany(tx, services, claims, person.id);
  return person.id;
}

/** The password may be of another person, who never proved that the address is theirs. */
async function endOtherWaysIn(tx: Transaction, { memberApps, now }: Services, userId: string): Promise<void> {
  await tx.delete(accounts).where(and(eq(accounts.userId, userId), eq(accounts.providerId, "credential")));
  await tx.delete(secondFactors).where(eq(secondFactors.userId, userId));
  await tx.delete(sessions).where(eq(sessions.userId, userId));
  // Links to set a new password.
  await tx.delete(verifications).where(eq(verifications.value, userId));
  await memberApps.end(tx, { userIds: [userId] }, now());
}

async function linkCompany(tx: Transaction, { now }: Services, claims: Claims, userId: string): Promise<void> {
  const row = { id: newId(), userId, accountId: claims.subject, providerId: providerOf(claims) };
  await tx.insert(accounts).values({ ...row, createdAt: now(), updatedAt: now() });
}

async function newPerson(tx: Transaction, services: Services, claims: Claims & { email: string }): Promise<string> {
  await lockAddresses(tx);
  await refuseHosted(tx, services, claims.email);
  const id = newId();
  const name = (claims.name ?? "")
    .replace(/[\p{Cc}\p{Cs}<>]/gu, " ")
    .trim()
    .slice(0, NAME_CHARS)
    .toWellFormed();
  await insertPerson(tx, { id, email: claims.email, name: name || claims.email }, services.now());
  await linkCompany(tx, services, claims, id);
  return id;
}

function flowCookie({ settings }: Services, value: string, seconds: number): string {
  const secure = settings.PUBLIC_URL.startsWith("https:") ? "; Secure" : "";
  return `${COOKIE}=${value}; Max-Age=${seconds}; Path=${AUTH_BASE}; HttpOnly; SameSite=Lax${secure}`;
}

/**
 * @param next untrusted
 * @returns a path of this service, which begins with one slash
 */
function ownPath(next: string | undefined, publicUrl: string): string {
  const { origin } = new URL(publicUrl);
  const url = next && /^\/(?![/\\])/.test(next) ? URL.parse(next, origin) : null;
  const path = url?.origin === origin ? `${url.pathname}${url.search}${url.hash}` : HOME;
  return path.startsWith("//") ? HOME : path;
}
