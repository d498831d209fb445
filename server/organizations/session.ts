// Finds the member of a request's session cookie, in the organization that the request names.
import type { IncomingHttpHeaders } from "node:http";
import { and, eq, lt, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { organizations } from "#db/schema/enrollment.ts";
import { members, secondFactors, sessions } from "#db/schema/team.ts";
import type { Member, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { deleteOld } from "../base/retention.ts";
import { companySessionHolds } from "./company.ts";

const SESSION_COOKIE = /(?:^|;\s*)(?:__Secure-)?mailberth\.session_token=/;

/** Whether the request has a session cookie: without one better-auth is not even imported. */
export function hasSession({ cookie }: IncomingHttpHeaders): boolean {
  return cookie !== undefined && SESSION_COOKIE.test(cookie);
}

/**
 * The member, with current membership and role.
 * @param organization API id; undefined: the first one they joined
 * @param setCookies a renewed session has a new cookie
 * @returns a refusal (`unauthorized`, `not_a_member`, `company_sign_in_required`) instead of throwing it; a member whose
 * `secondFactor` is `missing` must not act
 */
export async function readMember(
  services: Services,
  request: IncomingHttpHeaders,
  organization: string | undefined,
  setCookies: (cookies: string[]) => void,
): Promise<Member | ServiceError> {
  const headers = new Headers({ cookie: request.cookie ?? "" });
  const auth = await services.signIn();
  const { response: session, headers: renewed } = await auth.api.getSession({ headers, returnHeaders: true });
  if (!session) return new ServiceError("unauthorized", "Your session has ended. Sign in again.");
  setCookies(renewed.getSetCookie());
  const { user } = session;
  const companyEmail = session.session.companyEmail ?? null;
  if (companyEmail !== null && !companySessionHolds(services, { ...session.session, companyEmail })) {
    return new ServiceError("unauthorized", "Your session has ended. Sign in with your company account again.");
  }
  const isCompany = companyEmail !== null;
  const organizationId = organization === undefined ? null : decodeId("org", organization);
  const row = organizationId === undefined ? undefined : await findMember(services, user.id, organizationId, isCompany);
  if (!row) return new ServiceError("not_a_member", `${user.email} is not a member of this organization.`);
  if (row.requiresCompany && !isCompany) {
    return new ServiceError(
      "company_sign_in_required",
      "This organization requires sign-in with your company account.",
    );
  }
  // Begun while the second factor was turned on, or by an older version of the service.
  if (row.hasSecondFactor && !isCompany && !session.session.secondFactor) {
    return new ServiceError("unauthorized", "Your session has ended. Sign in again.");
  }
  const isMissing = row.requiresSecondFactor && !isCompany;
  return {
    kind: "member",
    organizationId: row.organizationId,
    userId: user.id,
    name: user.name,
    email: user.email,
    role: row.role,
    sessionId: session.session.id,
    isCompany,
    secondFactor: row.hasSecondFactor ? "on" : isMissing ? "missing" : "off",
    inboxIds: null,
    madeBy: null,
  };
}

/** The organizations of a person, any of them, that require a second factor: the account is one for all of them. */
function requiring(db: Services["db"], userId: string) {
  const theirs = alias(members, "theirs");
  const required = alias(organizations, "required");
  return db
    .select({ one: sql`1` })
    .from(theirs)
    .innerJoin(required, eq(required.id, theirs.organizationId))
    .where(and(eq(theirs.userId, userId), eq(required.require_second_factor, true)));
}

/** @param organizationId null: any, and first one that this kind of session may enter */
async function findMember({ db }: Services, userId: string, organizationId: string | null, isCompany: boolean) {
  const { id, require_company_sign_in: requiresCompany } = organizations;
  const named = organizationId === null ? undefined : eq(members.organizationId, organizationId);
  const ofUser = db.select({ one: sql`1` }).from(secondFactors).where(eq(secondFactors.userId, userId));
  const [row] = await db
    .select({
      organizationId: members.organizationId,
      role: members.role,
      requiresCompany,
      hasSecondFactor: sql<boolean>`exists ${ofUser}`,
      requiresSecondFactor: sql<boolean>`exists ${requiring(db, userId)}`,
    })
    .from(members)
    .innerJoin(organizations, eq(id, members.organizationId))
    .where(and(eq(members.userId, userId), named))
    .orderBy(...(isCompany ? [] : [requiresCompany]), members.createdAt, members.id)
    .limit(1);
  return row;
}

export const pruneSessions = deleteOld({
  table: sessions,
  key: sessions.id,
  isOver: ({ now }) => lt(sessions.expiresAt, now()),
  oldestFirst: sessions.expiresAt,
});
