// Writes the service's own mail in the transaction of its cause: notices to owners, invitations and password resets.
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import type { EmailTopic, NoticeChannel, NoticeTopic } from "#db/notice-topics.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { notices } from "#db/schema/events.ts";
import { noticeRoutes, users } from "#db/schema/team.ts";
import type { Services } from "../base/context.ts";
import { encodeId, newId } from "../base/ids.ts";
import { isHosted } from "../grants/hosted.ts";
import { ASKED_AGAIN_AFTER_MS, addressUrl, askingText, isOpen, listAddresses, takeTurnsToAsk } from "./addresses.ts";
import { passOrRefuse } from "./gate.ts";

// The subjects of emails. The list is closed, so no subject has words of strangers: no names of organizations, people,
// mailboxes and domains, and no subjects of mail.
type Wording = { one: string; many?: (things: number) => string };

/** Emails with `many` that wait for the same place are merged into one. {service} stands for the name of the service. */
const SUBJECTS: Record<EmailTopic, Wording> = {
  webhook_disabled: { one: "A webhook was disabled", many: (things) => `${things} webhooks were disabled` },
  domain_lost: { one: "A domain is lost", many: (things) => `${things} domains are lost` },
  mailboxes_deleted: {
    one: "The mailboxes of a domain were deleted",
    many: (things) => `The mailboxes of ${things} domains were deleted`,
  },
  approval: { one: "A message waits for approval", many: (things) => `${things} messages wait for approval` },
  postmaster: { one: "Mail to postmaster arrived", many: (things) => `${things} mails to postmaster arrived` },
  sending_paused: { one: "Sending is paused", many: (things) => `${things} pauses of sending` },
  test: { one: "Test notice from {service}" },
  invitation: { one: "You are invited to an organization on {service}" },
  reset: { one: "Set a new password" },
  second_factor: { one: "The second factor of your account changed" },
  company_account: { one: "Your company account was unlinked" },
  confirmation: { one: "Confirm this address for notices from {service}" },
};

export function isMergeable(topic: EmailTopic | null): boolean {
  return topic !== null && SUBJECTS[topic].many !== undefined;
}

export function subjectOf(topic: EmailTopic, { SERVICE_NAME }: { SERVICE_NAME: string }, things = 1): string {
  const { one, many } = SUBJECTS[topic];
  return things > 1 && many ? many(things) : one.replace("{service}", () => SERVICE_NAME);
}

/** `route_id`: of the member who chose to get it; null: an address of the organization. */
export type Recipient = { to_address: string; route_id: string | null; channel: NoticeChannel };
/** `things`: how many the text is about, 1 unless it is given. */
type Content = { topic: EmailTopic; text: string; things?: number };
export type Notice = { organization_id: string; kind?: "review" } & Recipient & Content;
/** `text` has LINK as a placeholder for the link. */
type Email = { organization_id: string; to_address: string; link: string } & Content & {
    kind: "reset" | "invitation" | "review" | "confirmation";
  };
export type EmailNeeds = Pick<Services, "settings" | "secrets" | "now" | "metrics" | "log">;

/** Of one organization and topic; a notice is written for each. */
const ROUTES_MAX = 100;
/** Emails about one topic that wait for one place; beyond that, none is written, and the dashboard has the cause. */
const WAITING_MAX = 250;

export const HOSTED = "not sent: the address receives its mail from this service, so another person could read it";

/**
 * A page of the dashboard. The link names the organization, because a reader may be in several.
 * @param page such as `domains`; empty: the overview
 * @param id of what the page shows
 */
export function dashboardUrl(
  { PUBLIC_URL }: Pick<Services["settings"], "PUBLIC_URL">,
  organizationId: string,
  page = "",
  id?: string,
): string {
  const url = new URL(page ? `/dashboard/${page}` : "/dashboard", PUBLIC_URL);
  if (id !== undefined) url.searchParams.set("id", id);
  url.searchParams.set("organization", encodeId("org", organizationId));
  return url.href;
}

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

/**
 * The addresses of an organization that may get notices. One that is not confirmed and was never asked, because it was listed
 * before addresses were confirmed, is asked now.
 */
export async function addressesOf(tx: Transaction, needs: EmailNeeds, organizationId: string): Promise<string[]> {
  const listed = await listAddresses(tx, organizationId);
  const unasked = listed.filter(({ state, asked_at }) => state === "pending" && asked_at === null);
  await ask(tx, needs, { organizationId, addresses: unasked.map(({ address }) => address), before: null });
  return [...new Set(listed.filter(isOpen).map(({ address }) => address))];
}

/** The addresses of an organization, which get all notices, and the routes of its members. */
export async function recipientsOf(
  tx: Transaction,
  needs: EmailNeeds,
  organizationId: string,
  topic: NoticeTopic,
): Promise<Recipient[]> {
  const addresses = await addressesOf(tx, needs, organizationId);
  return [...addresses.map(toAddress), ...(await routesTo(tx, { organizationId, topic }, addresses))];
}

/** A notice to each recipient of a topic. */
export async function noticesTo(
  tx: Transaction,
  needs: EmailNeeds,
  { organizationId, chosen }: { organizationId: string; chosen: NoticeTopic },
  content: Content,
): Promise<Notice[]> {
  const recipients = await recipientsOf(tx, needs, organizationId, chosen);
  return recipients.map((recipient) => ({ organization_id: organizationId, ...recipient, ...content }));
}

/** They pass the gate when the worker sends them (admit.ts). Signal `outbound` after the commit. */
export async function writeNotices(tx: Transaction, needs: EmailNeeds, written: Notice[]): Promise<void> {
  const now = needs.now();
  const rows = (await withRoom(tx, needs, written)).map((notice) => ({
    id: newId(),
    subject: subjectOf(notice.topic, needs.settings, notice.things),
    ...notice,
    next_attempt_at: now,
    created_at: now,
  }));
  if (rows.length > 0) await tx.insert(notices).values(rows);
}

/** Writes a test notice to a member by one of their routes. @throws ServiceError `rate_limited` */
export async function writeTest(
  tx: Transaction,
  needs: EmailNeeds,
  test: Omit<Notice, "topic" | "kind">,
): Promise<void> {
  const now = needs.now();
  const email = { ...test, topic: "test" as const, kind: "notice" as const };
  await passOrRefuse(tx, needs, email);
  // A chat is called by the request that tests it; the row shows that it was.
  const state = test.channel === "chat" ? { sent_at: now } : { next_attempt_at: now };
  const subject = subjectOf("test", needs.settings);
  await tx.insert(notices).values({ id: newId(), ...email, subject, passed_at: now, created_at: now, ...state });
}

/**
 * Writes a mail with a link, with the link encrypted. For an address that this service hosts, it fails here with a reason.
 * With OUTBOUND=local none is written, because it could only reach mailboxes of this service. A review passes the gate when
 * the worker sends it, another email now. Signal `outbound` after the commit.
 * @throws ServiceError `rate_limited`
 */
export async function writeEmail(tx: Transaction, needs: EmailNeeds, { link, ...email }: Email): Promise<void> {
  const { settings, secrets, now } = needs;
  if (settings.OUTBOUND === "local" && email.kind !== "confirmation") return;
  const [id, at] = [newId(), now()];
  const row = { id, subject: subjectOf(email.topic, settings), ...email, created_at: at };
  const isClosed = email.kind !== "confirmation" && (await isHosted(tx, needs, email.to_address));
  if (isClosed) {
    await tx.insert(notices).values({ ...row, link: null, next_attempt_at: null, error: HOSTED });
    return;
  }
  const isWaiting = email.kind === "review";
  if (isWaiting && (await withRoom(tx, needs, [{ ...email, ...toAddress(email.to_address) }])).length === 0) return;
  if (!isWaiting) await passOrRefuse(tx, needs, { ...email, ...toAddress(email.to_address) });
  const passed = { passed_at: isWaiting ? null : at };
  await tx.insert(notices).values({ ...row, ...passed, link: secrets.seal(link, id), next_attempt_at: at });
}

type Waiting = Recipient & { organization_id: string; topic: EmailTopic };

/** Without emails for places where WAITING_MAX about the topic wait already. */
async function withRoom<W extends Waiting>(tx: Transaction, { metrics, log }: EmailNeeds, written: W[]): Promise<W[]> {
  if (written.length === 0) return [];
  const { organization_id, to_address, route_id, topic } = notices;
  const ids = [...new Set(written.map((each) => each.organization_id))];
  const waiting = await tx
    .select({ organization_id, to_address, route_id, topic, count: sql<number>`count(*)::int` })
    .from(notices)
    .where(and(anyOf(organization_id, ids), isNotNull(notices.next_attempt_at), isNull(notices.passed_at)))
    .groupBy(organization_id, to_address, route_id, topic);
  const placeOf = (row: Omit<Waiting, "topic" | "channel"> & { topic: EmailTopic | null }) =>
    `${row.organization_id} ${row.topic} ${row.route_id} ${row.to_address}`;
  const full = new Set(waiting.filter(({ count }) => count >= WAITING_MAX).map(placeOf));
  const room = written.filter((each) => !full.has(placeOf(each)));
  const skipped = written.length - room.length;
  if (skipped > 0) {
    metrics.emails.inc({ outcome: "skipped" }, skipped);
    log.warn({ skipped, waiting: WAITING_MAX }, "emails were not written: too many wait for the same place");
  }
  return room;
}

/** Asks only addresses that were not asked since `before`; null: that were never asked. */
type Asking = { organizationId: string; addresses: string[]; before: Date | null };

/** Writes the emails that ask for confirmation; each one passes the gate when the worker sends it. */
async function ask(tx: Transaction, needs: EmailNeeds, asking: Asking): Promise<void> {
  const emails = await askingEmails(tx, needs, asking);
  if (emails.length === 0) return;
  await tx.insert(notices).values(emails.map(({ row }) => ({ ...row, next_attempt_at: needs.now() })));
}

/**
 * Asks addresses for which a member wants confirmation, unless they were asked within a day.
 * @returns how many were asked
 * @throws ServiceError `rate_limited`
 */
export async function askNow(
  tx: Transaction,
  needs: EmailNeeds,
  { organizationId, addresses }: Pick<Asking, "organizationId" | "addresses">,
): Promise<number> {
  const now = needs.now();
  const before = new Date(now.getTime() - ASKED_AGAIN_AFTER_MS);
  const emails = await askingEmails(tx, needs, { organizationId, addresses, before });
  for (const { row } of emails) {
    await passOrRefuse(tx, needs, { ...row, ...toAddress(row.to_address) });
    await tx.insert(notices).values({ ...row, passed_at: now, next_attempt_at: now });
  }
  return emails.length;
}

async function askingEmails(tx: Transaction, needs: EmailNeeds, asking: Asking) {
  const { organizationId } = asking;
  const addresses = await takeTurnsToAsk(tx, needs, asking);
  if (addresses.length === 0) return [];
  const [organization] = await tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  const text = askingText(needs.settings, organization?.name ?? "");
  return addresses.map((to_address) => {
    const id = newId();
    const link = needs.secrets.seal(addressUrl(needs, organizationId, to_address), id);
    const subject = subjectOf("confirmation", needs.settings);
    const about = { kind: "confirmation" as const, topic: "confirmation" as const, subject, text, link };
    return { row: { id, organization_id: organizationId, to_address, ...about, created_at: needs.now() } };
  });
}
