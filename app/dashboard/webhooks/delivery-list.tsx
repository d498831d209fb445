// A webhook's deliveries, newest first. Polls, and more often while an attempt is due.
"use client";
import { Anchor, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { IconSend } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Listing, nextCursor, rowsOf } from "../parts/listing.tsx";
import { NoMatch } from "../parts/no-match.tsx";
import { Time } from "../parts/time.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { type Outputs, useTRPC } from "../trpc.ts";
import { clearFilters, DeliveryFilters } from "./delivery-filters.tsx";
import { useDeliveryFilters } from "./delivery-query.ts";
import { DeliveryState, lookAgainMs } from "./delivery-state.tsx";
import { deliveryHref } from "./places.ts";
import { Redeliver } from "./redeliver.tsx";
import type { Webhook } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

const TABLE_MIN_REM = 59;
const PAGE_ROWS = 25;
const ID_START = 4;
const ID_END = 8;

type Delivery = Outputs["webhooks"]["deliveryLog"]["data"][number];

export function DeliveryList({ webhook: { id, address, active } }: { webhook: Webhook }) {
  const trpc = useTRPC();
  const filters = useDeliveryFilters();
  const list = useInfiniteQuery(
    trpc.webhooks.deliveryLog.infiniteQueryOptions(
      { id, limit: PAGE_ROWS, ...filters },
      { getNextPageParam: nextCursor, refetchInterval: ({ state }) => lookAgainMs(rowsOf(state.data)) },
    ),
  );
  useReadAfterEvents([trpc.webhooks.deliveryLog.pathFilter()]);
  const rows = rowsOf(list.data);
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <DeliveryFilters />
      <Listing
        list={list}
        rows={rows}
        what="deliveries"
        empty={
          isFiltered ? (
            <NothingFound isById={Boolean(filters.event_id ?? filters.message_id)} />
          ) : (
            <NoDeliveries of={address ?? "your inboxes"} />
          )
        }
      >
        <DataTable
          label="Deliveries"
          columns={[...COLUMNS, againColumn(active)]}
          rows={rows}
          keyOf={({ id }) => id}
          minWidth={TABLE_MIN_REM}
        />
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

function NothingFound({ isById }: { isById: boolean }) {
  return (
    <NoMatch of="deliveries" onClear={clearFilters}>
      {isById ? (
        <>
          Old deliveries are deleted. Enter complete IDs: <code>evt_…</code> or <code>msg_…</code>.
        </>
      ) : (
        "No delivery has this status in this time."
      )}
    </NoMatch>
  );
}

const COLUMNS: Column<Delivery>[] = [
  { name: "Status", minWidth: 9, show: (delivery) => <Status delivery={delivery} /> },
  { name: "Delivery", kind: "title", minWidth: 16, show: (delivery) => <Of delivery={delivery} /> },
  { name: "Event", show: ({ event }) => <span className={classes.whole}>{event}</span> },
  { name: "Last answer", minWidth: 11, show: ({ last_status, last_error }) => lastAnswer(last_status, last_error) },
  { name: "Attempts", kind: "number", show: ({ attempt_count }) => attempt_count },
  { name: "Created", show: ({ created_at }) => <Time at={created_at} plain /> },
];

/** For deliveries whose last attempt failed. The page of a delivery has the button for all of them. */
function againColumn(isActive: boolean): Column<Delivery> {
  return {
    name: "Actions",
    kind: "actions",
    show: (delivery) =>
      delivery.status === "failed" || (delivery.status === "pending" && delivery.attempt_count > 0) ? (
        <Redeliver
          delivery={delivery}
          isActive={isActive}
          size="compact-sm"
          variant="subtle"
          aria-label={`Send again: ${delivery.mail?.subject || short(delivery.id)}`}
        />
      ) : null,
  };
}

/** The mail of the delivery, or its id for an event without one. */
function Of({ delivery: { webhook_id, id, mail } }: { delivery: Delivery }) {
  return (
    <>
      <Anchor component={NearLink} href={deliveryHref(webhook_id, id)} size="sm" fw={mail ? 550 : undefined} title={id}>
        {mail ? mail.subject || "(no subject)" : <span className={classes.whole}>{short(id)}</span>}
      </Anchor>
      {mail && (
        <Text size="xs" c="dimmed">
          <BrokenUrl text={mail.from} /> → <BrokenUrl text={mail.inbox} />
        </Text>
      )}
    </>
  );
}

/** The kind of the id and its last characters, in which ids of the same time differ. */
function short(id: string): string {
  return `${id.slice(0, ID_START)}…${id.slice(-ID_END)}`;
}

function Status({ delivery }: { delivery: Delivery }) {
  const { status, attempt_count, next_attempt_at } = delivery;
  return (
    <>
      <DeliveryState delivery={delivery} />
      {status === "pending" && attempt_count > 0 && (
        <Text size="xs" c="dimmed">
          next <Time at={next_attempt_at} plain ahead none="soon" />
        </Text>
      )}
    </>
  );
}

/** "204", "500", or the reason for no answer. */
function lastAnswer(status: number | null, error: string | null): string {
  return status === null ? (error ?? "—") : String(status);
}
