// The entries of a list, each with a button to remove it.
"use client";
import { Button, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Time } from "../parts/time.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import type { Direction, List } from "./list-words.ts";
import classes from "./lists.module.css";

type Entry = Outputs["lists"]["list"]["data"][number];
type Named = { direction: Direction; list: List; inbox?: string };

export function EntryTable({ named, entries }: { named: Named; entries: Entry[] }) {
  return (
    <Table.ScrollContainer minWidth={560} type="native" className={classes.framed}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Address or domain</Table.Th>
            <Table.Th>Reason</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Row key={entry.entry} named={named} entry={entry} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ named, entry: { entry, reason, created_at } }: { named: Named; entry: Entry }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const mayChange = useMayAct("admin");
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
    <Table.Tr>
      <Table.Td className={classes.entry}>{entry}</Table.Td>
      <Table.Td className={classes.entry}>
        {reason ?? (
          <Text span c="dimmed" inherit>
            None given
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Time at={created_at} plain />
      </Table.Td>
      <Table.Td className={classes.end}>
        {mayChange && (
          <Button
            size="compact-sm"
            variant="subtle"
            aria-label={`Remove ${entry}`}
            loading={remove.isPending}
            onClick={() => remove.mutate({ ...named, entry })}
          >
            Remove
          </Button>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
