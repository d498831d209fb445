// Formats payments for the API.
import { encodeId } from "../base/ids.ts";
import type { Quota } from "../keys/quota.ts";
import type { PaymentRow } from "./find.ts";
import { NETWORKS } from "./quote.ts";

function commonView(row: PaymentRow) {
  const { amount, network, transaction, status } = row;
  // As quoted, with the address in the wallet's case.
  const asset = NETWORKS[network as keyof typeof NETWORKS]?.asset ?? row.asset;
  const resource = `mailboxes:${row.mailboxes}`;
  return { id: encodeId("pay", row.id), resource, amount, network, asset, transaction, status };
}

/** A purchase, with the current quota. */
export function purchaseView(
  row: PaymentRow,
  { max_mailboxes, used_count }: Pick<Quota, "max_mailboxes" | "used_count">,
) {
  return { ...commonView(row), max_mailboxes, used_count };
}

export function paymentView(row: PaymentRow) {
  const { payer, pay_to, error } = row;
  const inbox_id = row.inbox_id === null || row.status !== "fulfilled" ? null : encodeId("inb", row.inbox_id);
  return { ...commonView(row), payer, pay_to, inbox_id, error, created_at: row.created_at.toISOString() };
}
