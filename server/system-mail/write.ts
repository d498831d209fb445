// Writes the service's own mail in the transaction of its cause: notices to owners, invitations and password resets.
import { and, eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import type { NoticeChannel, NoticeTopic } from "#db/notice-topics.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { notices } from "#db/schema/events.ts";
import { noticeRoutes, users } from "#db/schema/team.ts";
import type { Services } from "../base/context.ts";
import { newId } from "../base/ids.ts";
import { isHosted } from "../grants/hosted.ts";

/** `route_id`: of the member who chose to get it; null: an address of the organization. */
export type Recipient = { to_address: string; route_id: string | null; channel: NoticeChannel };
export type Notice = { organization_id: string; to_address: string; kind?: "review" } & Partial<Recipient> & Text;
type Text = { subject: string; text: string };
/** `text` has LINK as a placeholder for the link. */
export type Letter = { organization_id: string; to_address: string } & Text & {
    kind: "reset" | "invitation" | "review";
    link: string;
  };

/** Of one organization and topic; a notice is written for each. */
const ROUTES_MAX = 100;

/** The placeholder in the stored text. */
export const LINK = "<link>";
export const HOSTED = "not sent: the address receives its mail from this service, so another person could read it";

/**
 * Where the members of an organization chose to get notices about a topic.
 * @param addresses get the notice already: a route by mail to one of them is left out
 */
export async function routesTo(
  tx: Transaction,
  { organizationId, topic }: { organizationId: string; topic: NoticeTopic },
  addresses: string[],
): Promise<Recipient[]> {
  const { id, chatUrl, topics, userId } = noticeRoutes;
  const routes = await tx
    .select({
      to_address: users.email,
      route_id: id,
      channel: sql<NoticeChannel>`case when ${chatUrl} is null then 'mail' else 'chat' end`,
    })
    .from(noticeRoutes)
    .innerJoin(users, eq(users.id, userId))
    .where(and(eq(noticeRoutes.organizationId, organizationId), sql`${topic} = any(${topics})`))
    .orderBy(id)
    .limit(ROUTES_MAX);
  return routes.filter(({ to_address, channel }) => channel === "chat" || !addresses.includes(to_address));
}

/** To an address that no member chose. */
export function toAddress(address: string): Recipient {
  return { to_address: address, route_id: null, channel: "mail" };
}

/** The addresses of an organization, which get all notices, and the routes of its members. */
export async function recipientsOf(tx: Transaction, organizationId: string, topic: NoticeTopic): Promise<Recipient[]> {
  const rows = await tx
    .select({ to_address: sql<string>`unnest(${organizations.owner_emails})` })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  const addresses = [...new Set(rows.map(({ to_address }) => to_address))];
  return [...addresses.map(toAddress), ...(await routesTo(tx, { organizationId, topic }, addresses))];
}

/** A notice to each recipient of a topic. */
export async function noticesTo(
  tx: Transaction,
  organizationId: string,
  topic: NoticeTopic,
  letter: Text,
): Promise<Notice[]> {
  const recipients = await recipientsOf(tx, organizationId, topic);
  return recipients.map((recipient) => ({ organization_id: organizationId, ...recipient, ...letter }));
}

/** They are due immediately. Signal `outbound` after the commit. */
export async function writeNotices(tx: Transaction, written: Notice[], now: Date): Promise<void> {
  if (written.length === 0) return;
  const rows = written.map((notice) => ({ id: newId(), ...notice, next_attempt_at: now, created_at: now }));
  await tx.insert(notices).values(rows);
}

/**
 * Writes a mail with a link, due immediately, with the link encrypted. For an address that this service hosts, it fails
 * here with a reason. With OUTBOUND=local none is written, because it could only reach mailboxes of this service.
 * Signal `outbound` after the commit.
 */
export async function writeLetter(
  tx: Transaction,
  services: Pick<Services, "settings" | "secrets" | "now">,
  { link, ...letter }: Letter,
): Promise<void> {
  if (services.settings.OUTBOUND === "local") return;
  const id = newId();
  const now = services.now();
  const hosted = await isHosted(tx, services, letter.to_address);
  const outcome = hosted
    ? { link: null, next_attempt_at: null, error: HOSTED }
    : { link: services.secrets.seal(link, id), next_attempt_at: now, error: null };
  await tx.insert(notices).values({ id, ...letter, ...outcome, created_at: now });
}
