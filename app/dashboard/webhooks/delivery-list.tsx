// A webhook's deliveries, newest first. Polls, and more often while an attempt is due.
"use client";
import { Anchor, Button, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconFilterOff, IconSend } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Listing, nextCursor, rowsOf } from "../parts/listing.tsx";
import { Time } from "../parts/time.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import { clearFilters, DeliveryFilters } from "./delivery-filters.tsx";
import { useDeliveryFilters } from "./delivery-query.ts";
import { type Delivery, DeliveryState, lookAgainMs } from "./delivery-state.tsx";
import { deliveryHref } from "./places.ts";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

const TABLE_MIN_REM = 51;
const PAGE_ROWS = 25;

export function DeliveryList({ webhook: { id, address } }: { webhook: Webhook }) {
  const trpc = useTRPC();
  const filters = useDeliveryFilters();
  const list = useInfiniteQuery(
    trpc.webhooks.listDeliveries.infiniteQueryOptions(
      { id, limit: PAGE_ROWS, ...filters },
      { getNextPageParam: nextCursor, refetchInterval: ({ state }) => lookAgainMs(rowsOf(state.data)) },
    ),
  );
  useReadAfterEvents([trpc.webhooks.listDeliveries.pathFilter()]);
  const rows = rowsOf(list.data);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <DeliveryFilters />
      <Listing
        list={list}
        rows={rows}
        what="deliveries"
        empty={isFiltered ? <NothingFound /> : <NoDeliveries of={address ?? "your inboxes"} />}
      >
        <DataTable label="Deliveries" columns={COLUMNS} rows={rows} keyOf={({ id }) => id} minWidth={TABLE_MIN_REM} />
      </Listing>
    </>
  );
}

function NoDeliveries({ of }: { of: string }) {
  return (
    <EmptyState icon={IconSend} title="No deliveries yet">
      Each event of {of} that the webhook receives makes one delivery. It appears here within seconds. A test event
      shows whether the endpoint answers; it is not listed here.
    </EmptyState>
  );
}

function NothingFound() {
  return (
    <EmptyState
      icon={IconFilterOff}
      title="No matching deliveries"
      action={
        <Button variant="default" onClick={clearFilters}>
          Show all deliveries
        </Button>
      }
    >
      Old deliveries are deleted. Enter complete IDs: <code>evt_…</code> or <code>msg_…</code>.
    </EmptyState>
  );
}

const COLUMNS: Column<Delivery>[] = [
  { name: "Status", minWidth: 9, show: (delivery) => <Status delivery={delivery} /> },
  {
    name: "Delivery",
    kind: "title",
    show: ({ webhook_id, id }) => (
      <Anchor component={NearLink} href={deliveryHref(webhook_id, id)} className={classes.id}>
        {id}
      </Anchor>
    ),
  },
  { name: "Event", show: ({ event }) => event },
  { name: "Last answer", show: ({ last_status, last_error }) => lastAnswer(last_status, last_error) },
  { name: "Attempts", kind: "number", show: ({ attempt_count }) => attempt_count },
  { name: "Created", show: ({ created_at }) => <Time at={created_at} plain /> },
];

function Status({ delivery: { status, attempt_count, next_attempt_at } }: { delivery: Delivery }) {
  return (
    <>
      <DeliveryState status={status} />
      {status === "pending" && attempt_count > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          next <Time at={next_attempt_at} plain none="soon" />
        </Text>
      )}
    </>
  );
}

/** "204", "500", or the reason for no answer. */
function lastAnswer(status: number | null, error: string | null): string {
  return status === null ? (error ?? "—") : String(status);
}
