// Requires a payment, and accepts a signed one. All checks that can reject a payment run here, before money moves.
import { hash } from "node:crypto";
import type { TransactionSql } from "postgres";
import type { PaidWebhook } from "#db/schema/payments.ts";
import type { Agent, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { sameHash } from "../base/secrets.ts";
import type { PaymentRequest } from "../ports/facilitator.ts";
import { findByNonce, type PaymentRow } from "./find.ts";
import { authorizationHash, type Payload, readPayload, receiptHeader, type ShownPayment } from "./header.ts";
import {
  type Path,
  paymentRequired,
  type Quote,
  quoteFor,
  requirementsV1,
  requirementsV2,
  resourceV2,
} from "./quote.ts";
import { checkSignature, checkTerms } from "./verify.ts";

const FIRST_LOOK_MS = 3_000;
const RETRY_AFTER_SECONDS = "5";

/** What must be paid for. `hash` covers the whole request, because the signature covers only the payment. */
export type Order = { kind: PaymentRow["kind"]; mailboxes: number; path: Path; hash: Buffer; clientId: string | null };

/** A payment that passed every check, ready for its row. */
export type NewPayment = NonNullable<Awaited<ReturnType<typeof acceptPayment>>>;

export function orderOf(order: Omit<Order, "hash">, request: (string | null | undefined)[]): Order {
  const text = JSON.stringify([order.kind, order.mailboxes, ...request.map((field) => field ?? null)]);
  return { ...order, hash: hash("sha256", text, "buffer") };
}

/** The row of the payload, if it was accepted for this request of this caller; otherwise undefined. */
export async function findShown(ctx: Ctx<Agent>, shown: ShownPayment, order: Order): Promise<PaymentRow | undefined> {
  if (!ctx.payments || shown.header === undefined) return undefined;
  const payload = readOr(shown.header);
  const row = payload && (await findByNonce(ctx, keyOf(payload, quoteOf(ctx, order))));
  return row && payload && isFor(ctx, row, payload, order) && !isRoom(row) ? row : undefined;
}

/** The payment failed, was paid later, and became a prepaid mailbox, which the next create uses. */
function isRoom({ kind, status, inbox_id }: PaymentRow): boolean {
  return kind === "inbox" && status === "fulfilled" && inbox_id === null;
}

/** An invalid payload is rejected if a payment is needed, otherwise ignored. */
function readOr(header: string): Payload | undefined {
  try {
    return readPayload(header);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

function isFor({ actor }: Ctx<Agent>, row: PaymentRow, payload: Payload, order: Order): boolean {
  return (
    row.organization_id === actor.organizationId &&
    row.enrollment_key_id === actor.enrollmentKeyId &&
    sameHash(row.request_hash, order.hash) &&
    sameHash(row.authorization_hash, authorizationHash(payload.payload))
  );
}

function quoteOf({ settings }: Services, { mailboxes, path }: Order): Quote {
  return quoteFor(settings, mailboxes, path);
}

function keyOf({ payload }: Payload, { network, asset }: Quote) {
  const { from, nonce } = payload.authorization;
  return { network, asset: asset.toLowerCase(), payer: from.toLowerCase(), nonce: nonce.toLowerCase() };
}

/**
 * Runs all checks, in order: local ones, the chain, the facilitator. Moves no money and writes nothing.
 * @returns undefined if a concurrent copy of this request was accepted: findShown has it
 * @throws ServiceError `payment_required` (no payload, or the facilitator rejects it), `invalid_payment`,
 * `payment_already_used`, `unavailable`
 */
export async function acceptPayment(ctx: Ctx<Agent>, shown: ShownPayment, order: Order) {
  const { actor, payments: ports } = ctx;
  if (!ports) throw new Error("unreachable: a payment is required while payments are off");
  const quote = quoteOf(ctx, order);
  if (shown.header === undefined) throw paymentRequired(quote, shown.version);
  const payload = readPayload(shown.header);
  const key = keyOf(payload, quote);
  const wasTaken = async () => {
    const row = await findByNonce(ctx, key);
    if (row && !isFor(ctx, row, payload, order)) throw alreadyUsed(ctx, "it was used for another request or caller");
    if (row && isRoom(row)) throw alreadyUsed(ctx, "the mailboxes that it paid for are used");
    return row !== undefined;
  };
  if (await wasTaken()) return undefined;
  const now = ctx.now();
  checkTerms(payload, quote, Math.floor(now.getTime() / 1000));
  await checkSignature(payload.payload, quote);
  // Settling writes the row first, so a used nonce without a row was not settled by this service.
  const head = await ports.chain.nonceAtHead(key);
  if (!head) throw unavailable("The chain does not answer.");
  if (head.used) {
    if (await wasTaken()) return undefined;
    throw alreadyUsed(ctx, "its nonce was used or canceled");
  }
  const request = requestFor(payload, quote);
  const verified = await ports.facilitator.verify(request);
  if (verified.outcome !== "valid") {
    if (await wasTaken()) return undefined;
    throw notValid(ctx, verified, { payload, quote, version: shown.version });
  }
  const { authorization } = payload.payload;
  const id = newId();
  return {
    ...key,
    id,
    organization_id: actor.organizationId,
    enrollment_key_id: actor.enrollmentKeyId,
    agent_id: actor.agentId,
    kind: order.kind,
    mailboxes: order.mailboxes,
    client_id: order.clientId,
    request_hash: order.hash,
    authorization_hash: authorizationHash(payload.payload),
    status: "verified" as const,
    pay_to: quote.payTo.toLowerCase(),
    amount: quote.amount,
    valid_before: Number(authorization.validBefore),
    x402_version: payload.x402Version,
    payload: ctx.secrets.seal(JSON.stringify(request), id),
    from_block: head.block,
    created_at: now,
    next_look_at: new Date(now.getTime() + FIRST_LOOK_MS),
  };
}

function notValid(
  ctx: Services,
  { outcome, reason }: { outcome: "invalid" | "unknown"; reason: string },
  { payload, quote, version }: { payload: Payload; quote: Quote; version: 1 | 2 },
): ServiceError {
  ctx.metrics.payments.inc({ outcome: outcome === "invalid" ? "invalid" : "unverified" });
  if (outcome === "unknown") return unavailable(`The facilitator does not answer (${reason}).`);
  const network = payload.x402Version === 2 ? quote.network : quote.v1Name;
  const payer = payload.payload.authorization.from;
  const receipt = receiptHeader(payload.x402Version, { network, payer, failed: reason });
  return paymentRequired(quote, version, { reason, receipt });
}

/** What the facilitator receives: the signed fields as sent, everything else from our quote. */
function requestFor({ x402Version, payload }: Payload, quote: Quote): PaymentRequest {
  if (x402Version === 2) {
    const accepted = requirementsV2(quote);
    const paymentPayload = { x402Version, resource: resourceV2(quote), accepted, payload };
    return { x402Version, paymentPayload, paymentRequirements: accepted };
  }
  const paymentPayload = { x402Version, scheme: "exact", network: quote.v1Name, payload };
  return { x402Version, paymentPayload, paymentRequirements: requirementsV1(quote) };
}

/** Runs in the transaction that reserves what is paid for; returns the ids whose authorization was not used before. */
export async function insertPayments(
  tx: TransactionSql,
  rows: (NewPayment & { inbox_id?: string; superseded_inbox_id?: string | null; webhook?: PaidWebhook | null })[],
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const complete = rows.map((row) => ({
    ...row,
    inbox_id: row.inbox_id ?? null,
    superseded_inbox_id: row.superseded_inbox_id ?? null,
    webhook: row.webhook ? tx.json(row.webhook) : null,
  }));
  const inserted = await tx<{ id: string }[]>`insert into payments ${tx(complete)} on conflict do nothing returning id`;
  return new Set(inserted.map(({ id }) => id));
}

/** Deletes rows that this transaction inserted. */
export async function withdrawPayments(tx: TransactionSql, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx`delete from payments where id = any(${ids}) and status = 'verified'`;
}

/** Which of these authorizations have a row, as `nonceKey` writes them. */
export async function findTaken(tx: TransactionSql, payments: NewPayment[]): Promise<Set<string>> {
  if (payments.length === 0) return new Set();
  const [network, asset, payer, nonce] = (["network", "asset", "payer", "nonce"] as const).map((name) =>
    payments.map((payment) => payment[name]),
  ) as [string[], string[], string[], string[]];
  const rows = await tx<{ nonce: string; payer: string }[]>`
    select t.payer, t.nonce
    from unnest(${network}::text[], ${asset}::text[], ${payer}::text[], ${nonce}::text[]) as t(network, asset, payer, nonce)
    cross join lateral (
      select from payments p
      where p.network = t.network and p.asset = t.asset and p.payer = t.payer and p.nonce = t.nonce limit 1) taken`;
  return new Set(rows.map(nonceKey));
}

export function nonceKey({ payer, nonce }: { payer: string; nonce: string }): string {
  return `${payer} ${nonce}`;
}

function alreadyUsed(ctx: Services, why: string): ServiceError {
  ctx.metrics.payments.inc({ outcome: "already_used" });
  return new ServiceError("payment_already_used", `This authorization was already used: ${why}.`);
}

function unavailable(message: string): ServiceError {
  return new ServiceError("unavailable", `${message} Nothing was charged.`, {
    headers: { "Retry-After": RETRY_AFTER_SECONDS },
  });
}
