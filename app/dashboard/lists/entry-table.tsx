// The entries of the lists, each with a button to remove it.
"use client";
import { Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { AddedBy } from "../parts/added-by.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Time } from "../parts/time.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { type Named, wordsOf } from "./list-words.ts";
import classes from "./lists.module.css";

type Entry = Outputs["lists"]["all"]["data"][number];

export function EntryTable({ entries }: { entries: Entry[] }) {
  const mayChange = useMayAct("admin");
  const columns: Column<Entry>[] = [
    {
      name: "Address or domain",
      kind: "title",
      show: ({ entry, reason }) => (
        <>
          <span className={classes.oneLine} title={entry}>
            {entry}
          </span>
          {reason !== null && (
            <Text size="xs" c="dimmed">
              {reason}
            </Text>
          )}
        </>
      ),
    },
    { name: "List", show: (entry) => <span className={classes.whole}>{wordsOf(entry).name}</span> },
    {
      name: "Applies to",
      show: ({ inbox }) =>
        inbox === null ? (
          <Dimmed>Every inbox</Dimmed>
        ) : (
          <span className={classes.oneLine} title={inbox}>
            {inbox}
          </span>
        ),
    },
    {
      name: "Added by",
      show: (entry) => (
        <span className={classes.whole}>
          <AddedBy {...entry} />
        </span>
      ),
    },
    { name: "Since", show: ({ created_at }) => <Time at={created_at} plain /> },
    ...(mayChange
      ? [
          {
            name: "Actions",
            kind: "actions" as const,
            show: (entry: Entry) => <Remove entry={entry} />,
          },
        ]
      : []),
  ];
  return (
    <DataTable
      label="Entries"
      columns={columns}
      rows={entries}
      keyOf={(entry) => JSON.stringify([entry.direction, entry.list, entry.inbox, entry.entry])}
    />
  );
}

function Dimmed({ children }: { children: string }) {
  return (
    <Text span c="dimmed" inherit className={classes.whole}>
      {children}
    </Text>
  );
}

function Remove({ entry: { direction, list, inbox, entry, reason } }: { entry: Entry }) {
  const named: Named = { direction, list, ...(inbox !== null && { inbox }) };
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
