// A create where payments are on: asks for a payment, reserves the mailbox before the payment is settled, and gives every copy of
// the request the same answer.
import { and, eq } from "drizzle-orm";
import { inboxes } from "#db/schema/mail.ts";
import type { PaidWebhook } from "#db/schema/payments.ts";
import type { Agent, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { type InboxRow, inboxColumns } from "../base/tenancy.ts";
import { isOver } from "../payments/find.ts";
import type { ShownPayment } from "../payments/header.ts";
import type { Path } from "../payments/quote.ts";
import { acceptPayment, findShown, type NewPayment, orderOf } from "../payments/require.ts";
import { receiptOf, settlePayment } from "../payments/settle.ts";
import type { NewWebhook } from "../webhooks/insert.ts";
import { type Created, type Decision, deletedBefore, RACED, UNPAID, type Wish } from "./decide.ts";
import { reservedInboxes } from "./reserved.ts";
import type { CreateInput } from "./schema.ts";

const MS = 1_000;
const NOTHING_SHOWN: ShownPayment = { header: undefined, version: 1 };

/** `receipt`: response headers. */
export type Paid = Created & { receipt: Record<string, string> };

/**
 * One try. An accepted create whose organization has no prepaid mailbox left answers 402, until the request shows a payment.
 * @throws ServiceError `inbox_deleted`, and what `acceptPayment` and `settlePayment` throw
 */
export async function createPaid(
  ctx: Ctx<Agent>,
  wish: Wish,
  input: CreateInput,
  shown = NOTHING_SHOWN,
): Promise<Decision | Paid> {
  const path = shown.path ?? "/v1/inboxes";
  const order = orderFor(input, path);
  const settle = (id: string, replayed: boolean) => paidInbox(ctx, id, { path, version: shown.version, replayed });
  const paying = await findShown(ctx, shown, order);
  // The failure of a payment is the answer only if there is still something to pay: see below.
  const known = paying && !isOver(paying) ? await settle(paying.id, true) : undefined;
  if (known) return known;
  let result = await ctx.inboxCreates.add(wish);
  let payment: NewPayment | undefined;
  if (result === UNPAID) {
    if (paying) await settle(paying.id, true);
    else payment = await acceptPayment(ctx, shown, order);
    if (!payment) return RACED;
    result = await ctx.inboxReservations.add({ ...wish, payment });
  }
  if (typeof result === "symbol") return result;
  // The mailbox in the way may be that of a copy of this request, whose payment was accepted since the look above.
  const isInTheWay = result instanceof ServiceError || result.replayed;
  if (isInTheWay && !paying && (await findShown(ctx, shown, order))) return RACED;
  if (!payment || isInTheWay) return result;
  return (await settle(payment.id, false)) ?? RACED;
}

function orderFor({ metadata, ...input }: CreateInput, path: Path) {
  const { username, domain, display_name, client_id, inbound_webhook_url } = input;
  const request = [
    username,
    domain,
    display_name,
    client_id,
    inbound_webhook_url,
    ...(metadata ? [JSON.stringify(metadata)] : []),
  ];
  return orderOf({ kind: "inbox", mailboxes: 1, path, clientId: null }, request);
}

/**
 * Settles the payment, then reads its mailbox.
 * @returns undefined when it was paid too late for the mailbox and became a prepaid one, which the next create spends
 * @throws ServiceError `payment_required`, `payment_pending`, `inbox_deleted`
 */
async function paidInbox(
  ctx: Ctx<Agent>,
  paymentId: string,
  { path, version, replayed }: { path: Path; version: 1 | 2; replayed: boolean },
): Promise<Paid | undefined> {
  const payment = await settlePayment(ctx, paymentId, { reserved: reservedInboxes, path, version });
  if (payment.inbox_id === null) return undefined;
  const own = and(eq(inboxes.id, payment.inbox_id), eq(inboxes.organization_id, ctx.actor.organizationId));
  const [inbox] = await ctx.db
    .select(inboxColumns)
    .from(inboxes)
    .where(and(own, eq(inboxes.status, "live")));
  if (!inbox) throw deletedBefore();
  // Until the authorization ends, the payload proves that the caller is the one that the first answer was for.
  const isOpen = payment.valid_before * MS > ctx.now().getTime();
  const webhook = isOpen && payment.webhook ? unsealed(ctx, payment.webhook, inbox) : undefined;
  return { inbox, replayed, webhook, receipt: receiptOf(payment) };
}

function unsealed(ctx: Services, { id, url, sealed: text }: PaidWebhook, inbox: InboxRow): NewWebhook {
  const sealed = Buffer.from(text, "base64");
  const secret = ctx.secrets.open(sealed, id);
  return { id, url, events: ["message.received"], secret, sealed, inboxId: inbox.id, createdAt: inbox.created_at };
}
