// Prepares an empty database: creates an organization, an enrollment key, and a link for its owner.
import { asc, notExists } from "drizzle-orm";
import { organizations } from "#db/schema/enrollment.ts";
import { users } from "#db/schema/team.ts";
import type { Ctx, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { issueEnrollmentKey } from "../keys/issue-enrollment-key.ts";
import { newOwnerToken } from "../organizations/links.ts";
import { createOrganization, listOrganizations } from "../organizations/organizations.ts";

const ORGANIZATION = "Default";
const MAILBOXES = 1000;
/** Needs no quotes in a shell. */
const PLAIN_NAME = /^[\w.-]+$/;

export type FirstStart = {
  /** Set only on the first start of a database. */
  enrollmentKey: string | undefined;
  /** Set while there is no account: how to create the first one. */
  owner: FirstOwner | undefined;
};

/**
 * `token`: a link for the first owner, which replaces those of earlier starts. Only if no other machine can reach the
 * service, because the output may go to a log. Otherwise `organization`: the name or id for the operator's command.
 */
export type FirstOwner = { token: string } | { organization: string };

export async function firstStart(ctx: Ctx<System>): Promise<FirstStart> {
  const enrollmentKey = (await listOrganizations(ctx)).length > 0 ? undefined : await begin(ctx);
  return { enrollmentKey, owner: ctx.settings.ROLES.includes("web") ? await firstOwner(ctx) : undefined };
}

async function begin(ctx: Ctx<System>): Promise<string | undefined> {
  try {
    await createOrganization(ctx, ORGANIZATION);
  } catch (error) {
    if (error instanceof ServiceError) return; // another process created the organization first
    throw error;
  }
  const issued = await issueEnrollmentKey(ctx, {
    organization: ORGANIZATION,
    max_mailboxes: MAILBOXES,
    name: "First key",
  });
  return issued.key;
}

async function firstOwner(ctx: Ctx<System>): Promise<FirstOwner | undefined> {
  const [oldest] = await ctx.db
    .select({ id: organizations.id, name: organizations.name })
    .from(organizations)
    .where(notExists(ctx.db.select({ id: users.id }).from(users)))
    .orderBy(asc(organizations.id))
    .limit(1);
  if (!oldest) return undefined;
  if (ctx.settings.LOCAL_ONLY) return { token: await newOwnerToken(ctx, oldest.id) };
  return { organization: PLAIN_NAME.test(oldest.name) ? oldest.name : encodeId("org", oldest.id) };
}
