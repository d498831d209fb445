// Finds payments: by authorization, by id, and the list of an organization.
import type { payments } from "#db/schema/payments.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import type { Authorization } from "../ports/chain.ts";

/** A stored payment; other versions of x402 are not accepted (header.ts). */
export type PaymentRow = Omit<typeof payments.$inferSelect, "x402_version"> & { x402_version: 1 | 2 };

/** The payment failed. */
export function isOver({ status }: PaymentRow): boolean {
  return status === "failed" || status === "expired";
}

/** The row of this authorization, of any organization: an authorization is accepted once. */
export async function findByNonce(
  { sql }: Services,
  key: { network: string; asset: string; payer: string; nonce: string },
): Promise<PaymentRow | undefined> {
  const [row] = await sql<PaymentRow[]>`
    select * from payments
    where network = ${key.network} and asset = ${key.asset} and payer = ${key.payer} and nonce = ${key.nonce}`;
  return row;
}

export async function findById({ sql }: Services, id: string): Promise<PaymentRow> {
  const [row] = await sql<PaymentRow[]>`select * from payments where id = ${id}`;
  if (!row) throw new Error(`the payment ${id} does not exist`);
  return row;
}

/** The purchase of this `client_id` that was paid or may still be. */
export async function findByClientId({ sql, actor }: Ctx<Caller>, clientId: string): Promise<PaymentRow | undefined> {
  const [row] = await sql<PaymentRow[]>`
    select * from payments where organization_id = ${actor.organizationId} and client_id = ${clientId}
      and status in ('verified', 'settling', 'settled', 'fulfilled')`;
  return row;
}

/** @throws ServiceError `purchase_not_found` */
export async function findPurchase(ctx: Ctx<Caller>, wireId: string): Promise<PaymentRow> {
  checkUnrestricted(ctx);
  const id = decodeId("pay", wireId);
  const [row] = id
    ? await ctx.sql<PaymentRow[]>`
        select * from payments where id = ${id} and organization_id = ${ctx.actor.organizationId}`
    : [];
  if (!row) throw new ServiceError("purchase_not_found", "The payment does not exist.");
  return row;
}

/**
 * All payments of the organization, newest first: purchases, and payments for single mailboxes.
 * @throws ServiceError `invalid_cursor`
 */
export async function listPurchases(ctx: Ctx<Caller>, input: { limit: number; cursor?: string | undefined }) {
  checkUnrestricted(ctx);
  const { actor, sql } = ctx;
  const list = `payments:${actor.organizationId}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await sql<PaymentRow[]>`
    select * from payments where organization_id = ${actor.organizationId} ${before ? sql`and id < ${before}` : sql``}
    order by organization_id desc, id desc limit ${input.limit + 1}`;
  return toPage(ctx, list, rows, input.limit);
}

/** @throws ServiceError `insufficient_scope`: payments belong to the organization, not to single mailboxes */
export function checkUnrestricted({ actor }: Ctx<Caller>): void {
  if (actor.inboxIds) {
    throw new ServiceError(
      "insufficient_scope",
      "This key is restricted to some inboxes. Payments need a key without this restriction.",
    );
  }
}

export function authorizationOf(row: PaymentRow): Authorization {
  const { asset, payer, nonce, amount } = row;
  return { asset, payer, nonce, payTo: row.pay_to, amount };
}
