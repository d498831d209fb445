// Writes mail of the service itself to the owners of an organization, inside the transaction of its cause.
import type { TransactionSql } from "postgres";
import { newId } from "../ids.ts";

export type Notice = { organization_id: string; to_address: string; subject: string; text: string };

/** A letter to each owner of an organization; none when it names no owners. */
export async function noticesTo(
  tx: TransactionSql,
  organizationId: string,
  letter: { subject: string; text: string },
): Promise<Notice[]> {
  const rows = await tx<{ to_address: string }[]>`
    select unnest(owner_emails) as to_address from organizations where id = ${organizationId}`;
  return rows.map(({ to_address }) => ({ organization_id: organizationId, to_address, ...letter }));
}

/** They are due at once. Raise `outbound` after the commit. */
export async function writeNotices(tx: TransactionSql, notices: Notice[], now: Date): Promise<void> {
  if (notices.length === 0) return;
  const rows = notices.map((notice) => ({ id: newId(), ...notice, next_attempt_at: now, created_at: now }));
  await tx`insert into notices ${tx(rows)}`;
}
