// The mailbox of an accepted payment: settles first, then reads the mailbox, for every copy of the request.
import type { PaidWebhook } from "#db/schema/payments.ts";
import type { Agent, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import type { InboxRow } from "../base/tenancy.ts";
import { receiptOf, settlePayment } from "../payments/settle.ts";
import type { NewWebhook } from "../webhooks/register.ts";
import { reservedInboxes } from "./reserved.ts";
import type { Created } from "./wish.ts";

const MS = 1_000;

/**
 * @returns undefined if it was paid too late for the mailbox and became a prepaid one, which the next create uses
 * @throws ServiceError `payment_required`, `payment_pending`, `inbox_deleted`
 */
export async function paidInbox(
  ctx: Ctx<Agent>,
  paymentId: string,
  how: { version: 1 | 2; replayed: boolean },
): Promise<Created | undefined> {
  const { version, replayed } = how;
  const payment = await settlePayment(ctx, paymentId, { reserved: reservedInboxes, path: "/v1/inboxes", version });
  if (payment.inbox_id === null) return undefined;
  const [inbox] = await ctx.sql<InboxRow[]>`
    select id, organization_id, address, domain, display_name, metadata, client_id, status, created_at from inboxes
    where id = ${payment.inbox_id} and organization_id = ${ctx.actor.organizationId} and status = 'live'`;
  if (!inbox) throw deletedBefore();
  // Every copy of the payload gets the first answer, until the authorization expires.
  const isOpen = payment.valid_before * MS > ctx.now().getTime();
  const webhook = isOpen && payment.webhook ? unsealed(ctx, payment.webhook, inbox) : undefined;
  return { inbox, replayed, webhook, receipt: receiptOf(payment) };
}

function unsealed(ctx: Services, { id, url, sealed: text }: PaidWebhook, inbox: InboxRow): NewWebhook {
  const sealed = Buffer.from(text, "base64");
  const secret = ctx.secrets.open(sealed, id);
  return { id, url, events: ["message.received"], secret, sealed, inboxId: inbox.id, createdAt: inbox.created_at };
}

export function deletedBefore(): ServiceError {
  return new ServiceError("inbox_deleted", "The mailbox that this request created was deleted.");
}
