// Requires a payment, and accepts a signed one. All checks that can reject a payment run here, before money moves.
import { hash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import type { Database, Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { payments } from "#db/schema/payments.ts";
import type { Agent, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import type { PaymentRequest } from "../base/ports/facilitator.ts";
import { sameHash } from "../base/secrets.ts";
import { type Accepted, findByNonce, type PaymentRow } from "./find.ts";
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
export type NewPayment = ReturnType<typeof newPayment>;

export function orderOf(order: Omit<Order, "hash">, request: (string | null | undefined)[]): Order {
  const text = JSON.stringify([order.kind, order.mailboxes, ...request.map((field) => field ?? null)]);
  return { ...order, hash: hash("sha256", text, "buffer") };
}

/** The row of the payload, if it was accepted for this request of this caller; otherwise undefined. */
export async function findShown(ctx: Ctx<Agent>, shown: ShownPayment, order: Order): Promise<Accepted | undefined> {
  if (!ctx.payments || shown.header === undefined) return undefined;
  const payload = readOr(shown.header);
  const row = payload && (await findByNonce(ctx, keyOf(payload, quoteOf(ctx, order))));
  return row && payload && isFor(ctx, row, payload, order) && !isPrepaid(row) ? row : undefined;
}

/** It was refused, went through after all, and became a prepaid mailbox, which the next create spends. */
function isPrepaid({ kind, status, inbox_id }: Accepted): boolean {
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

function isFor({ actor }: Ctx<Agent>, row: Accepted, payload: Payload, order: Order): boolean {
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

type Offer = { payload: Payload; quote: Quote; order: Order; version: 1 | 2 };

/**
 * Makes every check, in order: local ones, the chain, the facilitator. Moves no money and writes nothing.
 * @returns undefined when a copy of this request was accepted during the checks: findShown finds its payment
 * @throws ServiceError `payment_required` (no payload, or the facilitator refuses it), `invalid_payment`,
 *   `payment_already_used`, `unavailable`
 */
export async function acceptPayment(ctx: Ctx<Agent>, shown: ShownPayment, order: Order) {
  const quote = quoteOf(ctx, order);
  if (shown.header === undefined) throw paymentRequired(quote, shown.version);
  const payload = readPayload(shown.header);
  const offer = { payload, quote, order, version: shown.version };
  if (await wasAccepted(ctx, offer)) return undefined;
  checkTerms(payload, quote, Math.floor(ctx.now().getTime() / 1000));
  await checkSignature(payload.payload, quote);
  const request = requestFor(payload, quote);
  const block = await verify(ctx, offer, request);
  return block === undefined ? undefined : newPayment(ctx, offer, request, block);
}

/** @throws ServiceError `payment_already_used` when the authorization was accepted for something else */
async function wasAccepted(ctx: Ctx<Agent>, { payload, quote, order }: Offer): Promise<boolean> {
  const row = await findByNonce(ctx, keyOf(payload, quote));
  if (row && !isFor(ctx, row, payload, order)) throw alreadyUsed(ctx, "it was used for another request or caller");
  if (row && isPrepaid(row)) throw alreadyUsed(ctx, "the mailboxes that it paid for are used");
  return row !== undefined;
}

/** Asks the chain and the facilitator. @returns the newest block; undefined when the payment was accepted during the check */
async function verify(ctx: Ctx<Agent>, offer: Offer, request: PaymentRequest): Promise<number | undefined> {
  const { payments: ports } = ctx;
  if (!ports) throw new Error("unreachable: a payment is required while payments are off");
  const head = await ports.chain.nonceAtHead(keyOf(offer.payload, offer.quote));
  if ("reason" in head) {
    ctx.log.warn({ reason: head.reason }, "the chain does not say whether a nonce was used");
    throw unavailable("The chain does not answer.");
  }
  if (head.used) {
    // This service writes the row before it settles: without a row, another program used the nonce.
    if (await wasAccepted(ctx, offer)) return undefined;
    throw alreadyUsed(ctx, "its nonce was used or canceled");
  }
  const verified = await ports.facilitator.verify(request);
  if (verified.outcome === "valid") return head.block;
  if (await wasAccepted(ctx, offer)) return undefined;
  throw notValid(ctx, verified, offer);
}

function newPayment({ actor, ...ctx }: Ctx<Agent>, offer: Offer, request: PaymentRequest, block: number) {
  const { payload, quote, order } = offer;
  const id = newId();
  const now = ctx.now();
  return {
    ...keyOf(payload, quote),
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
    valid_before: Number(payload.payload.authorization.validBefore),
    x402_version: payload.x402Version,
    payload: ctx.secrets.seal(JSON.stringify(request), id),
    from_block: block,
    created_at: now,
    next_look_at: new Date(now.getTime() + FIRST_LOOK_MS),
  };
}

function notValid(
  ctx: Services,
  { outcome, reason }: { outcome: "invalid" | "unknown"; reason: string },
  { payload, quote, version }: Offer,
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

/** @returns the ids of new payments: another payment may have the authorization, or the `client_id` of a purchase */
export async function insertPayments(db: Database, rows: (typeof payments.$inferInsert)[]): Promise<Set<string>> {
  const inserted = await db.insert(payments).values(rows).onConflictDoNothing().returning({ id: payments.id });
  return new Set(inserted.map(({ id }) => id));
}

/** Deletes what this same transaction inserted. */
export async function withdrawPayments(tx: Transaction, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.delete(payments).where(and(anyOf(payments.id, ids), eq(payments.status, "verified")));
}

/** Records the deleted mailbox whose address the reserved one took over: it gets the address back if the payment fails. */
export async function noteSuperseded(tx: Transaction, inboxId: string, supersededId: string): Promise<void> {
  await tx.update(payments).set({ superseded_inbox_id: supersededId }).where(eq(payments.inbox_id, inboxId));
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
