// Payments: the payments for mailboxes, the price, and how an agent pays; or how an operator turns payments on.
"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { LoadMore, nextCursor, rowsOf } from "../parts/load-more.tsx";
import { lookAgainAtList } from "../parts/look-again.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
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
  const isNone = list.data !== undefined && rows.length === 0;
  return (
    <>
      {isOn ? <Price service={organization.service} /> : <PaymentsOff organization={organization} />}
      {list.isPending && <TableSkeleton label="Loading payments" columns={5} />}
      {list.isError && !list.data && (
        <Problem
          error={list.error}
          what="The payments could not be loaded"
          retry={() => void list.refetch()}
          busy={list.isFetching}
        />
      )}
      {isOn && isNone && <HowToPay service={organization.service} isFirst />}
      {rows.length > 0 && <PaymentTable payments={rows} />}
      <LoadMore list={list} what="payments" />
      {isOn && rows.length > 0 && <HowToPay service={organization.service} />}
    </>
  );
}
