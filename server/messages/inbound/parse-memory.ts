// Decides which new mail this process parses from memory: what it has just received need not be read from the database. The
// rest, and what a process that ended had in memory, is leased from the table.
import type { Leased } from "./parse-lease.ts";
import type { PlannedMessage } from "./receive-plan.ts";

const MAILS_MAX = 512;
const BYTES_MAX = 32 * 1024 * 1024;
const MAIL_BYTES_MAX = 1024 * 1024;
/** Of both, for one organization. */
const SHARE = 1 / 2;

type Held = { mails: number; bytes: number };
/** `closed`: this process has no worker, or is stopping. */
export type Memory = { closed: boolean; held: Held; byOrganization: Map<string, Held> };

const NONE: Held = { mails: 0, bytes: 0 };

export function createMemory(closed: boolean): Memory {
  return { closed, held: NONE, byOrganization: new Map() };
}

function added({ mails, bytes }: Held, sign: 1 | -1, size: number): Held {
  return { mails: mails + sign, bytes: bytes + sign * size };
}

const fits = ({ mails, bytes }: Held, share: number) => mails <= MAILS_MAX * share && bytes <= BYTES_MAX * share;

/** Whether the mail has room; then it is counted until `forget`. */
function hold(memory: Memory, { organization_id: organization, size }: PlannedMessage): boolean {
  const held = added(memory.held, 1, size);
  const own = added(memory.byOrganization.get(organization) ?? NONE, 1, size);
  if (memory.closed || size > MAIL_BYTES_MAX || !fits(held, 1) || !fits(own, SHARE)) return false;
  memory.held = held;
  memory.byOrganization.set(organization, own);
  return true;
}

/** The new mails that have room, in order. They count until `forget`. */
export function holdFresh(memory: Memory, mails: PlannedMessage[]): Set<PlannedMessage> {
  return new Set(mails.filter((mail) => hold(memory, mail)));
}

export function forget(memory: Memory, { organization_id: organization, size }: PlannedMessage): void {
  memory.held = added(memory.held, -1, size);
  const own = added(memory.byOrganization.get(organization) ?? NONE, -1, size);
  if (own.mails > 0) memory.byOrganization.set(organization, own);
  else memory.byOrganization.delete(organization);
}

/** As the row that is leased from the table. */
export function leasedOf(mail: PlannedMessage): Leased {
  const { id, organization_id, inbox_id, size, from_address, envelope_from, remote_ip, helo, in_reply_to } = mail;
  const { traceparent } = mail;
  const own = {
    id,
    organization_id,
    inbox_id,
    size,
    from_address,
    envelope_from,
    remote_ip,
    helo,
    in_reply_to,
    traceparent,
  };
  return { ...own, attempts: 1, parse_faults: 0, rfc_message_id: mail.rfc_message_id, references: mail.references_ids };
}
