// <PauseDialog>: says what a pause of sending does, asks for a reason, and pauses.
// what ("all sending", "the sending of a@b.example"), onPause (the call), onClose
"use client";
import { List, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../trpc.ts";
import { FormDialog } from "./form-dialog.tsx";
import { succeeded } from "./toast.tsx";

const REASON_CHARS = 200;

type Paused = { in_flight: number; queued: number; scheduled: number };
type Props = { what: string; onPause: (reason: string) => Promise<Paused>; onClose: () => void };

export default function PauseDialog({ what, onPause, onClose }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const pause = useMutation({
    mutationFn: () => onPause(reason),
    onSuccess({ in_flight }) {
      succeeded(
        `Paused. ${in_flight.toLocaleString("en")} ${in_flight === 1 ? "message was" : "messages were"} in flight.`,
      );
      onClose();
    },
    onSettled() {
      void queries.invalidateQueries(trpc.organization.pauses.pathFilter());
      void queries.invalidateQueries(trpc.messages.sendLimit.pathFilter());
    },
  });

  return (
    <FormDialog
      title={`Pause ${what}?`}
      what="Sending was not paused"
      acting={pause}
      action="Pause sending"
      color="red"
      onAct={() => pause.mutate()}
      onClose={onClose}
    >
      <List size="sm" spacing={4}>
        <List.Item>Within a second, no more mail leaves. Messages whose transmission has begun still arrive.</List.Item>
        <List.Item>Queued and scheduled messages wait. They leave when sending is resumed.</List.Item>
        <List.Item>Agents that send get an error with your name and the reason.</List.Item>
        <List.Item>Mail is still received, and webhooks are still called.</List.Item>
      </List>
      <TextInput
        label="Reason (optional)"
        description="Agents, webhooks and your team see it."
        maxLength={REASON_CHARS}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
