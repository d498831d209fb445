// The addresses for notices of an organization: a member's gets them, another one once the person there confirmed it.
import { and, eq, exists, isNull, lte, or, type SQL, sql } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { noticeAddresses } from "#db/schema/events.ts";
import { members, users } from "#db/schema/team.ts";
import type { Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { readSignedAddress, signAddress } from "../base/macs.ts";
import { foreignLine, LINK } from "./foreign.ts";

const DAY_MS = 86_400_000;
/** The pause between two emails that ask one address. */
export const ASKED_AGAIN_AFTER_MS = DAY_MS;
/** Where links of confirmation emails lead. */
export const NOTICES_BASE = "/notices/";

export type AddressState = "member" | "confirmed" | "pending" | "refused";
export type NoticeAddress = { address: string; state: AddressState; asked_at: Date | null };

/** The addresses that an organization lists, in its order. */
export async function listAddresses(db: Database, organizationId: string): Promise<NoticeAddress[]> {
  const listed = db
    .select({
      address: sql<string>`unnest(${organizations.owner_emails})`.as("listed_address"),
      place: sql<number>`generate_subscripts(${organizations.owner_emails}, 1)`.as("listed_place"),
    })
    .from(organizations)
    .where(eq(organizations.id, organizationId))
    .as("listed");
  const { organization_id, address, asked_at, confirmed_at, refused_at } = noticeAddresses;
  const isMember = exists(
    db
      .select({ id: members.id })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(eq(members.organizationId, organizationId), sql`${users.email} = lower(${listed.address})`)),
  );
  return db
    .select({
      address: listed.address,
      state: sql<AddressState>`case when ${isMember} then 'member' when ${refused_at} is not null then 'refused'
        when ${confirmed_at} is not null then 'confirmed' else 'pending' end`,
      asked_at,
    })
    .from(listed)
    .leftJoin(noticeAddresses, and(eq(organization_id, organizationId), eq(address, listed.address)))
    .orderBy(listed.place);
}

export function isOpen({ state }: NoticeAddress): boolean {
  return state === "member" || state === "confirmed";
}

/** Whether the organization lists the address, and it may get notices. */
export async function getsNotices(db: Database, organizationId: string, address: string): Promise<boolean> {
  return (await listAddresses(db, organizationId)).some((one) => one.address === address && isOpen(one));
}

/** The operator vouches for these addresses. */
export async function trustAddresses(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  organizationId: string,
  addresses: string[],
): Promise<void> {
  if (addresses.length === 0) return;
  const known = { confirmed_at: now(), refused_at: null };
  await tx
    .insert(noticeAddresses)
    .values(addresses.map((address) => ({ organization_id: organizationId, address, ...known })))
    .onConflictDoUpdate({ target: [noticeAddresses.organization_id, noticeAddresses.address], set: known });
}

/**
 * Takes the turns of addresses that may be asked now: not asked since `before`, and neither confirmed
 * nor refused. Of several transactions at a time one gets an address.
 */
export async function takeTurnsToAsk(
  tx: Transaction,
  { now }: Pick<Services, "now">,
  { organizationId, addresses, before }: { organizationId: string; addresses: string[]; before: Date | null },
): Promise<string[]> {
  if (addresses.length === 0) return [];
  const { organization_id, address, asked_at, confirmed_at, refused_at } = noticeAddresses;
  const isDue: SQL | undefined = before ? or(isNull(asked_at), lte(asked_at, before)) : isNull(asked_at);
  // In one order, so that two transactions do not wait for each other.
  const rows = [...addresses]
    .sort()
    .map((each) => ({ organization_id: organizationId, address: each, asked_at: now() }));
  const taken = await tx
    .insert(noticeAddresses)
    .values(rows)
    .onConflictDoUpdate({
      target: [organization_id, address],
      set: { asked_at: now() },
      setWhere: and(isDue, isNull(confirmed_at), isNull(refused_at)),
    })
    .returning({ address });
  return taken.map((row) => row.address);
}

/** The text of the email that asks. It is the only one that a person gets who never dealt with this service. */
export function askingText({ PUBLIC_URL }: Services["settings"], organization: string): string {
  return [
    `An organization on ${PUBLIC_URL} named this address for its notices: disabled webhooks, lost domains, messages that wait for approval, and mail to postmaster.`,
    `Organization: "${foreignLine(organization)}"`,
    `Open this link to get the notices, or to refuse them:\n\n${LINK}`,
    "If you do nothing, you get no notices.\n",
  ].join("\n\n");
}

export function addressUrl(
  { settings, secrets }: Pick<Services, "settings" | "secrets">,
  organizationId: string,
  address: string,
): string {
  const token = signAddress(secrets, "notice-address", { kind: "org", id: organizationId, address });
  return `${settings.PUBLIC_URL}${NOTICES_BASE}${token}`;
}

type Named = { organizationId: string; address: string };

function readToken({ secrets }: Pick<Services, "secrets">, token: string): Named {
  const signed = readSignedAddress(secrets, "notice-address", { kind: "org", token });
  if (!signed) throw noLink();
  return { organizationId: signed.id, address: signed.address };
}

/**
 * Changes nothing.
 * @throws ServiceError `link_not_found`, also if the organization no longer lists the address
 */
export async function findByToken(
  services: Pick<Services, "db" | "secrets">,
  token: string,
): Promise<Named & { state: AddressState; organization: string }> {
  const named = readToken(services, token);
  const found = (await listAddresses(services.db, named.organizationId)).find((one) => one.address === named.address);
  const [organization] = await services.db
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, named.organizationId));
  if (!found || !organization) throw noLink();
  return { ...named, state: found.state, organization: organization.name };
}

/** Confirms or refuses notices. Throws like `findByToken`. */
export async function decideByToken(
  services: Pick<Services, "db" | "secrets" | "now">,
  token: string,
  decision: "confirm" | "refuse",
): Promise<void> {
  const { organizationId, address } = await findByToken(services, token);
  const at = services.now();
  const decided =
    decision === "confirm" ? { confirmed_at: at, refused_at: null } : { confirmed_at: null, refused_at: at };
  const { organization_id, address: column } = noticeAddresses;
  await services.db
    .insert(noticeAddresses)
    .values({ organization_id: organizationId, address, ...decided })
    .onConflictDoUpdate({ target: [organization_id, column], set: decided });
}

function noLink(): ServiceError {
  return new ServiceError("link_not_found", "This link is not valid. Use the whole link from the mail.", {
    fix: "If the organization named your address again, use the link of its newest letter.",
  });
}
