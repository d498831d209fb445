// Receives mail into mailboxes, both over SMTP and between mailboxes of this service.
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { readMailbox } from "../../base/addresses.ts";
import { type GroupCommit, groupCommit } from "../../base/batching/group-commit.ts";
import type { Ctx, Services, System } from "../../base/context.ts";
import { storageColumns, storageQuotas, storedBytes } from "../../inboxes/storage.ts";
import { readHeaders, summarize } from "./headers.ts";
import { type Failure, type StoreNeeds, storeBatch } from "./receive-batch.ts";
import type { IncomingMail, PreparedMail, ReceiveOutcome } from "./receive-plan.ts";

export type { IncomingMail, ReceiveOutcome } from "./receive-plan.ts";

declare module "../../base/context.ts" {
  interface Services {
    intake: Intake;
  }
}

const BATCH_MAILS = 64;
const BATCH_BYTES = 8 * 1024 * 1024;
const BATCHES_IN_FLIGHT = 1;
/** Larger mails share transactions of their own, so that small ones do not wait while megabytes are written. */
const LARGE_BYTES = 256 * 1024;
/** More Received headers than this are a loop (RFC 5321 §6.3). */
const MAX_HOPS = 50;
/** Larger bodies are hashed on another thread. */
const HASH_HERE_BYTES = 256 * 1024;
const KNOWN_MAILBOXES = 10_000;
const KNOWN_MAILBOX_TTL_MS = 5_000;
/** A mailbox with less free quota is looked up for each mail. */
const KNOWN_ROOM_BYTES = 64 * 1024 * 1024;

/** Recipients per query. */
const BATCH_RECIPIENTS = 100;

/**
 * Bytes that a live mailbox may still store; `unknown`: the mailbox does not exist, `foreign`: its domain is not hosted
 * here.
 */
type LookedUp = number | "unknown" | "foreign" | { error: unknown };

function domainOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf("@") + 1);
}

/** The domains that are hosted here. */
async function hostedDomains({ sql, settings }: Pick<Services, "sql" | "settings">, domains: string[]) {
  const asked = [...new Set(domains)].filter((domain) => domain !== settings.DEFAULT_DOMAIN);
  const rows =
    asked.length === 0
      ? []
      : await sql<{ domain: string }[]>`
          select domain from unnest(${asked}::text[]) as asked(domain)
          where exists (select 1 from inboxes i where i.domain = asked.domain and i.status = 'live')`;
  return new Set([settings.DEFAULT_DOMAIN, ...rows.map(({ domain }) => domain)]);
}

async function lookUp({ sql, settings }: StoreNeeds, mailboxes: string[]): Promise<LookedUp[]> {
  try {
    const rows = await sql<{ address: string; stored: number; organization_stored: number }[]>`
      select i.address, ${storageColumns(sql)} from inboxes i
      where address = any(${mailboxes}::text[]) and status = 'live'`;
    const { inbox, organization } = storageQuotas(settings);
    const room = new Map(
      rows.map((row) => [row.address, Math.min(inbox - row.stored, organization - row.organization_stored)]),
    );
    const hosted = await hostedDomains(
      { sql, settings },
      mailboxes.filter((mailbox) => !room.has(mailbox)).map(domainOf),
    );
    return mailboxes.map((mailbox) => room.get(mailbox) ?? (hosted.has(domainOf(mailbox)) ? "unknown" : "foreign"));
  } catch (error) {
    // A result, not a throw: retrying each lookup would not help while the database is unavailable.
    return mailboxes.map(() => ({ error }));
  }
}

type Intake = {
  /** Mails whose transaction is running: background work pauses for them. */
  small: GroupCommit<PreparedMail, ReceiveOutcome | Failure>;
  large: GroupCommit<PreparedMail, ReceiveOutcome | Failure>;
  /** One query at a time looks up all waiting recipients, so that guesses at addresses do not use up the pool. */
  lookUps: GroupCommit<string, LookedUp>;
  /**
   * Mailboxes that were live up to KNOWN_MAILBOX_TTL_MS ago, with their free quota then. Unknown ones are never cached,
   * because another process may create one now.
   */
  known: LRUCache<string, number>;
};

export function createIntake(services: StoreNeeds): Intake {
  const mails = () =>
    groupCommit(services, (batch: PreparedMail[]) => storeBatch(services, batch), {
      items: BATCH_MAILS,
      weight: BATCH_BYTES,
      inFlight: BATCHES_IN_FLIGHT,
      weigh: (mail) => mail.raw.length,
    });
  return {
    small: mails(),
    large: mails(),
    lookUps: groupCommit(services, (mailboxes: string[]) => lookUp(services, mailboxes), {
      items: BATCH_RECIPIENTS,
      weight: BATCH_RECIPIENTS,
      inFlight: 1,
      weigh: () => 1,
    }),
    known: new LRUCache<string, number>({ max: KNOWN_MAILBOXES, ttl: KNOWN_MAILBOX_TTL_MS }),
  };
}

/**
 * Whether mail for `recipient` would be accepted: `unknown` if there is no live mailbox, `foreign` if its domain has
 * none either, `full` if its mailbox or organization has no quota for a mail of `bytes`.
 * @param recipient envelope address, with its plus tag
 * @param bytes as the client declared it; 0 if it did not
 */
export async function checkRecipient(
  ctx: Ctx<System>,
  recipient: string,
  bytes: number,
): Promise<"ready" | "unknown" | "foreign" | "full"> {
  const mailbox = readMailbox(recipient);
  if (!mailbox) return "unknown";
  const needed = storedBytes(bytes);
  const { known, lookUps } = ctx.intake;
  if ((known.get(mailbox) ?? 0) >= needed) return "ready";
  const room = await lookUps.add(mailbox);
  if (room === "unknown" || room === "foreign") return room;
  if (typeof room === "object") throw room.error;
  if (room < needed) return "full";
  if (room >= KNOWN_ROOM_BYTES) known.set(mailbox, room);
  return "ready";
}

async function sha256(bytes: Buffer): Promise<Buffer> {
  if (bytes.length <= HASH_HERE_BYTES) return hash("sha256", bytes, "buffer");
  return Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
}

/** sha256(envelope sender, Message-ID, body), as hex. Without the header block, because every hop adds to it. */
async function duplicateKey(mail: IncomingMail, messageId: string, bodyStart: number): Promise<string> {
  const body = await sha256(mail.raw.subarray(bodyStart));
  return hash("sha256", JSON.stringify([mail.envelopeFrom, messageId, body.toString("hex")]), "hex");
}

/**
 * Stores one mail in all its mailboxes or none, with its event and deliveries. When this settles with `stored`, the
 * mail is on disk. The same mail (mailbox, envelope sender, Message-ID, body) within 72 h is not stored twice: its ids
 * are those of the first time. Mail without a Message-ID is always new.
 * @param mail.recipients envelope recipients with plus tags; two of one mailbox make one message
 * @throws if the database is unavailable or rejects it: nothing was stored, or the result is unknown
 */
export async function receiveMail(ctx: Ctx<System>, mail: IncomingMail): Promise<ReceiveOutcome> {
  const block = readHeaders(mail.raw);
  const summary = summarize(block);
  if (summary.hops > MAX_HOPS) return { outcome: "looping" };
  const mailboxes = new Map<string, string>();
  for (const recipient of mail.recipients) {
    const mailbox = readMailbox(recipient);
    if (!mailbox) return { outcome: "unknown_recipient", address: recipient };
    if (!mailboxes.has(mailbox)) mailboxes.set(mailbox, recipient);
  }
  const { small, large, known } = ctx.intake;
  const intake = mail.raw.length > LARGE_BYTES ? large : small;
  const outcome = await intake.add({
    ...mail,
    summary,
    mailboxes,
    duplicateKey: summary.messageId === null ? null : await duplicateKey(mail, summary.messageId, block.bodyStart),
  });
  if (outcome.outcome === "failed") throw outcome.error;
  if ("address" in outcome) known.delete(readMailbox(outcome.address) ?? "");
  return outcome;
}
