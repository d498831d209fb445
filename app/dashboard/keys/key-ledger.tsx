// The ledger of an enrollment key: every mailbox that counts, the prepaid mailboxes, and the total.
"use client";
import { Anchor, Badge, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { NearLink } from "../../design/near-link.tsx";
import { IconNotebook } from "../../design/shell-icons.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Listing, nextCursor, rowsOf } from "../parts/listing.tsx";
import { Time } from "../parts/time.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./keys.module.css";

type Ledger = Outputs["keys"]["ledger"];
type Entry = Ledger["data"][number];

const PAGE_ROWS = 50;

export function KeyLedger({ keyId }: { keyId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.keys.ledger.infiniteQueryOptions({ id: keyId, limit: PAGE_ROWS }, { getNextPageParam: nextCursor }),
  );
  const entries = rowsOf(list.data);
  const [first] = list.data?.pages ?? [];
  return (
    <>
      {first && <Sum quota={first.quota} />}
      <Listing
        list={list}
        rows={entries}
        what="entries"
        empty={
          <EmptyState icon={IconNotebook} title="No entries yet" order={2}>
            The ledger lists every mailbox created with the key and its creator. Deleting a mailbox does not remove its
            entry.
          </EmptyState>
        }
      >
        <DataTable label="Ledger" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />
      </Listing>
    </>
  );
}

function Sum({ quota: { issued, bought, max_mailboxes, used_count } }: { quota: Ledger["quota"] }) {
  const parts: [string, string, number][] = [
    ["issued", "Issued for", issued],
    ["bought", "Prepaid", bought],
    ["created", "Created", -used_count],
    ["left", "Left", Math.max(0, max_mailboxes - used_count)],
  ];
  return (
    <dl className={classes.sum}>
      {parts.map(([key, name, number]) => (
        <div key={key}>
          <dt>{name}</dt>
          <dd>{signed(number)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** With a real minus sign. */
function signed(number: number): string {
  return number < 0 ? `−${(-number).toLocaleString("en")}` : Math.abs(number).toLocaleString("en");
}

const COLUMNS: Column<Entry>[] = [
  { name: "What", kind: "title", show: (entry) => <What entry={entry} /> },
  { name: "By", show: ({ agent }) => agent?.handle ?? "–" },
  { name: "When", show: ({ at }) => <Time at={at} plain /> },
  { name: "Now", show: (entry) => <Now entry={entry} /> },
  {
    name: "Mailboxes",
    kind: "number",
    show: ({ kind, mailboxes }) =>
      kind === "prepaid" ? (
        <span className={classes.given}>+{mailboxes.toLocaleString("en")}</span>
      ) : (
        signed(-mailboxes)
      ),
  },
];

function What({ entry: { kind, mailboxes, address, status, id } }: { entry: Entry }) {
  if (kind === "prepaid") return <>Prepaid: {mailboxes === 1 ? "1 mailbox" : `${mailboxes} mailboxes`}</>;
  if (address === null) {
    return (
      <>
        A mailbox whose address was reused <span className={classes.id}>{id}</span>
      </>
    );
  }
  if (status !== "live") return <>{address}</>;
  return (
    <Anchor component={NearLink} size="sm" href={`/dashboard/mail?${new URLSearchParams({ inbox: address })}`}>
      {address}
    </Anchor>
  );
}

function Now({ entry: { status, deleted_at } }: { entry: Entry }) {
  if (status === null) return null;
  if (status === "live") {
    return (
      <Badge color="green" variant="light">
        Live
      </Badge>
    );
  }
  if (status === "reserved") {
    return (
      <Badge color="yellow" variant="light">
        Payment pending
      </Badge>
    );
  }
  return (
    <Text size="sm" c="dimmed">
      deleted <Time at={deleted_at} plain none="" />
    </Text>
  );
}
