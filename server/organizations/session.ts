// Finds the member of a request's session cookie, in the organization that the request names.
import type { IncomingHttpHeaders } from "node:http";
import { and, eq, lt } from "drizzle-orm";
import { organizations } from "#db/schema/enrollment.ts";
import { members, sessions } from "#db/schema/team.ts";
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
 * @returns a refusal (`unauthorized`, `not_a_member`, `company_sign_in_required`) instead of throwing it
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
  return {
    kind: "member",
    organizationId: row.organizationId,
    userId: user.id,
    name: user.name,
    email: user.email,
    role: row.role,
    isCompany,
    inboxIds: null,
    madeBy: null,
  };
}

/** @param organizationId null: any, and first one that this kind of session may enter */
async function findMember({ db }: Services, userId: string, organizationId: string | null, isCompany: boolean) {
  const { id, require_company_sign_in: requiresCompany } = organizations;
  const named = organizationId === null ? undefined : eq(members.organizationId, organizationId);
  const [row] = await db
    .select({ organizationId: members.organizationId, role: members.role, requiresCompany })
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
