// What the payment endpoints take and return on the wire, and what the document says of payment at paid endpoints.
import { z } from "zod";
import type { ErrorCode } from "../base/errors/table.ts";
import { exampleId, id, line, moment, page, pageInput } from "../base/fields.ts";

const CLIENT_ID_CHARS = 200;

export const RECEIPT_HEADERS = {
  "PAYMENT-RESPONSE":
    "Receipt of a payment, as version 2 of x402 defines it: base64 of `{success, transaction, network, payer}`.",
  "X-PAYMENT-RESPONSE": "The same receipt, as version 1 of x402 defines it.",
};

/** What every endpoint that costs money may refuse with. */
export const PAYMENT_ERRORS: ErrorCode[] = [
  "payment_required",
  "invalid_payment",
  "payment_already_used",
  "payment_pending",
];

/** Beside `error` in the body of a 402 (specification §4, and version 1 of x402). */
export const paymentTerms = z
  .object({
    payment: z
      .object({
        network: z.string().meta({ description: "CAIP-2 identifier of the network." }),
        asset: z.string().meta({ description: "Contract address of the stablecoin." }),
        amount: z.string().meta({ description: "Amount as an integer in the asset's smallest unit." }),
        pay_to: z.string().meta({ description: "Address to pay." }),
        resource: z.string().meta({ description: "What is bought: `mailboxes:<count>`." }),
        facilitator: z.string().meta({ description: "URL of the facilitator that settles the payment." }),
        eip712: z
          .object({
            name: z.string().meta({ description: "Name of the domain." }),
            version: z.string().meta({ description: "Version of the domain." }),
          })
          .meta({ description: "EIP-712 domain of the asset." }),
      })
      .meta({ description: "What to pay, and how." }),
    x402Version: z.literal(1).meta({ description: "Version of x402.", type: "integer", minimum: 1, maximum: 1 }),
    accepts: z
      .array(z.looseObject({}).meta({ description: "Payment requirements as x402 defines them." }))
      .meta({ description: "The same terms for clients of x402." }),
  })
  .meta({ id: "PaymentTerms", description: "The payment terms in a 402 answer." });

export const purchaseInput = z.object({
  resource: z
    .string()
    .regex(/^mailboxes:([1-9][0-9]{0,2}|1000)$/, "`mailboxes:` and a number from 1 to 1000")
    .meta({ description: "How many mailboxes to buy: `mailboxes:<count>`, 1 to 1000.", example: "mailboxes:5" }),
  client_id: line(CLIENT_ID_CHARS).min(1).optional().meta({
    description:
      "Idempotency key of the agent, as the header `Idempotency-Key`: a repeated one returns the same purchase and is never charged twice.",
    example: "order-77",
  }),
});

const fields = {
  id: id("pay", "Id of the payment."),
  resource: z.string().meta({ description: "What was bought: `mailboxes:<count>`.", example: "mailboxes:5" }),
  amount: z.string().meta({ description: "Amount as an integer in the asset's smallest unit.", example: "500000" }),
  network: z.string().meta({ description: "CAIP-2 identifier of the network.", example: "eip155:84532" }),
  asset: z.string().meta({
    description: "Contract address of the stablecoin.",
    example: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  }),
  transaction: z.string().nullable().meta({
    description: "Hash of the transaction that settled the payment. Null: not settled.",
    example: "0x6f1d3f6a5cf1d7a1d8f0a3c2b4e5968778695a4b3c2d1e0f9a8b7c6d5e4f3a2b",
  }),
  status: z.enum(["verified", "settling", "settled", "fulfilled", "failed", "expired"]).meta({
    description: "`fulfilled` means paid and delivered. `failed` and `expired` are final.",
    example: "fulfilled",
  }),
};

export const purchaseOutput = z
  .object({
    ...fields,
    max_mailboxes: z.int().meta({ description: "Quota of the enrollment key after the purchase.", example: 105 }),
    used_count: z.int().meta({ description: "Mailboxes created with the enrollment key.", example: 100 }),
  })
  .meta({ id: "Purchase" });

export const payment = z
  .object({
    ...fields,
    payer: z.string().meta({
      description: "Address that paid.",
      example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    }),
    pay_to: z.string().meta({
      description: "Address that was paid.",
      example: "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    }),
    inbox_id: id("inb", "The mailbox.").nullable().meta({
      description: "Id of the mailbox that this payment created. Null: the payment bought prepaid mailboxes.",
      example: null,
    }),
    error: z.string().nullable().meta({
      description: "Why the payment failed or expired. Null: it did neither.",
      example: null,
    }),
    created_at: moment("When the payment was received."),
  })
  .meta({ id: "Payment" });

export const purchaseIdInput = z.object({
  id: z.string().meta({ description: "Id of the payment.", example: exampleId("pay"), maxLength: 100 }),
});
export const listInput = z.object(pageInput);
export const listOutput = page("PaymentPage", payment);
