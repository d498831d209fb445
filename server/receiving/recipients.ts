// Checks a recipient before its mail is sent: whether the mailbox exists and has room.
import { eq, sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { asInIndex } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import { readMailbox } from "../base/addresses.ts";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { storageColumns, storageQuotas, storedBytes } from "../inboxes/storage/count.ts";
import { findCatchAlls } from "./catch-all.ts";

const KNOWN_MAILBOXES = 10_000;
const KNOWN_MAILBOX_TTL_MS = 5_000;
/** A mailbox with less free quota is looked up for each mail. */
const KNOWN_ROOM_BYTES = 64 * 1024 * 1024;
/** Recipients per query. */
const BATCH_RECIPIENTS = 100;

/**
 * Bytes that a live mailbox may still store, `caught` those of the catch-all mailbox that takes its mail; `unknown`: the mailbox does
 * not exist, `foreign`: its domain is not hosted here.
 */
type LookedUp = number | { caught: number } | "unknown" | "foreign" | { error: unknown };

function domainOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf("@") + 1);
}

/** The domains that are hosted here. */
async function hostedDomains({ db, settings }: Pick<Needs, "db" | "settings">, domains: string[]) {
  const asked = [...new Set(domains)].filter((domain) => domain !== settings.DEFAULT_DOMAIN);
  const rows =
    asked.length === 0
      ? []
      : await db.execute<Pick<typeof inboxes.$inferSelect, "domain">>(sql`
          select domain from unnest(${sql.param(asked)}::text[]) as asked(domain)
          where exists (select 1 from ${inboxes}
            where ${inboxes.domain} = asked.domain and ${asInIndex(eq(inboxes.status, "live"))})`);
  return new Set([settings.DEFAULT_DOMAIN, ...rows.map(({ domain }) => domain)]);
}

/** Live mailbox → the bytes that it may still store, with those that its trash would free. */
async function readRoom({ sql: plain, settings, trashRoom }: Needs, mailboxes: string[]): Promise<Map<string, number>> {
  type Row = Pick<typeof inboxes.$inferSelect, "id" | "address"> & { stored: number; organization_stored: number };
  const rows = await plain<Row[]>`
    select i.id, i.address, ${storageColumns(plain)} from inboxes i
    where address = any(${mailboxes}::text[]) and status = 'live'`;
  const { inbox, organization } = storageQuotas(settings);
  const roomOf = (row: Row, trash = { inbox: 0, organization: 0 }) =>
    Math.min(inbox - row.stored + trash.inbox, organization - row.organization_stored + trash.organization);
  // Any mail fits into the others.
  const nearlyFull = rows.filter((row) => roomOf(row) < storedBytes(settings.SMTP_MAX_BYTES)).map(({ id }) => id);
  const trash = nearlyFull.length === 0 ? undefined : await trashRoom.of(nearlyFull);
  return new Map(rows.map((row) => [row.address, roomOf(row, trash?.get(row.id))]));
}

async function lookUp(needs: Needs, mailboxes: string[]): Promise<LookedUp[]> {
  try {
    const room = await readRoom(needs, mailboxes);
    const missing = mailboxes.filter((mailbox) => !room.has(mailbox));
    if (missing.length === 0) return mailboxes.map((mailbox) => room.get(mailbox) ?? "unknown");
    const hosted = await hostedDomains(needs, missing.map(domainOf));
    const caught = await findCatchAlls(
      needs,
      missing.filter((mailbox) => hosted.has(domainOf(mailbox))),
    );
    const caughtRoom = caught.size === 0 ? room : await readRoom(needs, [...new Set(caught.values())]);
    return mailboxes.map((mailbox) => {
      const caughtBytes = caughtRoom.get(caught.get(mailbox) ?? "");
      const none = hosted.has(domainOf(mailbox)) ? "unknown" : "foreign";
      return room.get(mailbox) ?? (caughtBytes === undefined ? none : { caught: caughtBytes });
    });
  } catch (error) {
    // A result, not a throw: retrying each lookup would not help while the database is unavailable.
    return mailboxes.map(() => ({ error }));
  }
}

type Needs = Pick<Services, "sql" | "db" | "settings" | "trashRoom">;

export type Recipients = {
  /** One query at a time looks up all waiting recipients, so that guesses at addresses do not use up the pool. */
  lookUps: GroupCommit<string, LookedUp>;
  /**
   * Mailboxes that were live up to KNOWN_MAILBOX_TTL_MS ago, with their free quota then. Unknown ones are never cached,
   * because another process may create one now.
   */
  known: LRUCache<string, number>;
};

export function createRecipients(services: Needs): Recipients {
  return {
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
 * Whether mail for `recipient` would be accepted: `caught` by the catch-all mailbox of its domain, `unknown` if there is no live mailbox, `foreign` if its domain has
 * none either, `full` if its mailbox or organization has no quota for a mail of `bytes`.
 * @param recipient envelope address, with its plus tag
 * @param bytes as the client declared it; 0 if it did not
 */
export async function checkRecipient(
  ctx: Ctx<System>,
  recipient: string,
  bytes: number,
): Promise<"ready" | "caught" | "unknown" | "foreign" | "full"> {
  const mailbox = readMailbox(recipient);
  if (!mailbox) return "unknown";
  const needed = storedBytes(bytes);
  const { known, lookUps } = ctx.intake.recipients;
  if ((known.get(mailbox) ?? 0) >= needed) return "ready";
  const room = await lookUps.add(mailbox);
  if (room === "unknown" || room === "foreign") return room;
  if (typeof room === "object" && "error" in room) throw room.error;
  // Not cached: a stranger chooses the address.
  if (typeof room === "object") return room.caught < needed ? "full" : "caught";
  if (room < needed) return "full";
  if (room >= KNOWN_ROOM_BYTES) known.set(mailbox, room);
  return "ready";
}
