// Deleted mail of all inboxes, or of one (`?inbox=`): restoring it, and deleting it forever.
"use client";
import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { IconTrash } from "../../design/shell-icons.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { Listing, PAGED, rowsOf } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { TableSkeleton } from "../parts/table-skeleton.tsx";
import { useTRPC } from "../trpc.ts";

const PAGE_ROWS = 50;
const TrashTable = later(
  () => import("./trash-table.tsx"),
  () => <TableSkeleton label="Loading the trash" />,
);
const EmptyTrash = later(() => import("./empty-trash.tsx"));

export default function TrashPage() {
  return (
    <Suspense fallback={<TableSkeleton label="Loading the trash" />}>
      <Trash />
    </Suspense>
  );
}

function Trash() {
  const trpc = useTRPC();
  const list = useInfiniteQuery(trpc.trash.list.infiniteQueryOptions({ limit: PAGE_ROWS }, PAGED));
  const rows = rowsOf(list.data);
  const [isEmptying, setEmptying] = useState(false);
  return (
    <>
      <PageHeader
        title="Trash"
        description="Mail that agents and members deleted. It counts against your storage until it is erased."
        actions={
          rows.length > 0 && (
            <Button variant="default" onClick={() => setEmptying(true)}>
              Empty trash
            </Button>
          )
        }
      />
      <Listing
        list={list}
        rows={rows}
        what="deleted messages"
        empty={
          <EmptyState icon={IconTrash} title="The trash is empty">
            Deleted messages stay here until the time under Erased, so that you can restore what an agent deleted by
            mistake.
          </EmptyState>
        }
      >
        <TrashTable messages={rows} />
      </Listing>
      {isEmptying && <EmptyTrash onClose={() => setEmptying(false)} />}
    </>
  );
}
