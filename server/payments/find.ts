// Finds payments: by authorization, by id, and the list of an organization.
import { and, desc, eq, inArray, lt } from "drizzle-orm";
import { asInIndex } from "#db/conditions.ts";
import { payments } from "#db/schema/payments.ts";
import type { Agent, Caller, Ctx, Services } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import type { Authorization } from "../base/ports/chain.ts";

export type PaymentRow = typeof payments.$inferSelect;

/** What tells which request a payment is for. */
const acceptedColumns = {
  id: payments.id,
  organization_id: payments.organization_id,
  enrollment_key_id: payments.enrollment_key_id,
  request_hash: payments.request_hash,
  authorization_hash: payments.authorization_hash,
  kind: payments.kind,
  status: payments.status,
  inbox_id: payments.inbox_id,
};
export type Accepted = Pick<PaymentRow, keyof typeof acceptedColumns>;

/** Failed or expired: it gave nothing. */
export function isOver({ status }: Pick<PaymentRow, "status">): boolean {
  return status === "failed" || status === "expired";
}

/** The row of this authorization, of any organization: an authorization is accepted once. */
export async function findByNonce(
  { db }: Services,
  key: Pick<PaymentRow, "network" | "asset" | "payer" | "nonce">,
): Promise<Accepted | undefined> {
  const { network, asset, payer, nonce } = payments;
  const [row] = await db
    .select(acceptedColumns)
    .from(payments)
    .where(and(eq(network, key.network), eq(asset, key.asset), eq(payer, key.payer), eq(nonce, key.nonce)));
  return row;
}

/** How far a payment is; copies of a request ask again and again. */
export async function findState({ db }: Services, id: string) {
  const { status, leased_until, enrollment_key_id } = payments;
  const [row] = await db
    .select({ id: payments.id, status, leased_until, enrollment_key_id })
    .from(payments)
    .where(eq(payments.id, id));
  if (!row) throw new Error(`the payment ${id} does not exist`);
  return row;
}

export async function findById({ db }: Services, id: string): Promise<PaymentRow> {
  const [row] = await db.select().from(payments).where(eq(payments.id, id));
  if (!row) throw new Error(`the payment ${id} does not exist`);
  return row;
}

/** The agent's purchase of this `client_id` that was paid or may still be paid. */
export async function findByClientId({ db, actor }: Ctx<Agent>, clientId: string): Promise<PaymentRow | undefined> {
  const own = and(eq(payments.agent_id, actor.agentId), eq(payments.client_id, clientId));
  const [row] = await db
    .select()
    .from(payments)
    .where(and(own, asInIndex(inArray(payments.status, ["verified", "settling", "settled", "fulfilled"]))));
  return row;
}

/** A key that reaches only the mailboxes of its agent sees what that agent paid. */
function isVisible({ actor }: Ctx<Caller>) {
  const own = actor.madeBy === null ? undefined : eq(payments.agent_id, actor.madeBy);
  return and(eq(payments.organization_id, actor.organizationId), own);
}

/** @throws ServiceError `purchase_not_found` */
export async function findPurchase(ctx: Ctx<Caller>, wireId: string): Promise<PaymentRow> {
  checkUnrestricted(ctx);
  const id = decodeId("pay", wireId);
  const [row] = id
    ? await ctx.db
        .select()
        .from(payments)
        .where(and(eq(payments.id, id), isVisible(ctx)))
    : [];
  if (!row) throw new ServiceError("purchase_not_found", "The payment does not exist.");
  return row;
}

/**
 * Every payment of the organization, newest first: purchases, and payments for single mailboxes.
 * @throws ServiceError `invalid_cursor`
 */
export async function listPurchases(ctx: Ctx<Caller>, input: { limit: number; cursor?: string | undefined }) {
  checkUnrestricted(ctx);
  const { actor, db } = ctx;
  const list = `payments:${actor.organizationId}`;
  const before = input.cursor === undefined ? undefined : lt(payments.id, readCursor(ctx, list, input.cursor));
  const rows = await db
    .select()
    .from(payments)
    .where(and(isVisible(ctx), before))
    .orderBy(desc(payments.organization_id), desc(payments.id))
    .limit(input.limit + 1);
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
