// The first start on an empty database: an organization to begin with, and an enrollment key for it.
import type { Ctx, System } from "./context.ts";
import { issueEnrollmentKey } from "./enrollment/enrollment-keys.ts";
import { createOrganization, listOrganizations } from "./enrollment/organizations.ts";
import { ServiceError } from "./errors.ts";

const ORGANIZATION = "Default";
const MAILBOXES = 1000;

/** @returns the enrollment key, once in the life of a database; undefined when there is an organization already */
export async function firstStart(ctx: Ctx<System>): Promise<string | undefined> {
  if ((await listOrganizations(ctx)).length > 0) return;
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
