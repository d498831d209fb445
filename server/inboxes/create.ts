// POST /v1/inboxes: creates a mailbox and counts it against the enrollment key, exactly.
// Creates that arrive together share one transaction, so that one busy quota row is locked once for all of them.
// Where the organization pays, a create that nothing speaks against asks for money, and reserves its mailbox before it moves.
import type { TransactionSql } from "postgres";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Agent, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { countMailboxes, lockQuotas, type Quota, takenOf } from "../keys/quota.ts";
import { isOver } from "../payments/find.ts";
import type { ShownPayment } from "../payments/header.ts";
import {
  acceptPayment,
  findShown,
  findTaken,
  insertPayments,
  type NewPayment,
  nonceKey,
  orderOf,
  withdrawPayments,
} from "../payments/require.ts";
import { pending } from "../payments/settle.ts";
import { capReached, countIn, lockRegistered, type Registered } from "../webhooks/caps.ts";
import { insertWebhooks, newWebhook } from "../webhooks/register.ts";
import { addressFor, generatedAddress } from "./address.ts";
import { deletedBefore, paidInbox } from "./paid.ts";
import { giveAddressBack } from "./reserved.ts";
import { type Created, RACED, UNPAID, type Wish } from "./wish.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Creates that arrive together share a transaction. */
    inboxCreates: GroupCommit<Wish, Created | ServiceError | typeof RACED | typeof UNPAID>;
  }
}

const BATCH_MAX = 64;
const BATCHES_IN_FLIGHT = 1;
const TRIES_MAX = 5;

export type CreateInput = {
  username?: string | undefined;
  domain?: string | undefined;
  display_name?: string | undefined;
  client_id?: string | undefined;
  inbound_webhook_url?: string | undefined;
};

type CreateNeeds = Pick<Services, "sql" | "now" | "settings" | "payments" | "outbound" | "signals">;

const NOTHING_SHOWN: ShownPayment = { header: undefined, version: 1 };

/**
 * Creates a mailbox, or finds the one that the same `client_id` made before (`replayed`; never counted twice).
 * @throws ServiceError `domain_not_allowed`, `insufficient_scope`, `invalid_request`, `invalid_webhook_url`,
 *   `too_many_webhooks`, `enrollment_token_exhausted`, `address_taken`, `inbox_deleted`; where it costs money also those of `acceptPayment`
 *   and `settlePayment`
 */
export async function createInbox(ctx: Ctx<Agent>, input: CreateInput, shown = NOTHING_SHOWN): Promise<Created> {
  if (ctx.actor.inboxIds) {
    throw new ServiceError("insufficient_scope", "This key is restricted to some inboxes and cannot create one.");
  }
  const place = addressFor(ctx, input);
  const order = orderOf({ kind: "inbox", mailboxes: 1, path: "/v1/inboxes", clientId: null }, [
    input.username,
    input.domain,
    input.display_name,
    input.client_id,
    input.inbound_webhook_url,
  ]);
  const paid = (id: string, replayed: boolean) => paidInbox(ctx, id, { version: shown.version, replayed });
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const paying = await findShown(ctx, shown, order);
    // What came to nothing is told only to who would have to pay again: its client_id may have found another way.
    const known = paying && !isOver(paying) ? await paid(paying.id, true) : undefined;
    if (known) return known;
    const wish = wishFor(ctx, input, place.address ?? generatedAddress(place.domain), place.domain);
    let result = await ctx.inboxCreates.add(wish);
    let payment: NewPayment | undefined;
    if (result === UNPAID) {
      payment = paying ? undefined : await acceptPayment(ctx, shown, order);
      if (payment) result = await ctx.inboxCreates.add(reserving(wish, payment));
      else if (paying) await paid(paying.id, true);
    }
    const generatedTwice = result instanceof ServiceError && result.code === "address_taken" && !place.address;
    if (result === RACED || result === UNPAID || generatedTwice) continue;
    // What is in the way may be a copy of this very request, taken since the look above.
    const inTheWay = result instanceof ServiceError || result.replayed;
    if (inTheWay && !paying && (await findShown(ctx, shown, order))) continue;
    if (result instanceof ServiceError) throw result;
    if (!payment || result.replayed) return result;
    const made = await paid(payment.id, false);
    if (made) return made;
  }
  throw new ServiceError("unavailable", "Too many creates of this address at once.", {
    headers: { "Retry-After": "1" },
  });
}

function wishFor(ctx: Ctx<Agent>, input: CreateInput, address: string, domain: string): Wish {
  const { actor } = ctx;
  const id = newId();
  const row = {
    id,
    organization_id: actor.organizationId,
    enrollment_key_id: actor.enrollmentKeyId,
    agent_id: actor.agentId,
    address,
    domain,
    display_name: input.display_name ?? "",
    metadata: {},
    client_id: input.client_id ?? null,
    status: "live" as const,
    created_at: ctx.now(),
  };
  const url = input.inbound_webhook_url;
  return { row, webhook: url === undefined ? undefined : newWebhook(ctx, { url, inboxId: id }) };
}

function reserving(wish: Wish, payment: NewPayment): Wish {
  return { ...wish, row: { ...wish.row, status: "reserved" }, payment };
}

export function createInboxCreates(services: CreateNeeds): Services["inboxCreates"] {
  return groupCommit(services, (wishes: Wish[]) => createTogether(services, wishes), {
    items: BATCH_MAX,
    weight: BATCH_MAX,
    inFlight: BATCHES_IN_FLIGHT,
    weigh: () => 1,
  });
}

/** One transaction: lock the quotas, look at what is there, decide in memory, insert. Results in the order of `wishes`. */
async function createTogether(services: CreateNeeds, wishes: Wish[]) {
  const { results, accepted } = await services.sql.begin(async (tx) => {
    const found = await lookAround(tx, wishes, services.now());
    const decided = decide(services, wishes, found);
    const inserted = await insert(services, tx, decided);
    const raced = new Set(decided.accepted.filter((wish) => !inserted.has(wish.row.id)).map((wish) => wish.row.id));
    const settled = decided.results.map((result) =>
      result instanceof ServiceError || typeof result === "symbol" || !raced.has(result.inbox.id) ? result : RACED,
    );
    return { results: settled, accepted: inserted.size };
  });
  if (accepted > 0 && services.outbound.identities) services.signals.raise("identities");
  return results;
}

/** `people`: those of the wished addresses at which a person has an account or an open invitation. */
type Found = { keys: Quota[]; existing: InboxRow[]; people: Set<string>; nonces: Set<string>; registered: Registered };

async function lookAround(tx: TransactionSql, wishes: Wish[], at: Date): Promise<Found> {
  const keyIds = [...new Set(wishes.map((wish) => wish.row.enrollment_key_id))];
  const keys = await lockQuotas(tx, keyIds);
  // After the locks, so that this sees what another process has just committed under them.
  const addresses = wishes.map((wish) => wish.row.address);
  const named = wishes.filter((wish) => wish.row.client_id !== null);
  const rows = await tx<(InboxRow | (Pick<InboxRow, "address"> & { status: "person" }))[]>`
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at
    from inboxes where address = any(${addresses})
    union
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at
    from inboxes where (organization_id, client_id) in (
      select * from unnest(${named.map((wish) => wish.row.organization_id)}::uuid[], ${named.map((wish) => wish.row.client_id)}::text[]))
    union all
    select null, null, mailbox, '', '', null, null, 'person', created_at from users where mailbox = any(${addresses})
    union all
    select null, null, mailbox, '', '', null, null, 'person', created_at from invitations
    where mailbox = any(${addresses}) and status = 'pending' and expires_at > ${at}`;
  const existing = rows.filter((row) => row.status !== "person");
  const people = new Set(rows.flatMap(({ status, address }) => (status === "person" ? address : [])));
  const nonces = await findTaken(
    tx,
    wishes.flatMap(({ payment }) => payment ?? []),
  );
  const hooked = wishes.filter(({ webhook }) => webhook);
  const registered = await lockRegistered(
    tx,
    hooked.map(({ row }) => row.organization_id),
  );
  return { keys, existing, people, nonces, registered };
}

function decide({ payments, settings }: CreateNeeds, wishes: Wish[], found: Found) {
  const { keys, existing, people, nonces, registered } = found;
  const left = new Map(keys.map((key) => [key.id, { ...key, free: key.max_mailboxes - key.used_count }]));
  const byAddress = new Map(existing.map((row) => [row.address, row]));
  const clientKey = (row: InboxRow) => `${row.organization_id} ${row.client_id}`;
  const byClientId = new Map(existing.filter((row) => row.client_id !== null).map((row) => [clientKey(row), row]));
  const accepted: Wish[] = [];
  const prepaid = new Set<string>();
  const superseded = new Map<string, InboxRow>();

  const results = wishes.map((wish): Created | ServiceError | typeof RACED | typeof UNPAID => {
    const { row, payment, webhook } = wish;
    if (payment && nonces.has(nonceKey(payment))) return RACED;
    const same = row.client_id === null ? undefined : byClientId.get(clientKey(row));
    if (same) return replay(same);
    const key = left.get(row.enrollment_key_id);
    if (!key) return new ServiceError("unauthorized", "This enrollment key was revoked.");
    if (key.free <= 0) return exhausted();
    // Whoever has the mailbox could read the letters of the account.
    if (people.has(row.address)) return taken(row.address);
    const holder = byAddress.get(row.address);
    // An organization may use its own deleted address again; nobody else ever may.
    if (holder && (holder.status !== "deleted" || holder.organization_id !== row.organization_id))
      return taken(row.address);
    const tooMany = webhook && capReached(settings, registered, row.organization_id, webhook);
    if (tooMany) return tooMany;
    if (payments && key.paid && !payment) {
      if (key.prepaid <= 0) return UNPAID;
      key.prepaid -= 1;
      prepaid.add(row.id);
    }
    if (payment) nonces.add(nonceKey(payment));
    if (holder) superseded.set(row.id, holder);
    key.free -= 1;
    byAddress.set(row.address, row);
    if (row.client_id !== null) byClientId.set(clientKey(row), row);
    if (webhook) countIn(registered, row.organization_id, webhook);
    accepted.push(wish);
    return { inbox: row, replayed: false, webhook: wish.webhook };
  });
  return { results, accepted, prepaid, superseded };
}

function replay(same: InboxRow): Created | ServiceError {
  if (same.status === "reserved") return pending();
  return same.status === "live" ? { inbox: same, replayed: true, webhook: undefined } : deletedBefore();
}

function exhausted(): ServiceError {
  return new ServiceError("enrollment_token_exhausted", "This enrollment key has created all the mailboxes it may.");
}

function taken(address: string): ServiceError {
  return new ServiceError("address_taken", `The address ${address} is not available.`);
}

/** The ids of the mailboxes that came to be. */
async function insert(services: CreateNeeds, tx: TransactionSql, decided: ReturnType<typeof decide>) {
  const { superseded, prepaid } = decided;
  const paid = await insertPayments(
    tx,
    decided.accepted.flatMap((wish) => paymentFor(wish, superseded)),
  );
  const accepted = decided.accepted.filter(({ payment }) => !payment || paid.has(payment.id));
  if (accepted.length === 0) return new Set<string>();
  const identity = services.outbound.identities ? "opening" : "open";
  const dueAt = services.outbound.identities ? services.now() : null;
  const rows = accepted.map(({ row }) => row).sort((a, b) => (a.address < b.address ? -1 : 1));
  const holders = accepted.flatMap(({ row }) => superseded.get(row.id)?.id ?? []);
  if (holders.length > 0) {
    await tx`update inboxes set address = 'superseded ' || id where id = any(${holders}) and status = 'deleted'`;
  }
  // A reserved mailbox has no sender identity yet.
  const inserted = await tx<{ id: string; enrollment_key_id: string }[]>`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata,
      client_id, status, identity_status, identity_next_attempt_at, created_at)
    select id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, '{}'::jsonb, client_id, status,
      case when status = 'live' then ${identity} else 'closed' end,
      case when status = 'live' then ${dueAt}::timestamptz end, created_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as t(id uuid, organization_id uuid, enrollment_key_id uuid,
      agent_id uuid, address text, domain text, display_name text, client_id text, status text, created_at timestamptz)
    on conflict do nothing returning id, enrollment_key_id`;
  const ids = new Set(inserted.map((row) => row.id));
  const raced = accepted.filter(({ row }) => !ids.has(row.id));
  await withdrawPayments(
    tx,
    raced.flatMap(({ payment }) => payment?.id ?? []),
  );
  for (const { row } of raced) await giveAddressBack(tx, superseded.get(row.id)?.id, row.address);
  const webhooks = accepted.flatMap(({ row, webhook, payment }) =>
    webhook && !payment && ids.has(row.id) ? [{ organizationId: row.organization_id, webhook }] : [],
  );
  await Promise.all([countMailboxes(tx, takenOf(inserted, prepaid)), insertWebhooks(tx, webhooks)]);
  return ids;
}

/** The row of a payment, with what it will take to make the mailbox live in another process. */
function paymentFor({ row, webhook, payment }: Wish, superseded: Map<string, InboxRow>) {
  if (!payment) return [];
  const brought = webhook ? { id: webhook.id, url: webhook.url, sealed: webhook.sealed.toString("base64") } : null;
  return [{ ...payment, inbox_id: row.id, superseded_inbox_id: superseded.get(row.id)?.id ?? null, webhook: brought }];
}
