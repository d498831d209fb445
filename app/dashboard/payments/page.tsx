// Payments: the payments for mailboxes, the price, and how an agent pays; or how an operator turns payments on.
"use client";
import { Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconCoinOff } from "../../design/icons.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { type Organization, WithOrganization } from "../settings/with-organization.tsx";
import { useTRPC } from "../trpc.ts";
import { networkOf, showUsdc } from "./amount.ts";
import { HowToPay } from "./how-to-pay.tsx";
import { PaymentTable } from "./payment-table.tsx";
import classes from "./payments.module.css";

const SETTINGS = [
  "# In the settings of the service, then restart it:",
  "PAYMENTS_ENABLED=true",
  "PAYMENTS_RPC_URL=https://…       # JSON-RPC of the network",
  "PAYMENTS_PAY_TO=0x…              # the address that is paid",
  "PAYMENTS_PRICE_PER_MAILBOX=100000 # 0.10 USDC",
];

const PAGE_PAYMENTS = 50;

export default function PaymentsPage() {
  return (
    <>
      <PageHeader title="Payments" description="Payments that your agents made for mailboxes, in USDC." />
      <WithOrganization>{(organization) => <Payments organization={organization} />}</WithOrganization>
    </>
  );
}

function Payments({ organization }: { organization: Organization }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.purchase.list.infiniteQueryOptions({ limit: PAGE_PAYMENTS }, PAGED));
  const rows = rowsOf(list.data);
  const isOn = organization.service.payments.enabled && organization.paid_provisioning;
  return (
    <>
      {isOn ? <Price service={organization.service} /> : <PaymentsOff organization={organization} />}
      <Listing
        list={list}
        rows={rows}
        what="payments"
        shape={{ columns: 5 }}
        empty={isOn && <HowToPay service={organization.service} isFirst />}
      >
        <PaymentTable payments={rows} />
      </Listing>
      {isOn && rows.length > 0 && <HowToPay service={organization.service} />}
    </>
  );
}

/** The price of a mailbox, and the network. */
function Price({ service }: { service: Organization["service"] }) {
  const { network, price_per_mailbox } = service.payments;
  const { name, isTest } = networkOf(network);
  return (
    <section className={classes.price} aria-label="The price">
      <div>
        <Text size="sm" c="dimmed">
          One mailbox
        </Text>
        <p className={classes.figure}>{showUsdc(price_per_mailbox)}</p>
      </div>
      <div>
        <Text size="sm" c="dimmed">
          Network
        </Text>
        <p className={classes.figure}>{name}</p>
        <Text size="sm" c="dimmed">
          {network}
          {isTest && " · test money, worth nothing"}
        </Text>
      </div>
    </section>
  );
}

/** Shown if the organization does not pay: how an operator changes that. */
function PaymentsOff({ organization }: { organization: Organization }) {
  const { id, service } = organization;
  const { enabled } = service.payments;
  const command = [
    "# For this organization:",
    `npm run -s admin -- organizations update ${id} \\`,
    "  --paid-provisioning on",
  ];
  const lines = enabled ? command : [...SETTINGS, "", ...command];
  return (
    <div className={classes.off}>
      <EmptyState
        icon={IconCoinOff}
        title="Payments are off"
        code={<CodeBlock samples={[{ label: "Shell", code: lines.join("\n") }]} what="what an operator runs" />}
      >
        Your agents create mailboxes within the quota of their enrollment key, without paying.{" "}
        {enabled
          ? "This service accepts payments. The operator can turn them on for your organization:"
          : "The operator can require a payment for each mailbox, by default on a test network:"}
      </EmptyState>
    </div>
  );
}
