// The table of suppressed addresses, each with its reason and a button to lift it.
"use client";
import { Badge, Button, Group, Modal, Stack, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./suppressions.module.css";

type Suppression = Outputs["suppressions"]["list"]["data"][number];

const REASONS: Record<string, { words: string; color: string; advice: string }> = {
  bounced: {
    words: "Bounced",
    color: "red",
    advice: "Mail to it was returned permanently. If it bounces again, it is suppressed again.",
  },
  complained: {
    words: "Reported as spam",
    color: "red",
    advice: "Its owner reported your mail as spam. Lift this only if they asked you to write again.",
  },
  unsubscribed: {
    words: "Unsubscribed",
    color: "gray",
    advice: "Its owner unsubscribed. Lift this only if they asked you to write again.",
  },
};

export function SuppressionTable({ suppressions }: { suppressions: Suppression[] }) {
  const [lifting, setLifting] = useState<Suppression>();
  return (
    <>
      <Table.ScrollContainer minWidth={640} type="native" className={classes.framed}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Address</Table.Th>
              <Table.Th>Reason</Table.Th>
              <Table.Th>Applies to</Table.Th>
              <Table.Th>Since</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {suppressions.map((suppression) => (
              <Row
                key={`${suppression.address} ${suppression.inbox}`}
                suppression={suppression}
                onLift={() => setLifting(suppression)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {lifting && <Lift suppression={lifting} onClose={() => setLifting(undefined)} />}
    </>
  );
}

function Row({ suppression, onLift }: { suppression: Suppression; onLift: () => void }) {
  const { address, reason, inbox, created_at } = suppression;
  const known = REASONS[reason];
  return (
    <Table.Tr>
      <Table.Td className={classes.address}>{address}</Table.Td>
      <Table.Td className={classes.reason}>
        {known ? (
          <Badge variant="light" color={known.color}>
            {known.words}
          </Badge>
        ) : (
          reason
        )}
      </Table.Td>
      <Table.Td className={classes.address}>
        {inbox ?? (
          <Text span c="dimmed" inherit>
            Every inbox
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Time at={created_at} plain />
      </Table.Td>
      <Table.Td className={classes.end}>
        <Button size="compact-sm" variant="subtle" aria-label={`Lift ${address}`} onClick={onLift}>
          Lift
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function Lift({ suppression: { address, reason }, onClose }: { suppression: Suppression; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const lift = useMutation(
    trpc.suppressions.remove.mutationOptions({
      onSuccess() {
        succeeded(`Mail can be sent to ${address} again`);
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.suppressions.pathFilter()),
    }),
  );
  return (
    <Modal opened onClose={lift.isPending ? () => {} : onClose} title="Lift this suppression?">
      <Stack>
        <Text className={classes.address}>
          All your inboxes can send to <strong>{address}</strong> again.
        </Text>
        <Text>{REASONS[reason]?.advice ?? `It was added with this reason: ${reason}`}</Text>
        {lift.error && <Problem error={lift.error} what="The suppression was not lifted" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={lift.isPending}>
            Cancel
          </Button>
          <Button onClick={() => lift.mutate({ address })} loading={lift.isPending}>
            Lift suppression
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
