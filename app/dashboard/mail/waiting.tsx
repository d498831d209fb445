// The dialogs that move and cancel a message which waits for its time.
"use client";
import { Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC } from "../trpc.ts";
import { useAnnounceSend } from "./announce-send.ts";
import { DAYS_MAX, localTime } from "./composer/send-later.tsx";
import classes from "./mail.module.css";

type Waiting = { id: string; subject: string; to: string[]; send_at?: string | null | undefined };

export function MoveSend({ message, onClose }: { message: Waiting; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [time, setTime] = useState(localTime(new Date(message.send_at ?? Date.now())));
  const announce = useAnnounceSend();
  const move = useMutation(
    trpc.messages.update.mutationOptions({
      onSuccess() {
        void announce("Message", { id: message.id, status: "scheduled" });
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.messages.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Move this message?"
      what="The message was not moved"
      acting={move}
      action="Move the message"
      cancel="Keep its time"
      disabled={time === ""}
      onAct={() => move.mutate({ id: message.id, send_at: new Date(time).toISOString() })}
      onClose={onClose}
    >
      <Text className={classes.said}>
        “{message.subject || "(no subject)"}” to {message.to.join(", ")} leaves at the new time.
      </Text>
      <TextInput
        type="datetime-local"
        label="New time"
        description={`At most ${DAYS_MAX} days ahead`}
        min={localTime(new Date())}
        required
        value={time}
        onChange={(event) => setTime(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function CancelSend({ message, onClose }: { message: Waiting; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const cancel = useMutation(
    trpc.messages.cancel.mutationOptions({
      onSuccess() {
        succeeded("The message was cancelled");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.messages.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Cancel this message?"
      what="The message was not cancelled"
      acting={cancel}
      action="Cancel the message"
      color="red"
      cancel="Keep it"
      onAct={() => cancel.mutate({ id: message.id })}
      onClose={onClose}
    >
      <Text className={classes.said}>
        “{message.subject || "(no subject)"}” to {message.to.join(", ")} is not sent. It stays in its conversation as
        cancelled.
      </Text>
    </FormDialog>
  );
}
