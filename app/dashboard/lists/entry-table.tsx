// The entries of a list, each with a button to remove it.
"use client";
import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { AddedBy } from "../parts/added-by.tsx";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Time } from "../parts/time.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import type { Direction, List } from "./list-words.ts";

type Entry = Outputs["lists"]["list"]["data"][number];
type Named = { direction: Direction; list: List; inbox?: string };

export function EntryTable({ named, entries }: { named: Named; entries: Entry[] }) {
  const mayChange = useMayAct("admin");
  const columns: Column<Entry>[] = [
    { name: "Address or domain", kind: "title", show: ({ entry }) => <BrokenUrl text={entry} /> },
    { name: "Reason", show: ({ reason }) => reason ?? <Dimmed>None given</Dimmed> },
    { name: "Added by", show: (entry) => <AddedBy {...entry} /> },
    { name: "Since", show: ({ created_at }) => <Time at={created_at} plain /> },
    ...(mayChange
      ? [
          {
            name: "Actions",
            kind: "actions" as const,
            show: (entry: Entry) => <Remove named={named} entry={entry} />,
          },
        ]
      : []),
  ];
  return <DataTable label="Entries" columns={columns} rows={entries} keyOf={({ entry }) => entry} minWidth={35} />;
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span c="dimmed" inherit>
      {children}
    </Text>
  );
}

function Remove({ named, entry: { entry, reason } }: { named: Named; entry: Entry }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const settings = { onSettled: () => queries.invalidateQueries(trpc.lists.pathFilter()) };
  const again = useMutation(trpc.lists.add.mutationOptions(settings));
  const remove = useMutation(
    trpc.lists.remove.mutationOptions({
      ...settings,
      onSuccess() {
        const back = { ...named, entry, ...(reason !== null && { reason }) };
        succeeded(`${entry} is removed`, { undo: () => again.mutateAsync(back) });
      },
      onError: (error) => failed(error),
    }),
  );
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={`Remove ${entry}`}
      loading={remove.isPending}
      onClick={() => remove.mutate({ ...named, entry })}
    >
      Remove
    </Button>
  );
}
