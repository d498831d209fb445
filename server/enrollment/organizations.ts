// Organizations: creating one, and finding the one an operator names by id or name.
import { asc, eq, or } from "drizzle-orm";
import { organizations } from "#db/schema.ts";
import type { Ctx, System } from "../context.ts";
import { ServiceError } from "../errors.ts";
import { decodeId, encodeId, newId } from "../ids.ts";

const NAME = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/**
 * @returns the organization as the operators' command prints it
 * @throws ServiceError `invalid_request` for a bad name or one that is in use
 */
export async function createOrganization(ctx: Ctx<System>, name: string): Promise<{ id: string; name: string }> {
  if (!NAME.test(name)) throw new ServiceError("invalid_request", "name: 1 to 100 characters in one line");
  const [row] = await ctx.db
    .insert(organizations)
    .values({ id: newId(), name, created_at: ctx.now() })
    .onConflictDoNothing()
    .returning();
  if (!row) throw new ServiceError("invalid_request", `There is an organization ${name} already.`);
  return { id: encodeId("org", row.id), name: row.name };
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
  return rows.map((row) => ({ id: encodeId("org", row.id), name: row.name, created_at: row.created_at.toISOString() }));
}
