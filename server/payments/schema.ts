// What the payment endpoints take and give on the wire, and what paid endpoints say of payment in their documents.
import { z } from "zod";
import type { ErrorCode } from "../base/errors.ts";
import { line, moment, pageInput } from "../base/fields.ts";

const CLIENT_ID_CHARS = 200;

export const RECEIPT_HEADERS = {
  "PAYMENT-RESPONSE":
    "The receipt of a payment in version 2 of x402: base64 of `{success, transaction, network, payer}`.",
  "X-PAYMENT-RESPONSE": "The same in version 1.",
};

/** What every endpoint that costs money may refuse with. */
export const PAYMENT_ERRORS: ErrorCode[] = [
  "payment_required",
  "invalid_payment",
  "payment_already_used",
  "payment_pending",
];

export const purchaseInput = z.object({
  resource: z
    .string()
    .regex(/^mailboxes:([1-9][0-9]{0,2}|1000)$/, "`mailboxes:` and a number from 1 to 1000")
    .meta({ description: "How many mailboxes to buy room for.", example: "mailboxes:5" }),
  client_id: line(CLIENT_ID_CHARS)
    .min(1)
    .optional()
    .meta({ description: "Idempotency key: the same one is the same purchase, and is never paid twice." }),
});

const fields = {
  id: z.string().meta({ example: "pay_01jd3m9v5sf0b8j3mgz7qk2x4c" }),
  resource: z.string(),
  amount: z.string().meta({ description: "Integer in the asset's smallest unit." }),
  network: z.string(),
  asset: z.string(),
  transaction: z.string().nullable().meta({ description: "Hash of the transaction that paid it." }),
  status: z.enum(["verified", "settling", "settled", "fulfilled", "failed", "expired"]),
};

export const purchaseOutput = z.object({ ...fields, max_mailboxes: z.int(), used_count: z.int() });

export const payment = z.object({
  ...fields,
  payer: z.string(),
  pay_to: z.string(),
  inbox_id: z.string().nullable().meta({ description: "The mailbox that a create paid for." }),
  error: z.string().nullable().meta({ description: "Why it failed or expired." }),
  created_at: moment(),
});

export const purchaseIdInput = z.object({ id: z.string() });
export const listInput = z.object(pageInput);
export const listOutput = z.object({ data: z.array(payment), next_cursor: z.string().nullable() });
