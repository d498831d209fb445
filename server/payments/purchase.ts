// POST /v1/purchase: buys prepaid mailboxes, with the same payment flow as a single mailbox.
import type { Agent, Ctx } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { sameHash } from "../base/secrets.ts";
import { readQuota } from "../keys/quota.ts";
import { checkUnrestricted, findByClientId, isOver, type PaymentRow } from "./find.ts";
import type { Reserved } from "./fulfil.ts";
import type { ShownPayment } from "./header.ts";
import { acceptPayment, findShown, insertPayments, type Order, orderOf } from "./require.ts";
import { pending, receiptOf, settlePayment } from "./settle.ts";

const PATH = "/v1/purchase";
const TRIES_MAX = 5;

type Bought = {
  row: PaymentRow;
  quota: Awaited<ReturnType<typeof readQuota>>;
  replayed: boolean;
  receipt: Record<string, string>;
};

/** Prepaid mailboxes are not reserved: they are added when they are paid. */
const NOTHING: Reserved = { goLive: async () => undefined, giveBack: async () => {}, announce: () => {} };

/**
 * Raises the key's `max_mailboxes`, once per payload and once per `client_id`.
 * @param input `resource` as schema.ts has checked it
 * @throws ServiceError `payments_not_enabled`, `insufficient_scope`, `idempotency_conflict`, those of `acceptPayment`
 * and `settlePayment`
 */
export async function purchase(
  ctx: Ctx<Agent>,
  input: { resource: string; client_id?: string | undefined },
  shown: ShownPayment,
): Promise<Bought> {
  checkUnrestricted(ctx);
  const mailboxes = Number(input.resource.split(":")[1]);
  const clientId = input.client_id ?? null;
  const order = orderOf({ kind: "mailboxes", mailboxes, path: PATH, clientId }, [clientId]);
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const paying = await findShown(ctx, shown, order);
    const isPaying = paying !== undefined && !isOver(paying);
    const earlier = clientId === null || isPaying ? undefined : await findByClientId(ctx, clientId);
    if (earlier) return replay(ctx, earlier, order);
    if (paying) return settled(ctx, paying.id, { version: shown.version, replayed: true });
    const quota = await readQuota(ctx.db, ctx.actor.enrollmentKeyId);
    if (!ctx.payments || !quota.paid) {
      throw new ServiceError("payments_not_enabled", "Your organization does not pay for mailboxes.");
    }
    const payment = await acceptPayment(ctx, shown, order);
    if (!payment) continue;
    const inserted = await insertPayments(ctx.db, [payment]);
    if (inserted.size > 0) return settled(ctx, payment.id, { version: shown.version, replayed: false });
    // A copy of this request, or another with its `client_id`, was inserted after the lookup: look again.
  }
  throw new ServiceError("unavailable", "Other requests with this payment or client_id are in progress.", {
    headers: { "Retry-After": "1" },
  });
}

async function settled(ctx: Ctx<Agent>, id: string, how: { version: 1 | 2; replayed: boolean }): Promise<Bought> {
  const row = await settlePayment(ctx, id, { reserved: NOTHING, path: PATH, version: how.version });
  const quota = await readQuota(ctx.db, ctx.actor.enrollmentKeyId);
  return { row, quota, replayed: how.replayed, receipt: receiptOf(row) };
}

/** The earlier purchase of this `client_id`, whatever payload the request has now. */
async function replay(ctx: Ctx<Agent>, row: PaymentRow, order: Order): Promise<Bought> {
  if (!sameHash(row.request_hash, order.hash)) {
    throw new ServiceError("idempotency_conflict", "This client_id was used for a different purchase.");
  }
  if (row.status !== "fulfilled") throw pending();
  const quota = await readQuota(ctx.db, row.enrollment_key_id);
  return { row, quota, replayed: true, receipt: receiptOf(row) };
}
