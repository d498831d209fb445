// Decides in memory which of the creates of one batch are accepted, from what their transaction has locked and read.
import type { Recorder } from "../activity/record.ts";
import type { Settings } from "../base/env.ts";
import { ServiceError } from "../base/errors.ts";
import type { InboxRow } from "../base/tenancy.ts";
import type { Quota } from "../keys/quota.ts";
import { capReached, countIn, type Registered } from "../webhooks/caps.ts";
import type { NewWebhook } from "../webhooks/insert.ts";
import { isLeased } from "./leased.ts";

const RETRY_AFTER_SECONDS = "5";

/** A mailbox to be created, with its webhook. `by`: in whose activity the create is recorded. */
export type Wish = {
  row: InboxRow & { enrollment_key_id: string; outgoing_delay_seconds: number };
  webhook: NewWebhook | undefined;
  /** The caller reaches only the mailboxes of its agent. */
  ownOnly?: boolean;
  by?: Recorder | undefined;
};
export type Created = { inbox: InboxRow; replayed: boolean; webhook: NewWebhook | undefined };

/** Another process took the address or the `client_id` between the look and the insert: look again. */
export const RACED = Symbol("raced");
/** The create is valid, and must be paid for. */
export const UNPAID = Symbol("unpaid");
export type Decision = Created | ServiceError | typeof RACED | typeof UNPAID;

/**
 * `people`: those of the wished addresses at which a person has an account or an open invitation. `gone`: the ids of the
 * wishes whose domain their organization may no longer use.
 */
export type Found = {
  keys: Quota[];
  existing: InboxRow[];
  people: Set<string>;
  gone: Set<string>;
  registered: Registered;
};

/**
 * `results` in the order of the wishes. `spends`: the ids of mailboxes that spend a prepaid one. `superseded`: the deleted
 * mailbox whose address a new one takes over, by the id of the new one.
 */
export type Decided = {
  results: Decision[];
  accepted: Wish[];
  spends: Set<string>;
  superseded: Map<string, InboxRow>;
};

/** @param paid these wishes are paid for: none of them spends a prepaid mailbox */
export function decide(settings: Settings, wishes: Wish[], found: Found, paid = false): Decided {
  const batch = {
    left: new Map(found.keys.map((key) => [key.id, { ...key, free: key.max_mailboxes - key.used_count }])),
    byAddress: new Map(found.existing.map((row) => [row.address, row])),
    byClientId: new Map(found.existing.flatMap((row) => (row.client_id === null ? [] : [[clientKey(row), row]]))),
  };
  const decided: Decided = { results: [], accepted: [], spends: new Set(), superseded: new Map() };
  for (const wish of wishes) decided.results.push(decideOne(wish));
  return decided;

  function decideOne({ row, webhook, ownOnly = false, by }: Wish): Decision {
    const same = row.client_id === null ? undefined : batch.byClientId.get(clientKey(row));
    if (same) return replay(same);
    const key = batch.left.get(row.enrollment_key_id);
    if (!key) return new ServiceError("unauthorized", "This enrollment key was revoked.");
    if (found.gone.has(row.id)) return domainGone(row.domain);
    if (key.free <= 0) return exhausted();
    const holder = batch.byAddress.get(row.address);
    // A mailbox at the address of a person could read the mail that opens the account.
    if (found.people.has(row.address)) return taken(row.address);
    if (holder && !mayReuse(holder, row))
      return isOwn(holder, row, ownOnly) ? takenByOwn(row.address) : taken(row.address);
    const tooMany = webhook && capReached(settings, found.registered, row.organization_id, webhook);
    if (tooMany) return tooMany;
    if (typeof key.prepaid === "number" && !paid) {
      if (key.prepaid <= 0) return UNPAID;
      key.prepaid -= 1;
      decided.spends.add(row.id);
    }
    key.free -= 1;
    return accept({ row, webhook, by }, holder);
  }

  function accept(wish: Wish, holder: InboxRow | undefined): Created {
    const { webhook, by } = wish;
    const row = holder ? { ...wish.row, address_since: holder.address_since ?? holder.created_at } : wish.row;
    if (holder) decided.superseded.set(row.id, holder);
    batch.byAddress.set(row.address, row);
    if (row.client_id !== null) batch.byClientId.set(clientKey(row), row);
    if (webhook) countIn(found.registered, row.organization_id, webhook);
    decided.accepted.push({ row, webhook, by });
    return { inbox: row, replayed: false, webhook };
  }
}

function clientKey({ agent_id, client_id }: InboxRow): string {
  return `${agent_id} ${client_id}`;
}

/** An organization may reuse the address of a mailbox that it deleted, unless it was leased. No other organization may. */
function mayReuse(holder: InboxRow, row: InboxRow): boolean {
  return holder.status === "deleted" && !isLeased(holder) && holder.organization_id === row.organization_id;
}

/** Whether the mailbox is one that the caller can use. */
function isOwn(holder: InboxRow, row: InboxRow, ownOnly: boolean): boolean {
  if (ownOnly && holder.agent_id !== row.agent_id) return false;
  return holder.status === "live" && !isLeased(holder) && holder.organization_id === row.organization_id;
}

function replay(same: InboxRow): Created | ServiceError {
  if (same.status === "live") return { inbox: same, replayed: true, webhook: undefined };
  return same.status === "deleted" ? deletedBefore() : awaitsPayment();
}

function awaitsPayment(): ServiceError {
  return new ServiceError("payment_pending", "The result of the payment for this mailbox is not known yet.", {
    headers: { "Retry-After": RETRY_AFTER_SECONDS },
  });
}

export function deletedBefore(): ServiceError {
  return new ServiceError("inbox_deleted", "The mailbox that this request created was deleted.");
}

function domainGone(domain: string): ServiceError {
  return new ServiceError(
    "domain_not_allowed",
    `Your organization does not hold the domain ${domain}, or another one has mailboxes on it.`,
    {
      fix: "Set `domain` to another one that GET /v1/auth/me lists in `allowed_domains`. To get this one, claim it with POST /v1/domains and verify it.",
    },
  );
}

function exhausted(): ServiceError {
  return new ServiceError("enrollment_token_exhausted", "This enrollment key has created all the mailboxes it may.");
}

function takenByOwn(address: string): ServiceError {
  return new ServiceError("address_taken", `Your organization has the mailbox ${address} already.`, {
    fix: `Use the mailbox (GET /v1/inboxes/${address.replace("@", "%40")}), or choose another \`username\`. To repeat a create safely, pass a \`client_id\`.`,
  });
}

/** The same text whether it is in use or was, so that it does not tell which. */
function taken(address: string): ServiceError {
  const rule = "An address that was used once is never given to another organization again.";
  return new ServiceError("address_taken", `The address ${address} is in use, or was used before. ${rule}`);
}
