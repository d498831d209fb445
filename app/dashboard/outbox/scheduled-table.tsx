// The table of scheduled messages, each with its time and a button to cancel it.
"use client";
import { Anchor, Button, Group, Modal, Stack, Table, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { placeHref } from "../mail/place.ts";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./outbox.module.css";

type Scheduled = Outputs["messages"]["listScheduled"]["data"][number];

export function ScheduledTable({ messages }: { messages: Scheduled[] }) {
  const [cancelling, setCancelling] = useState<Scheduled>();
  const byTime = messages.toSorted((a, b) => a.send_at.localeCompare(b.send_at));
  return (
    <>
      <Table.ScrollContainer minWidth={720} type="native" className={classes.framed}>
        <Table aria-label="Scheduled messages">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Subject</Table.Th>
              <Table.Th>To</Table.Th>
              <Table.Th>From</Table.Th>
              <Table.Th>Leaves</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {byTime.map((message) => (
              <Table.Tr key={message.id}>
                <Table.Td className={classes.words}>
                  <Anchor component={Link} href={placeHref(message.inbox, message.thread_id)}>
                    {message.subject || "(no subject)"}
                  </Anchor>
                </Table.Td>
                <Table.Td className={classes.words}>{message.to.join(", ")}</Table.Td>
                <Table.Td className={classes.words}>{message.inbox}</Table.Td>
                <Table.Td>
                  <Time at={message.send_at} exact />
                </Table.Td>
                <Table.Td className={classes.end}>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="red"
                    aria-label={`Cancel ${message.subject || "the message"}`}
                    onClick={() => setCancelling(message)}
                  >
                    Cancel
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {cancelling && <CancelSend message={cancelling} onClose={() => setCancelling(undefined)} />}
    </>
  );
}

function CancelSend({ message, onClose }: { message: Scheduled; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const cancel = useMutation(
    trpc.messages.remove.mutationOptions({
      onSuccess() {
        succeeded("The message was cancelled");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.messages.pathFilter()),
    }),
  );
  return (
    <Modal opened onClose={cancel.isPending ? () => {} : onClose} title="Cancel this message?">
      <Stack>
        <Text className={classes.words}>
          “{message.subject || "(no subject)"}” to {message.to.join(", ")} is deleted and not sent.
        </Text>
        {cancel.error && <Problem error={cancel.error} what="The message was not cancelled" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={cancel.isPending}>
            Keep it
          </Button>
          <Button color="red" onClick={() => cancel.mutate({ id: message.id })} loading={cancel.isPending}>
            Cancel the message
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
