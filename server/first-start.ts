// The first start on an empty database: an organization to begin with, an enrollment key for it, and a link for its owner.
import type { Ctx, System } from "./context.ts";
import { issueEnrollmentKey } from "./enrollment/enrollment-keys.ts";
import { createOrganization, listOrganizations } from "./enrollment/organizations.ts";
import { ServiceError } from "./errors.ts";
import { newOwnerToken } from "./team/links.ts";

const ORGANIZATION = "Default";
const MAILBOXES = 1000;

export type FirstStart = {
  /** Once in the life of a database; undefined when there is an organization already. */
  enrollmentKey: string | undefined;
  /** For as long as nobody has an account: a link for the first owner; those of earlier starts are over. */
  ownerToken: string | undefined;
};

export async function firstStart(ctx: Ctx<System>): Promise<FirstStart> {
  const enrollmentKey = (await listOrganizations(ctx)).length > 0 ? undefined : await begin(ctx);
  return { enrollmentKey, ownerToken: ctx.settings.ROLES.includes("web") ? await ownerToken(ctx) : undefined };
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

async function ownerToken(ctx: Ctx<System>): Promise<string | undefined> {
  const [oldest] = await ctx.sql<{ id: string }[]>`
    select id from organizations where not exists (select 1 from users) order by id limit 1`;
  return oldest && newOwnerToken(ctx, oldest.id);
}
