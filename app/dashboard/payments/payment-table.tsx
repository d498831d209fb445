// The payments of the organization: purpose, amount, status, payer, and transaction.
"use client";
import { Badge, Table } from "@mantine/core";
import { Copy } from "../parts/copy.tsx";
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

export function PaymentTable({ payments }: { payments: Payment[] }) {
  return (
    <div className={classes.frame}>
      <Table horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">For</Table.Th>
            <Table.Th scope="col" className={classes.wide}>
              Amount
            </Table.Th>
            <Table.Th scope="col">Status</Table.Th>
            <Table.Th scope="col" className={classes.wide}>
              Paid by
            </Table.Th>
            <Table.Th scope="col" className={classes.wide}>
              Transaction
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {payments.map((payment) => (
            <Row key={payment.id} payment={payment} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** A create pays for one mailbox; several are a purchase. */
function whatFor({ resource }: Payment): string {
  const count = Number(resource.split(":")[1]);
  return count === 1 ? "One mailbox" : `Prepaid: ${count.toLocaleString("en")} mailboxes`;
}

function Row({ payment }: { payment: Payment }) {
  const { id, amount, network, status, payer, transaction, error, created_at } = payment;
  const { color, name, means } = STATUS[status];
  return (
    <Table.Tr>
      <Table.Td>
        <span className={classes.what}>{whatFor(payment)}</span>
        <span className={classes.hint}>
          <Time at={created_at} plain />
        </span>
        <span className={classes.narrow}>
          <span className={classes.amount}>{showUsdc(amount)}</span>
          <Hash text={payer} what={`the payer of ${id}`} />
          {transaction && <Hash text={transaction} what={`the transaction of ${id}`} />}
        </span>
      </Table.Td>
      <Table.Td className={classes.wide}>
        <span className={classes.amount}>{showUsdc(amount)}</span>
        <span className={classes.hint}>{networkOf(network).name}</span>
      </Table.Td>
      <Table.Td className={classes.status}>
        <Badge variant="light" color={color}>
          {name}
        </Badge>
        <span className={classes.hint}>{error ? `${means} (${error})` : means}</span>
      </Table.Td>
      <Table.Td className={classes.wide}>
        <Hash text={payer} what={`the payer of ${id}`} />
      </Table.Td>
      <Table.Td className={classes.wide}>
        {transaction ? <Hash text={transaction} what={`the transaction of ${id}`} /> : "None"}
      </Table.Td>
    </Table.Tr>
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
