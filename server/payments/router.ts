// The procedures of payment: buying room for mailboxes, and what was paid.
import { agentProcedure, callerProcedure, router } from "../procedures/procedures.ts";
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
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/purchase",
        tags,
        summary: "Buy room for mailboxes",
        description:
          "The first answer is 402 with what to pay. Repeat the request with the signed payload in `PAYMENT-SIGNATURE` or `X-PAYMENT`: the enrollment key's `max_mailboxes` is raised, and the next creates ask for no money. The same payload again is the same purchase.",
        successDescription: "The purchase, paid, and the quota as it is now.",
      },
      status: 201,
      responseHeaders: {
        "Idempotent-Replayed": "`true` when this `client_id` or this payment had bought it before.",
        ...RECEIPT_HEADERS,
      },
      errors: [...PAYMENT_ERRORS, "insufficient_scope", "payments_not_enabled", "idempotency_conflict"],
    })
    .input(purchaseInput)
    .output(purchaseOutput)
    .mutation(async ({ ctx, input }) => {
      const bought = await purchase(ctx, input, ctx.request.payment);
      if (bought.replayed) ctx.request.headers["Idempotent-Replayed"] = "true";
      Object.assign(ctx.request.headers, bought.receipt);
      return purchaseView(bought.row, bought.quota);
    }),

  list: callerProcedure("payment:write", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/purchase",
        tags,
        summary: "List payments",
        description: "Purchases, and payments for single mailboxes, newest first.",
        successDescription: "A page of payments; a null `next_cursor` means there is no further page.",
      },
      errors: ["insufficient_scope", "invalid_cursor"],
    })
    .input(listInput)
    .output(listOutput)
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listPurchases(ctx, input);
      return { data: rows.map(paymentView), next_cursor };
    }),

  get: callerProcedure("payment:write", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/purchase/{id}",
        tags,
        summary: "Get a payment",
        successDescription: "The payment.",
      },
      errors: ["insufficient_scope", "purchase_not_found"],
    })
    .input(purchaseIdInput)
    .output(payment)
    .query(async ({ ctx, input }) => paymentView(await findPurchase(ctx, input.id))),
});
