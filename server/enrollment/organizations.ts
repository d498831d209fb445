// Organizations: creating one, saying who owns it, and finding the one an operator names by id or name.
import { asc, eq, or } from "drizzle-orm";
import { organizations } from "#db/schema/enrollment.ts";
import { readAddress } from "../addresses.ts";
import type { Ctx, System } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { decodeId, encodeId, newId } from "../ids.ts";

const NAME = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
const OWNERS_MAX = 20;

type Shown = { id: string; name: string; owner_emails: string[]; paid_provisioning: boolean };

function shown(row: Shown): Shown {
  const { name, owner_emails, paid_provisioning } = row;
  return { id: encodeId("org", row.id), name, owner_emails, paid_provisioning };
}

function readOwners(emails: string[]): string[] {
  if (emails.length > OWNERS_MAX) throw new ServiceError("invalid_request", `owner: at most ${OWNERS_MAX} addresses`);
  const read = emails.map((email) => {
    const { address } = readAddress(email) ?? {};
    if (!address) throw new ServiceError("invalid_request", `owner: ${JSON.stringify(email)} is not a mail address`);
    return address;
  });
  return [...new Set(read)];
}

/**
 * @param ownerEmails who is told by mail when something of theirs stops working
 * @returns the organization as the operators' command prints it
 * @throws ServiceError `invalid_request` for a bad name or one that is in use, or a bad address
 */
export async function createOrganization(ctx: Ctx<System>, name: string, ownerEmails: string[] = []): Promise<Shown> {
  if (!NAME.test(name)) throw new ServiceError("invalid_request", "name: 1 to 100 characters in one line");
  const [row] = await ctx.db
    .insert(organizations)
    .values({ id: newId(), name, owner_emails: readOwners(ownerEmails), created_at: ctx.now() })
    .onConflictDoNothing()
    .returning();
  if (!row) throw new ServiceError("invalid_request", `There is an organization ${name} already.`);
  return shown(row);
}

/**
 * Replaces who owns an organization; an empty list means that nobody is told.
 * @throws ServiceError `not_found`, `invalid_request`
 */
export async function setOwners(ctx: Ctx<System>, idOrName: string, ownerEmails: string[]): Promise<Shown> {
  const { id } = await findOrganization(ctx, idOrName);
  const change = { owner_emails: readOwners(ownerEmails) };
  const [row] = await ctx.db.update(organizations).set(change).where(eq(organizations.id, id)).returning();
  if (!row) throw new ServiceError("not_found", `There is no organization ${idOrName}.`);
  return shown(row);
}

/**
 * Whether the organization pays for its mailboxes, and may buy.
 * @throws ServiceError `not_found`
 */
export async function setPaidProvisioning(ctx: Ctx<System>, idOrName: string, paid: boolean): Promise<Shown> {
  const { id } = await findOrganization(ctx, idOrName);
  const change = { paid_provisioning: paid };
  const [row] = await ctx.db.update(organizations).set(change).where(eq(organizations.id, id)).returning();
  if (!row) throw new ServiceError("not_found", `There is no organization ${idOrName}.`);
  return shown(row);
}

/** @throws ServiceError `not_found` */
export async function findOrganization(ctx: Ctx<System>, idOrName: string) {
  const id = decodeId("org", idOrName);
  const [row] = await ctx.db
    .select()
    .from(organizations)
    .where(or(eq(organizations.name, idOrName), id ? eq(organizations.id, id) : undefined));
  if (!row) throw new ServiceError("not_found", `There is no organization ${idOrName}.`);
  return row;
}

/** Every organization, oldest first. */
export async function listOrganizations(ctx: Ctx<System>) {
  const rows = await ctx.db.select().from(organizations).orderBy(asc(organizations.id));
  return rows.map((row) => ({ ...shown(row), created_at: row.created_at.toISOString() }));
}
