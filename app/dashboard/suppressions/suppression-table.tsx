// The table of suppressed addresses, each with its reason and a button to lift it.
"use client";
import { Badge, Button, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { AddedBy } from "../parts/added-by.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./suppressions.module.css";

type Suppression = Outputs["suppressions"]["list"]["data"][number];

/** Of the service. Callers may give any other reason. */
const REASONS = new Map(
  Object.entries({
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
    manual: {
      words: "Added by hand",
      color: "gray",
      advice: "A person or an agent added it, and gave no other reason.",
    },
    unsubscribed: {
      words: "Unsubscribed",
      color: "gray",
      advice: "Its owner unsubscribed. Lift this only if they asked you to write again.",
    },
  }),
);

export default function SuppressionTable({ suppressions }: { suppressions: Suppression[] }) {
  const [lifting, setLifting] = useState<Suppression>();
  const columns: Column<Suppression>[] = [
    {
      name: "Address",
      kind: "title",
      show: ({ address }) => (
        <span className={classes.oneLine} title={address}>
          {address}
        </span>
      ),
    },
    { name: "Reason", show: ({ reason }) => <Reason reason={reason} /> },
    {
      name: "Applies to",
      show: ({ inbox }) =>
        inbox !== null ? (
          <span className={classes.oneLine} title={inbox}>
            {inbox}
          </span>
        ) : (
          <Text span c="dimmed" inherit className={classes.whole}>
            Every inbox
          </Text>
        ),
    },
    { name: "Added by", minWidth: 7, show: (suppression) => <AddedBy {...suppression} /> },
    { name: "Since", show: ({ created_at }) => <Time at={created_at} plain /> },
    {
      name: "Actions",
      kind: "actions",
      show: (suppression) => (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={`Lift ${suppression.address}`}
          onClick={() => setLifting(suppression)}
        >
          Lift
        </Button>
      ),
    },
  ];
  return (
    <>
      <DataTable
        label="Suppressions"
        columns={columns}
        rows={suppressions}
        keyOf={({ address, inbox }) => `${address} ${inbox}`}
      />
      {lifting && <Lift suppression={lifting} onClose={() => setLifting(undefined)} />}
    </>
  );
}

function Reason({ reason }: { reason: string }) {
  const known = REASONS.get(reason);
  if (!known) return reason;
  return (
    <Badge variant="light" color={known.color}>
      {known.words}
    </Badge>
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
    <FormDialog
      title="Lift this suppression?"
      what="The suppression was not lifted"
      acting={lift}
      action="Lift suppression"
      onAct={() => lift.mutate({ address })}
      onClose={onClose}
    >
      <Text className={classes.address}>
        All your inboxes can send to <strong>{address}</strong> again.
      </Text>
      <Text>{REASONS.get(reason)?.advice ?? `It was added with this reason: ${reason}`}</Text>
    </FormDialog>
  );
}
