// Writes the service's own mail in the transaction of its cause: notices to owners, invitations and password resets.
import { eq, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { notices } from "#db/schema/events.ts";
import type { Services } from "../base/context.ts";
import { newId } from "../base/ids.ts";
import { isHosted } from "../grants/hosted.ts";

export type Notice = { organization_id: string; to_address: string; subject: string; text: string };
/** `text` has LINK as a placeholder for the link. */
export type Letter = Notice & { kind: "reset" | "invitation" | "review"; link: string };

/** The placeholder in the stored text. */
export const LINK = "<link>";
export const HOSTED = "not sent: the address receives its mail from this service, so another person could read it";

/** A notice to each owner address of an organization. */
export async function noticesTo(
  tx: Transaction,
  organizationId: string,
  letter: { subject: string; text: string },
): Promise<Notice[]> {
  const rows = await tx
    .select({ to_address: sql<string>`unnest(${organizations.owner_emails})` })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  return rows.map(({ to_address }) => ({ organization_id: organizationId, to_address, ...letter }));
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
