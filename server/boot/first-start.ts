// The first start on an empty database: an organization to begin with, an enrollment key for it, and a link for its owner.
import type { Ctx, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { issueEnrollmentKey } from "../keys/enrollment-keys.ts";
import { newOwnerToken } from "../organizations/links.ts";
import { createOrganization, listOrganizations } from "../organizations/organizations.ts";

const ORGANIZATION = "Default";
const MAILBOXES = 1000;
/** Needs no quotes in a shell. */
const PLAIN_NAME = /^[\w.-]+$/;

export type FirstStart = {
  /** Once in the life of a database; undefined when there is an organization already. */
  enrollmentKey: string | undefined;
  /** While there is no account: the way to the first one. */
  owner: FirstOwner | undefined;
};

/**
 * `token` of a link for the first owner, which ends those of earlier starts; only where no other machine reaches the service, since
 * the output may go to a log. Else `organization`, by name or id, to make such a link for by the operators' command.
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
    if (error instanceof ServiceError) return; // another process that starts now was a moment earlier
    throw error;
  }
  const issued = await issueEnrollmentKey(ctx, {
    organization: ORGANIZATION,
    maxMailboxes: MAILBOXES,
    name: "made at first start",
  });
  return issued.key;
}

async function firstOwner(ctx: Ctx<System>): Promise<FirstOwner | undefined> {
  const [oldest] = await ctx.sql<{ id: string; name: string }[]>`
    select id, name from organizations where not exists (select 1 from users) order by id limit 1`;
  if (!oldest) return undefined;
  if (ctx.settings.LOCAL_ONLY) return { token: await newOwnerToken(ctx, oldest.id) };
  return { organization: PLAIN_NAME.test(oldest.name) ? oldest.name : encodeId("org", oldest.id) };
}
