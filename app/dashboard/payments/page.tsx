// Payments: the payments for mailboxes, the price, and how an agent pays; or how an operator turns payments on.
"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Listing, lookAgainAtList, nextCursor, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { type Organization, WithOrganization } from "../settings/with-organization.tsx";
import { useTRPC } from "../trpc.ts";
import { HowToPay } from "./how-to-pay.tsx";
import { PaymentTable } from "./payment-table.tsx";
import { PaymentsOff } from "./payments-off.tsx";
import { Price } from "./price.tsx";

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
  const list = useInfiniteQuery(
    trpc.purchase.list.infiniteQueryOptions(
      { limit: PAGE_PAYMENTS },
      { getNextPageParam: nextCursor, refetchInterval: lookAgainAtList },
    ),
  );
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
