// The payments of the organization: purpose, amount, status, payer, and transaction.
"use client";
import { Badge } from "@mantine/core";
import shared from "../../design/shared.module.css";
import { Copy } from "../parts/copy.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import { networkOf, showUsdc } from "./amount.ts";
import classes from "./payments.module.css";

type Payment = Outputs["purchase"]["list"]["data"][number];

const STATUS: Record<Payment["status"], { color: string; name: string; means: string }> = {
  verified: { color: "yellow", name: "Accepted", means: "The authorization is valid. The payment is not settled yet." },
  settling: { color: "yellow", name: "Settling", means: "The facilitator is settling the payment." },
  settled: { color: "yellow", name: "Paid", means: "The chain confirmed the payment. The mailbox is being created." },
  fulfilled: { color: "green", name: "Fulfilled", means: "Paid. The mailbox was created, or the quota was increased." },
  failed: { color: "red", name: "Failed", means: "The payment failed. Nothing was charged." },
  expired: { color: "gray", name: "Expired", means: "The authorization expired unused. Nothing was charged." },
};
const ENDS_CHARS = 6;
const TABLE_MIN_REM = 52;

export function PaymentTable({ payments }: { payments: Payment[] }) {
  return (
    <DataTable label="Payments" columns={COLUMNS} rows={payments} keyOf={({ id }) => id} minWidth={TABLE_MIN_REM} />
  );
}

function mailboxesOf({ resource }: Payment): number {
  return Number(resource.split(":")[1]);
}

/** A create pays for one mailbox; several are a purchase. */
function whatFor(payment: Payment): string {
  const count = mailboxesOf(payment);
  return count === 1 ? "One mailbox" : `Prepaid: ${count.toLocaleString("en")} mailboxes`;
}

const COLUMNS: Column<Payment>[] = [
  {
    name: "For",
    kind: "title",
    show: (payment) => (
      <>
        <span className={classes.what}>{whatFor(payment)}</span>
        <span className={shared.hint}>
          <Time at={payment.created_at} plain />
        </span>
      </>
    ),
  },
  {
    name: "Amount",
    show: ({ amount, network }) => (
      <>
        <span className={classes.amount}>{showUsdc(amount)}</span>
        <span className={shared.hint}>{networkOf(network).name}</span>
      </>
    ),
  },
  { name: "Status", isTall: true, show: (payment) => <Status payment={payment} /> },
  { name: "Paid by", show: ({ id, payer }) => <Hash text={payer} what={`the payer of ${id}`} /> },
  {
    name: "Transaction",
    show: ({ id, transaction }) =>
      transaction ? <Hash text={transaction} what={`the transaction of ${id}`} /> : "None",
  },
];

/** Several mailboxes are prepaid: they raise the quota, and none is created. */
const PREPAID: Partial<Record<Payment["status"], string>> = {
  settled: "The chain confirmed the payment. The quota is being increased.",
  fulfilled: "Paid. The quota was increased.",
};

function Status({ payment }: { payment: Payment }) {
  const { status, error } = payment;
  const { color, name } = STATUS[status];
  const means = (mailboxesOf(payment) > 1 && PREPAID[status]) || STATUS[status].means;
  return (
    <div className={classes.status}>
      <Badge variant="light" color={color}>
        {name}
      </Badge>
      <span className={shared.hint}>{error ? `${means} (${error})` : means}</span>
    </div>
  );
}

function Hash({ text, what }: { text: string; what: string }) {
  return (
    <span className={classes.hash}>
      <code title={text}>
        {text.slice(0, ENDS_CHARS)}…{text.slice(-ENDS_CHARS)}
      </code>
      <Copy text={text} what={what} />
    </span>
  );
}
