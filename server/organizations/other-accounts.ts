// Changes of an account by another person: by an owner of all organizations of the person, or by the operator. Each organization of the
// person has them in its audit log.
import { and, asc, eq, ne, notInArray, type SQL } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { members, users } from "#db/schema/team.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { encodeId } from "../base/ids.ts";
import { writeActElsewhere, writeServiceAct } from "./audit.ts";
import type { Person } from "./emails.ts";

type Refusal = { message: string; fix: string };

/**
 * Changes the account of a member. The procedure records the act in the organization of the actor, and this function in the others.
 * @param id UUID; empty: none
 * @param refusal of a member whom another organization has too
 * @throws ServiceError `member_not_found`, `insufficient_role`
 */
export async function changeByOwner(
  ctx: Ctx<Member>,
  { id, action, refusal }: { id: string; action: string; refusal: Refusal },
  change: (tx: Transaction, person: Person) => Promise<void>,
): Promise<void> {
  const person = await findOwnedPerson(ctx, id, refusal);
  await ctx.db.transaction(async (tx) => {
    await change(tx, person);
    const isElsewhere = ne(members.organizationId, ctx.actor.organizationId);
    for (const { organizationId } of await organizationsOf(tx, person, isElsewhere))
      await writeActElsewhere(tx, ctx, { organizationId, action, subject: encodeId("usr", person.id) });
  });
}

function organizationsOf(tx: Transaction, person: Person, which?: SQL): Promise<{ organizationId: string }[]> {
  const { organizationId, userId, id } = members;
  return tx
    .select({ organizationId })
    .from(members)
    .where(and(eq(userId, person.id), which))
    .orderBy(asc(id));
}

/**
 * A member of this organization. An account belongs to all organizations of the person, so the owner of one of them cannot change
 * it for the others.
 * @param id UUID; empty: none
 * @throws ServiceError `member_not_found`, `insufficient_role` with the `refusal` if another organization has the member
 */
async function findOwnedPerson({ db, actor }: Ctx<Member>, id: string, refusal: Refusal): Promise<Person> {
  const found = db
    .select({ id: users.id, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.organizationId, actor.organizationId), eq(members.userId, id)));
  const [person] = id ? await found : [];
  if (!person) throw new ServiceError("member_not_found", "The member does not exist.");
  const owned = db
    .select({ id: members.organizationId })
    .from(members)
    .where(and(eq(members.userId, actor.userId), eq(members.role, "owner")));
  const elsewhere = and(eq(members.userId, person.id), notInArray(members.organizationId, owned));
  if ((await db.$count(members, elsewhere)) === 0) return person;
  throw new ServiceError("insufficient_role", refusal.message, { fix: refusal.fix });
}

/**
 * Changes the account with this address, and records the act in every organization of the person.
 * @throws ServiceError `not_found`
 */
export async function changeByOperator(
  ctx: Ctx<System>,
  { email: given, action }: { email: string; action: string },
  change: (tx: Transaction, person: Person) => Promise<void>,
): Promise<{ email: string }> {
  const email = given.toLowerCase();
  const [person] = await ctx.db.select({ id: users.id, email: users.email }).from(users).where(eq(users.email, email));
  if (!person) throw new ServiceError("not_found", `There is no account of ${email}.`);
  await ctx.db.transaction(async (tx) => {
    await change(tx, person);
    for (const each of await organizationsOf(tx, person))
      await writeServiceAct(tx, ctx, { ...each, action, subject: email });
  });
  return { email };
}
