// POST /v1/inboxes: creates a mailbox and counts it against the enrollment key, exactly.
// Creates that arrive together share one transaction, so a busy quota row is locked once for all of them.
import { plainOf } from "#db/client.ts";
import { recorderOf } from "../activity/record.ts";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Agent, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { ShownPayment } from "../payments/header.ts";
import { newWebhook } from "../webhooks/register.ts";
import { addressFor, generatedAddress } from "./address.ts";
import { type Created, type Decision, decide, RACED, UNPAID, type Wish } from "./decide.ts";
import { insertAccepted } from "./insert.ts";
import { lockAndRead } from "./look.ts";
import { createPaid, type Paid } from "./paid.ts";
import type { CreateInput } from "./schema.ts";

declare module "../base/context.ts" {
  interface Services {
    /** Creates that arrive together share a transaction. */
    inboxCreates: GroupCommit<Wish, Decision>;
  }
}

const BATCH_MAX = 64;
const BATCHES_IN_FLIGHT = 1;
const TRIES_MAX = 5;

/**
 * Creates a mailbox, or finds the one that the same `client_id` made before (`replayed`; never counted twice).
 * @param shown the payment that came with the request; ignored where payments are off
 * @throws ServiceError `domain_not_allowed`, `insufficient_scope`, `invalid_request`, `invalid_webhook_url`,
 *   `too_many_webhooks`, `enrollment_token_exhausted`, `address_taken`, `inbox_deleted`, `idempotency_conflict`, and what `createPaid` throws
 */
export async function createInbox(
  ctx: Ctx<Agent>,
  input: CreateInput,
  shown?: ShownPayment,
): Promise<Created & Partial<Paid>> {
  if (ctx.actor.inboxIds) {
    throw new ServiceError("insufficient_scope", "This key is restricted to some inboxes and cannot create one.");
  }
  const { address, domain } = addressFor(ctx, input);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const wish = wishFor(ctx, input, address ?? generatedAddress(domain), domain);
    const result = await (ctx.payments ? createPaid(ctx, wish, input, shown) : ctx.inboxCreates.add(wish));
    const generatedTwice = result instanceof ServiceError && result.code === "address_taken" && !address;
    if (result === RACED || result === UNPAID || generatedTwice) continue;
    if (result instanceof ServiceError) throw result;
    if (result.replayed) refuseOther(result.inbox, input, domain);
    return result;
  }
  throw new ServiceError("unavailable", "Too many concurrent creates of this address.", {
    headers: { "Retry-After": "1" },
  });
}

/**
 * A display name can change after the create, and an address cannot: a repeated `client_id` that names another address is another
 * request.
 * @throws ServiceError `idempotency_conflict`
 */
function refuseOther(
  { address, domain: made }: Created["inbox"],
  { username, domain: named }: CreateInput,
  domain: string,
) {
  const isOther = username !== undefined && address !== `${username}@${made}`;
  if (!isOther && (named === undefined || made === domain)) return;
  throw new ServiceError("idempotency_conflict", `This client_id created the mailbox ${address}.`, {
    fix: "Use a new `client_id` for another mailbox. To get this one again, repeat its `username` and `domain`, or leave both out.",
  });
}

function wishFor(all: Ctx<Agent>, input: CreateInput, address: string, domain: string): Wish {
  const { actor, ...ctx } = all;
  const id = newId();
  const row = {
    id,
    organization_id: actor.organizationId,
    enrollment_key_id: actor.enrollmentKeyId,
    agent_id: actor.agentId,
    address,
    domain,
    display_name: input.display_name ?? "",
    metadata: input.metadata ?? {},
    outgoing_delay_seconds: input.outgoing_delay_seconds ?? 0,
    client_id: input.client_id ?? null,
    status: "live" as const,
    created_at: ctx.now(),
    address_since: null,
  };
  const url = input.inbound_webhook_url;
  const webhook = url === undefined ? undefined : newWebhook(ctx, { url, inboxId: id });
  return { row, ownOnly: actor.madeBy !== null, webhook, by: recorderOf(all) };
}

type CreateNeeds = Pick<
  Services,
  "db" | "takeOverRestraints" | "now" | "settings" | "payments" | "outbound" | "signals" | "eventLog"
>;

export function createInboxCreates(services: CreateNeeds): Services["inboxCreates"] {
  return groupCommit(services, (wishes: Wish[]) => createBatch(services, wishes), {
    items: BATCH_MAX,
    weight: BATCH_MAX,
    inFlight: BATCHES_IN_FLIGHT,
    weigh: () => 1,
  });
}

/** Creates the mailboxes of a batch in one transaction. @returns the decisions, in the order of the wishes */
async function createBatch(services: CreateNeeds, wishes: Wish[]): Promise<Decision[]> {
  const { decided, ids, recorded } = await services.db.transaction(async (tx) => {
    const decided = decide(services.settings, wishes, await lockAndRead(plainOf(tx), services, wishes));
    return { decided, ...(await insertAccepted(tx, services, decided)) };
  });
  services.eventLog.announce(recorded);
  if (ids.size > 0 && services.outbound.identities) services.signals.raise("identities");
  const raced = new Set(decided.accepted.map(({ row }) => row.id).filter((id) => !ids.has(id)));
  return decided.results.map((result) =>
    typeof result === "object" && "inbox" in result && raced.has(result.inbox.id) ? RACED : result,
  );
}
