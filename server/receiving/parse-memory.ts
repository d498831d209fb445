// Decides which new mail this process parses from memory: what it has just received need not be read from the database. The
// rest, and what a process that ended had in memory, is leased from the table.
import { createLimiter, type Limiter, type Share } from "../base/limiter.ts";
import type { Leased } from "./parse-lease.ts";
import type { PlannedMessage } from "./receive-plan.ts";

const MAILS_MAX = 512;
const BYTES_MAX = 32 * 1024 * 1024;
const MAIL_BYTES_MAX = 1024 * 1024;
/** Of both, for one organization. */
const SHARE = 1 / 2;

/** `closed`: this process has no worker, or is stopping. */
export type Memory = { closed: boolean; mails: Limiter; bytes: Limiter; held: Map<string, Share[]> };

export function createMemory(closed: boolean): Memory {
  const mails = createLimiter({ total: MAILS_MAX, each: MAILS_MAX * SHARE });
  const bytes = createLimiter({ total: BYTES_MAX, each: BYTES_MAX * SHARE });
  return { closed, mails, bytes, held: new Map() };
}

/** Whether the mail has room; then it is counted until `forget`. */
function hold(memory: Memory, { id, organization_id: organization, size }: PlannedMessage): boolean {
  if (memory.closed || size > MAIL_BYTES_MAX) return false;
  const [mail, bytes] = [memory.mails.open(organization), memory.bytes.open(organization)];
  if (mail.take() || bytes.take(size)) {
    mail.release();
    return false;
  }
  memory.held.set(id, [mail, bytes]);
  return true;
}

/** The new mails that have room, in order. They count until `forget`. */
export function holdFresh(memory: Memory, mails: PlannedMessage[]): Set<PlannedMessage> {
  return new Set(mails.filter((mail) => hold(memory, mail)));
}

export function forget({ held }: Memory, { id }: PlannedMessage): void {
  for (const share of held.get(id) ?? []) share.release();
  held.delete(id);
}

/** As the row that is leased from the table. */
export function leasedOf(mail: PlannedMessage): Leased {
  const { id, organization_id, inbox_id, size, from_address, envelope_from, remote_ip, helo, in_reply_to, quarantine } =
    mail;
  const { traceparent, local_sender } = mail;
  const own = {
    id,
    organization_id,
    inbox_id,
    size,
    from_address,
    envelope_from,
    remote_ip,
    helo,
    local_sender,
    in_reply_to,
    quarantine,
    traceparent,
  };
  return { ...own, attempts: 1, parse_faults: 0, rfc_message_id: mail.rfc_message_id, references: mail.references_ids };
}
