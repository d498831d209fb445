// The procedures of payment: buying room for mailboxes, and what was paid.
import { agentProcedure, callerProcedure, noteReplayed, rest, router, withKey } from "../procedures/procedures.ts";
import { findPurchase, listPurchases } from "./find.ts";
import { purchase } from "./purchase.ts";
import {
  listInput,
  listOutput,
  PAYMENT_ERRORS,
  payment,
  purchaseIdInput,
  purchaseInput,
  purchaseOutput,
  RECEIPT_HEADERS,
} from "./schema.ts";
import { paymentView, purchaseView } from "./view.ts";

const tags = ["purchase"];

export const purchaseRouter = router({
  create: agentProcedure("payment:write")
    .meta(
      rest("POST /v1/purchase", "purchaseMailboxes", {
        tags,
        summary: "Buy mailboxes",
        description:
          "Buys prepaid mailboxes. The first answer is 402 with the payment terms. Repeat the request with the signed payload in `PAYMENT-SIGNATURE` or `X-PAYMENT`: `max_mailboxes` of the enrollment key rises, and the next creates need no payment. A repeated payload returns the same purchase.",
        successDescription: "The purchase and the new quota.",
        idempotency: "field",
        status: 201,
        responseHeaders: RECEIPT_HEADERS,
        errors: [...PAYMENT_ERRORS, "insufficient_scope", "payments_not_enabled"],
      }),
    )
    .input(purchaseInput)
    .output(purchaseOutput)
    .mutation(async ({ ctx, input }) => {
      const bought = noteReplayed(ctx, await purchase(ctx, withKey(ctx, input, "client_id"), ctx.request.payment));
      Object.assign(ctx.request.headers, bought.receipt);
      return purchaseView(bought.row, bought.quota);
    }),

  list: callerProcedure("payment:write", "member")
    .meta(
      rest("GET /v1/purchase", "listPayments", {
        tags,
        summary: "List payments",
        description: "Returns purchases and payments for single mailboxes, newest first.",
        successDescription: "A page of payments.",
        errors: ["insufficient_scope", "invalid_cursor"],
      }),
    )
    .input(listInput)
    .output(listOutput)
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listPurchases(ctx, input);
      return { data: rows.map(paymentView), next_cursor };
    }),

  get: callerProcedure("payment:write", "member")
    .meta(
      rest("GET /v1/purchase/{id}", "getPayment", {
        tags,
        summary: "Get a payment",
        description: "Returns one payment.",
        successDescription: "The payment.",
        errors: ["insufficient_scope", "purchase_not_found"],
      }),
    )
    .input(purchaseIdInput)
    .output(payment)
    .query(async ({ ctx, input }) => paymentView(await findPurchase(ctx, input.id))),
});
