// POST /v1/inboxes: creates a mailbox and counts it against the enrollment key, exactly.
// Creates that arrive together share one transaction, so that one busy quota row is locked once for all of them.
import type { TransactionSql } from "postgres";
import type { Agent, Ctx, Services } from "../context.ts";
import { countMailboxes, lockQuotas, type Quota } from "../enrollment/quota.ts";
import { ServiceError } from "../errors.ts";
import { groupCommit, oncePerService } from "../group-commit.ts";
import { newId } from "../ids.ts";
import type { InboxRow } from "../tenancy.ts";
import { insertWebhooks, type NewWebhook, newWebhook } from "../webhooks/register.ts";
import { addressFor, generatedAddress } from "./address.ts";

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

type Wish = { row: InboxRow & { enrollment_key_id: string; agent_id: string }; webhook: NewWebhook | undefined };
type Created = { inbox: InboxRow; replayed: boolean; webhook: NewWebhook | undefined };

/** Another process took the address or the `client_id` between our look and our insert: look again. */
const RACED = Symbol("raced");

/**
 * Creates a mailbox, or finds the one that the same `client_id` made before (`replayed`; never counted twice).
 * @throws ServiceError `domain_not_allowed`, `insufficient_scope`, `invalid_request`, `invalid_webhook_url`,
 *   `enrollment_token_exhausted`, `address_taken`, `inbox_deleted`
 */
export async function createInbox(ctx: Ctx<Agent>, input: CreateInput): Promise<Created> {
  if (ctx.actor.inboxIds) {
    throw new ServiceError("insufficient_scope", "This key is restricted to some inboxes and cannot create one.");
  }
  const place = addressFor(ctx, input);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const address = place.address ?? generatedAddress(place.domain);
    const result = await batches(ctx).add(wishFor(ctx, input, address, place.domain));
    const generatedTwice = result instanceof ServiceError && result.code === "address_taken" && !place.address;
    if (result === RACED || generatedTwice) continue;
    if (result instanceof ServiceError) throw result;
    return result;
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

const batches = oncePerService((services) =>
  groupCommit<Wish, Created | ServiceError | typeof RACED>((wishes) => createTogether(services, wishes), {
    items: BATCH_MAX,
    weight: BATCH_MAX,
    inFlight: BATCHES_IN_FLIGHT,
    weigh: () => 1,
  }),
);

/** One transaction: lock the quotas, look at what is there, decide in memory, insert. Results in the order of `wishes`. */
async function createTogether(services: Services, wishes: Wish[]) {
  const { results, accepted } = await services.sql.begin(async (tx) => {
    const [keys, existing] = await lookAround(tx, wishes);
    const decided = decide(wishes, keys, existing);
    const inserted = await insert(services, tx, decided.accepted, decided.superseded);
    const raced = new Set(decided.accepted.filter((wish) => !inserted.has(wish.row.id)).map((wish) => wish.row.id));
    const settled = decided.results.map((result) =>
      result instanceof ServiceError || !raced.has(result.inbox.id) ? result : RACED,
    );
    return { results: settled, accepted: inserted.size };
  });
  if (accepted > 0 && services.outbound.identities) services.signals.raise("identities");
  return results;
}

async function lookAround(tx: TransactionSql, wishes: Wish[]): Promise<[Quota[], InboxRow[]]> {
  const keyIds = [...new Set(wishes.map((wish) => wish.row.enrollment_key_id))];
  const keys = await lockQuotas(tx, keyIds);
  // After the locks, so that this sees what another process has just committed under them.
  const addresses = wishes.map((wish) => wish.row.address);
  const named = wishes.filter((wish) => wish.row.client_id !== null);
  const existing = await tx<InboxRow[]>`
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at
    from inboxes where address = any(${addresses})
    union
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at
    from inboxes where (organization_id, client_id) in (
      select * from unnest(${named.map((wish) => wish.row.organization_id)}::uuid[], ${named.map((wish) => wish.row.client_id)}::text[]))`;
  return [keys, existing];
}

function decide(wishes: Wish[], keys: Quota[], existing: InboxRow[]) {
  const free = new Map(keys.map((key) => [key.id, key.max_mailboxes - key.used_count]));
  const byAddress = new Map(existing.map((row) => [row.address, row]));
  const clientKey = (row: InboxRow) => `${row.organization_id} ${row.client_id}`;
  const byClientId = new Map(existing.filter((row) => row.client_id !== null).map((row) => [clientKey(row), row]));
  const accepted: Wish[] = [];
  const superseded: string[] = [];

  const results = wishes.map((wish): Created | ServiceError => {
    const { row } = wish;
    const same = row.client_id === null ? undefined : byClientId.get(clientKey(row));
    if (same) return same.status === "live" ? { inbox: same, replayed: true, webhook: undefined } : deletedBefore();
    const left = free.get(row.enrollment_key_id);
    if (left === undefined) return new ServiceError("unauthorized", "This enrollment key was revoked.");
    if (left <= 0) return exhausted();
    const holder = byAddress.get(row.address);
    // An organization may use its own deleted address again; nobody else ever may.
    if (holder && (holder.status === "live" || holder.organization_id !== row.organization_id))
      return taken(row.address);
    if (holder) superseded.push(holder.id);
    free.set(row.enrollment_key_id, left - 1);
    byAddress.set(row.address, row);
    if (row.client_id !== null) byClientId.set(clientKey(row), row);
    accepted.push(wish);
    return { inbox: row, replayed: false, webhook: wish.webhook };
  });
  return { results, accepted, superseded };
}

function deletedBefore(): ServiceError {
  return new ServiceError("inbox_deleted", "The mailbox that this client_id created was deleted.");
}

function exhausted(): ServiceError {
  return new ServiceError("enrollment_token_exhausted", "This enrollment key has created all the mailboxes it may.");
}

function taken(address: string): ServiceError {
  return new ServiceError("address_taken", `The address ${address} is not available.`);
}

async function insert(services: Services, tx: TransactionSql, accepted: Wish[], superseded: string[]) {
  if (accepted.length === 0) return new Set<string>();
  const identity = services.outbound.identities ? "opening" : "open";
  const dueAt = services.outbound.identities ? services.now() : null;
  const rows = accepted.map(({ row }) => row).sort((a, b) => (a.address < b.address ? -1 : 1));
  if (superseded.length > 0) {
    await tx`update inboxes set address = 'superseded ' || id where id = any(${superseded}) and status = 'deleted'`;
  }
  const inserted = await tx<{ id: string; enrollment_key_id: string }[]>`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata,
      client_id, status, identity_status, identity_next_attempt_at, created_at)
    select id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, '{}'::jsonb,
      client_id, 'live', ${identity}, ${dueAt}::timestamptz, created_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as t(id uuid, organization_id uuid, enrollment_key_id uuid,
      agent_id uuid, address text, domain text, display_name text, client_id text, created_at timestamptz)
    on conflict do nothing returning id, enrollment_key_id`;
  const ids = new Set(inserted.map((row) => row.id));
  const perKey = Map.groupBy(inserted, (row) => row.enrollment_key_id);
  const webhooks = accepted.flatMap(({ row, webhook }) =>
    webhook && ids.has(row.id) ? [{ organizationId: row.organization_id, webhook }] : [],
  );
  await Promise.all([
    countMailboxes(tx, new Map([...perKey].map(([key, created]) => [key, created.length]))),
    insertWebhooks(tx, webhooks),
  ]);
  return ids;
}
