// Creates and updates organizations, and finds one by id or name for the operator.
import { and, asc, eq, exists, notExists, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { accounts, members, secondFactors } from "#db/schema/team.ts";
import { noteSettings } from "../activity/shown.ts";
import { readAddress } from "../base/addresses.ts";
import type { Ctx, Member, System } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId, encodeId, newId } from "../base/ids.ts";
import { ASKED_AGAIN_AFTER_MS, listAddresses, trustAddresses } from "../system-mail/addresses.ts";
import { askNow } from "../system-mail/write.ts";

const NAME = /^[^\p{Cc}\p{Cs}]{1,100}$/u;
const NAME_RULE = "1 to 100 characters in one line";
const OWNERS_MAX = 20;
const SECOND_MS = 1_000;

type Shown = {
  id: string;
  name: string;
  owner_emails: string[];
  paid_provisioning: boolean;
  require_company_sign_in: boolean;
  require_second_factor: boolean;
};

function shown(row: Shown): Shown {
  const { name, owner_emails, paid_provisioning, require_company_sign_in, require_second_factor } = row;
  const required = { require_company_sign_in, require_second_factor };
  return { id: encodeId("org", row.id), name, owner_emails, paid_provisioning, ...required };
}

function bad(path: keyof Shown, message: string, sentence: string): ServiceError {
  return new ServiceError("invalid_request", sentence, { issues: [{ path, message }] });
}

function badOwners(message: string): ServiceError {
  return bad("owner_emails", message, `owner: ${message}`);
}

function noAddress(address: string): ServiceError {
  return new ServiceError("notice_address_not_found", `${address} is not one of the addresses for notices.`);
}

function nameTaken(name: string): ServiceError {
  return bad("name", "is in use", `An organization named ${name} exists already. Choose another name.`);
}

/** @throws ServiceError `invalid_request` */
export function readName(name: string): string {
  if (!NAME.test(name)) throw bad("name", NAME_RULE, `name: ${NAME_RULE}`);
  return name;
}

function readOwners(emails: string[]): string[] {
  if (emails.length > OWNERS_MAX) throw badOwners(`at most ${OWNERS_MAX} addresses`);
  const read = emails.map((email) => {
    const { address } = readAddress(email) ?? {};
    if (!address) throw badOwners(`${JSON.stringify(email)} is not a mail address`);
    return address;
  });
  return [...new Set(read)];
}

/**
 * The name must be free, since operators name organizations in commands. Owners may choose any: a refusal would tell them
 * the names of other organizations.
 * @param ownerEmails addresses for notices; the operator vouches for them
 * @returns the organization as the operator's command prints it
 * @throws ServiceError `invalid_request` for an invalid name, a name in use, or an invalid address
 */
export async function createOrganization(ctx: Ctx<System>, name: string, ownerEmails: string[] = []): Promise<Shown> {
  const values = { id: newId(), name: readName(name), owner_emails: readOwners(ownerEmails), created_at: ctx.now() };
  return ctx.db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('organizations', 0))`);
    if ((await tx.$count(organizations, eq(organizations.name, name))) > 0) throw nameTaken(name);
    const [row] = await tx.insert(organizations).values(values).returning();
    if (!row) throw new Error("an insert returned no row");
    await trustAddresses(tx, ctx, row.id, row.owner_emails);
    return shown(row);
  });
}

/**
 * Replaces the addresses for notices, for which the operator vouches; with an empty list, no one is notified.
 * @throws ServiceError `not_found`, `invalid_request`
 */
export async function setOwners(ctx: Ctx<System>, idOrName: string, ownerEmails: string[]): Promise<Shown> {
  const { id } = await findOrganization(ctx, idOrName);
  return ctx.db.transaction(async (tx) => {
    const changed = await change(tx, id, { owner_emails: readOwners(ownerEmails) });
    await trustAddresses(tx, ctx, id, changed.owner_emails);
    return changed;
  });
}

/**
 * Whether the organization pays for its mailboxes and may buy prepaid ones.
 * @throws ServiceError `not_found`
 */
export async function setPaidProvisioning(ctx: Ctx<System>, idOrName: string, paid: boolean): Promise<Shown> {
  const { id } = await findOrganization(ctx, idOrName);
  return change(ctx.db, id, { paid_provisioning: paid });
}

/**
 * Whether members must sign in with their company account: the operator's way back in if they cannot.
 * @throws ServiceError `not_found`
 */
export async function setCompanyRequired(ctx: Ctx<System>, idOrName: string, required: boolean): Promise<Shown> {
  const { id } = await findOrganization(ctx, idOrName);
  return change(ctx.db, id, { require_company_sign_in: required });
}

/**
 * Whether members without a company account must have a second factor: the operator's way back in.
 * @throws ServiceError `not_found`
 */
export async function setSecondFactorRequired(ctx: Ctx<System>, idOrName: string, required: boolean): Promise<Shown> {
  const { id } = await findOrganization(ctx, idOrName);
  return change(ctx.db, id, { require_second_factor: required });
}

/**
 * Changes by an owner; omitted fields stay. A new address that is no member's is asked by one email.
 * @throws ServiceError `invalid_request` for an invalid name or address; `rate_limited` if an email is over the limits
 * (server/system-mail/gate.ts); `company_sign_in_required` if an owner with a password would require company sign-in;
 * `second_factor_missing` if an owner who has none would require one
 */
export async function updateOrganization(
  ctx: Ctx<Member>,
  input: {
    name?: string | undefined;
    owner_emails?: string[] | undefined;
    require_company_sign_in?: boolean | undefined;
    require_second_factor?: boolean | undefined;
  },
): Promise<Shown> {
  const { organizationId, isCompany, secondFactor } = ctx.actor;
  const { name, owner_emails: ownerEmails, require_company_sign_in: required } = input;
  const { require_second_factor: requiresFactor } = input;
  // An owner who cannot sign in with a company account would lock themselves out.
  if (required && !isCompany) {
    throw new ServiceError(
      "company_sign_in_required",
      "Only an owner who signed in with a company account can require it.",
    );
  }
  if (requiresFactor && !isCompany && secondFactor !== "on") {
    throw new ServiceError("second_factor_missing", "Only an owner who has a second factor can require it.", {
      fix: "Turn on your second factor in your menu first.",
    });
  }
  const changed = await ctx.db.transaction(async (tx) => {
    const [before] = await tx.select().from(organizations).where(eq(organizations.id, organizationId)).for("update");
    const row = await change(tx, organizationId, {
      ...(name !== undefined && { name: readName(name) }),
      ...(ownerEmails && { owner_emails: readOwners(ownerEmails) }),
      ...(required !== undefined && { require_company_sign_in: required }),
      ...(requiresFactor !== undefined && { require_second_factor: requiresFactor }),
    });
    await noteSettings(ctx, tx, before ? shown(before) : {}, row);
    if (required) await endApps(tx, ctx, undefined);
    if (requiresFactor) await endApps(tx, ctx, withPasswordAlone(tx));
    if (ownerEmails) await askNow(tx, ctx, { organizationId, addresses: await pendingOf(tx, organizationId) });
    return row;
  });
  ctx.signals.raise("outbound");
  return changed;
}

/** Members may have connected them in a session that has no access any more. @param whose undefined: of all members */
async function endApps(
  tx: Transaction,
  { actor, memberApps, now }: Ctx<Member>,
  whose: SQL | undefined,
): Promise<void> {
  const { organizationId } = actor;
  const { userId } = members;
  const all = await tx
    .select({ userId })
    .from(members)
    .where(and(eq(members.organizationId, organizationId), whose));
  // Together, because each call locks the keys above theirs in one order.
  const userIds = all.map((member) => member.userId);
  await memberApps.end(tx, { userIds, organizationId }, now());
}

/** Members who sign in with a password and without a second factor. */
function withPasswordAlone(tx: Transaction): SQL | undefined {
  const { userId } = members;
  const factor = tx.select({ id: secondFactors.userId }).from(secondFactors).where(eq(secondFactors.userId, userId));
  const ofPassword = and(eq(accounts.userId, userId), eq(accounts.providerId, "credential"));
  return and(notExists(factor), exists(tx.select({ id: accounts.id }).from(accounts).where(ofPassword)));
}

async function pendingOf(db: Database, organizationId: string): Promise<string[]> {
  const listed = await listAddresses(db, organizationId);
  return listed.filter(({ state }) => state === "pending").map(({ address }) => address);
}

/**
 * Sends the email that asks a pending address for confirmation again.
 * @throws ServiceError `notice_address_not_found`, `invalid_request` if it is not pending, `rate_limited`
 */
export async function sendConfirmation(ctx: Ctx<Member>, address: string): Promise<void> {
  const { organizationId } = ctx.actor;
  await ctx.db.transaction(async (tx) => {
    const found = (await listAddresses(tx, organizationId)).find((one) => one.address === address);
    if (!found) throw noAddress(address);
    if (found.state === "refused") throw new ServiceError("invalid_request", "This person wants no notices.");
    if (found.state !== "pending") throw new ServiceError("invalid_request", "This address gets notices already.");
    if ((await askNow(tx, ctx, { organizationId, addresses: [address] })) > 0) return;
    throw new ServiceError("rate_limited", "This address got a letter in the last 24 hours. Send the next one later.", {
      headers: { "Retry-After": String(ASKED_AGAIN_AFTER_MS / SECOND_MS) },
    });
  });
  ctx.signals.raise("outbound");
}

async function change(db: Database, id: string, to: Partial<Omit<Shown, "id">>): Promise<Shown> {
  const [row] = await db.update(organizations).set(to).where(eq(organizations.id, id)).returning();
  if (!row) throw new ServiceError("not_found", `There is no organization ${encodeId("org", id)}.`);
  return shown(row);
}

/**
 * An id comes before a name, because an owner may give an organization the id of another as its name.
 * @throws ServiceError `not_found`, `invalid_request` for a name of several organizations
 */
export async function findOrganization(ctx: Ctx<System>, idOrName: string) {
  const id = decodeId("org", idOrName);
  const rows = await ctx.db
    .select()
    .from(organizations)
    .where(id ? eq(organizations.id, id) : eq(organizations.name, idOrName));
  const [row, ...more] = rows;
  if (!row) throw new ServiceError("not_found", `There is no organization ${idOrName}.`);
  if (more.length === 0) return row;
  const ids = rows.map((each) => encodeId("org", each.id)).sort();
  throw new ServiceError(
    "invalid_request",
    `${rows.length} organizations have the name ${idOrName}: ${ids.join(", ")}.`,
    {
      fix: "Name one by its id.",
    },
  );
}

/** Every organization, oldest first. */
export async function listOrganizations(ctx: Ctx<System>) {
  const rows = await ctx.db.select().from(organizations).orderBy(asc(organizations.id));
  return rows.map((row) => ({ ...shown(row), created_at: row.created_at.toISOString() }));
}
